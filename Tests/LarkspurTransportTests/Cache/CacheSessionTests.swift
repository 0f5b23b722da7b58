#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import Testing

@testable import LarkspurTransport

@Suite("Sessions with a cache", .timeLimit(.minutes(5)))
struct CacheSessionTests {
    private static let fresh = ["Cache-Control": "max-age=600", "ETag": "\"a\""]

    // MARK: Policies

    @Test(
        "The policy returnCacheDataDontLoad fails without a stored response, with a cache and without",
        arguments: [true, false]
    )
    func dontLoad(hasCache: Bool) async throws {
        let lab = try CacheLab(hasCache ? HTTPCache() : nil)
        lab.route("/x", Self.fresh)
        let reply = try await lab.get("/x", policy: .returnCacheDataDontLoad)
        #expect(reply.outcome.code == .resourceUnavailable)
        #expect(lab.requestCount("/x") == 0)
        let post = try await lab.get("/x", method: "POST", policy: .returnCacheDataDontLoad)
        #expect(post.outcome.code == .resourceUnavailable)
        _ = try await lab.get("/x")
        let second = try await lab.get("/x", policy: .returnCacheDataDontLoad)
        #expect(second.text == (hasCache ? "1" : nil))
    }

    @Test("A request with only-if-cached gets a 504 without a stored response")
    func onlyIfCached() async throws {
        let lab = try CacheLab()
        lab.route("/x", Self.fresh)
        let reply = try await lab.get("/x", ["Cache-Control": "only-if-cached"])
        #expect(reply.status == 504)
        #expect(reply.text == "")
        #expect(lab.requestCount("/x") == 0)
        _ = try await lab.get("/x")
        #expect(try await lab.get("/x", ["Cache-Control": "only-if-cached"]).text == "1")
    }

    @Test("The configuration's cache policy applies to requests with the default policy")
    func configuredPolicy() async throws {
        let lab = try CacheLab(policy: .reloadIgnoringLocalCacheData)
        lab.route("/x", Self.fresh)
        for _ in 0..<2 { #expect(try await lab.get("/x").source == "network") }
        #expect(try await lab.get("/x", policy: .returnCacheDataElseLoad).source == "cache")
    }

    @Test("A reload sends fields that make other caches reload")
    func fieldsOfPolicies() async throws {
        let lab = try CacheLab(nil)
        lab.route("/x", Self.fresh)
        for policy in [
            URLRequest.CachePolicy.useProtocolCachePolicy, .reloadIgnoringLocalCacheData,
            .reloadIgnoringLocalAndRemoteCacheData, .reloadRevalidatingCacheData,
        ] {
            _ = try await lab.get("/x", policy: policy)
        }
        _ = try await lab.get(
            "/x",
            ["Cache-Control": "max-age=5"],
            policy: .reloadIgnoringLocalAndRemoteCacheData
        )
        let requests = lab.server.requests(to: "/x")
        #expect(requests.map { $0.headers["Cache-Control"] } == [nil, nil, "no-cache", "max-age=0", "max-age=5"])
        #expect(requests.map { $0.headers["Pragma"] } == [nil, nil, "no-cache", nil, nil])
    }

    // MARK: Caches

    @Test("Without a cache, nothing is stored")
    func noCache() async throws {
        let lab = try CacheLab(nil)
        lab.route("/x", Self.fresh)
        for _ in 0..<2 { #expect(try await lab.get("/x").source == "network") }
    }

    @Test("A plain URLCache sets the capacity of a memory store, which is shared by its sessions")
    func plainCache() async throws {
        let lab = try CacheLab(URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil))
        lab.route("/x", Self.fresh)
        _ = try await lab.get("/x")
        #expect(try await lab.get("/x").source == "cache")
        let other = lab.makeSession()
        defer { other.invalidateAndCancel() }
        #expect(try await other.outcome(of: lab.server.url("/x")).text == "1")
        #expect(lab.requestCount("/x") == 1)
        #expect(try await lab.get("/x?other").text == "2")
    }

    @Test("A plain URLCache gets a copy of each stored response, and after the copy's removal the response is not used")
    func copies() async throws {
        let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        let lab = try CacheLab(cache)
        lab.route("/x", Self.fresh)
        lab.route("/y", ["ETag": "\"b\""])
        let requests = ["/x", "/y"].map { URLRequest(url: lab.server.url($0)) }
        for request in requests { _ = try await lab.send(request) }
        for request in requests {
            try await eventually { cache.cachedResponse(for: request) != nil }
            let copy = try #require(cache.cachedResponse(for: request))
            #expect(String(decoding: copy.data, as: UTF8.self) == "1")
            #expect((copy.response as? HTTPURLResponse)?.statusCode == 200)
        }
        #expect(try await lab.get("/x").source == "cache")
        cache.removeCachedResponse(for: requests[0])
        #expect(try await lab.get("/x").source == "network")
        try await eventually { cache.cachedResponse(for: requests[0])?.data == Data("2".utf8) }
        cache.removeAllCachedResponses()
        #expect(try await lab.get("/x").text == "3")
    }

    @Test("A plain URLCache that is full continues to get copies")
    func manyCopies() async throws {
        let cache = URLCache(memoryCapacity: 100_000, diskCapacity: 0, diskPath: nil)
        let lab = try CacheLab(cache)
        for path in ["/first", "/other"] {
            var response = LoopbackServer.Response.data(Data(count: 4900))
            response.headers.append("ETag", "\"a\"")
            lab.server.route(path, response)
        }
        // Foundation ends the process when it makes room and one had been stored twice.
        for round in 0..<4 {
            for index in 0..<30 {
                _ = try await lab.get("/first?\(index)")
                let other = "/other?\(index)"
                #expect(try await lab.get(other, policy: .reloadIgnoringLocalCacheData).status == 200)
                let request = URLRequest(url: lab.server.url(other))
                if round == 3 { try await eventually { cache.cachedResponse(for: request) != nil } }
            }
        }
        #expect(cache.currentMemoryUsage <= 100_000)
    }

    @Test("A session with different trust settings does not share the store of a plain URLCache")
    func otherTrust() async throws {
        let lab = try CacheLab(URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil))
        lab.route("/x", Self.fresh)
        #expect(try await lab.get("/x").source == "network")
        var options = CurlURLSession.Options()
        options.tls.dangerouslySkipsCertificateVerification = true
        let configuration = URLSessionConfiguration.testing { $0.urlCache = lab.cache }
        let other = CurlURLSession(configuration: configuration, options: options)
        defer { other.invalidateAndCancel() }
        for _ in 0..<2 { #expect(try await other.outcome(of: lab.server.url("/x")).text == "2") }
        #expect(lab.requestCount("/x") == 2)
    }

    @Test("Resetting a session empties its cache")
    func reset() async throws {
        let lab = try CacheLab()
        lab.route("/x", Self.fresh)
        _ = try await lab.get("/x")
        let done = Recorder<Int>()
        lab.session.reset { done.record(1) }
        _ = try await done.first()
        #expect(try await lab.get("/x").source == "network")
    }

    /// A class of the caller's, whose key ignores the query as Foundation's does.
    private final class OwnCache: URLCache, @unchecked Sendable {
        // Safe: what changes is behind the lock.
        private let stored = Mutex<[String: CachedURLResponse]>([:])
        let removals = Recorder<String>()

        init() { super.init(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: "/dev/null") }

        override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
            stored.withLock { $0[request.url?.path ?? ""] }
        }

        override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
            stored.withLock { $0[request.url?.path ?? ""] = cachedResponse }
        }

        override func removeCachedResponse(for request: URLRequest) {
            removals.record(request.url?.path ?? "")
            _ = stored.withLock { $0.removeValue(forKey: request.url?.path ?? "") }
        }
    }

    @Test("A URLCache subclass is used through its methods, and its responses to other URLs or fields are rejected")
    func ownClass() async throws {
        let lab = try CacheLab(OwnCache())
        lab.server.route("/x") { request in
            .text("\(request.target) \(request.headers["X-A"] ?? "")")
                .adding("Cache-Control", "max-age=600").adding("Vary", "X-A")
        }
        #expect(try await lab.get("/x?user=alice", ["X-A": "1"]).text == "/x?user=alice 1")
        let hit = try await lab.get("/x?user=alice", ["X-A": "1"])
        #expect(hit.source == "cache")
        #expect(hit.text == "/x?user=alice 1")
        #expect(try await lab.get("/x?user=alice", ["X-A": "2"]).text == "/x?user=alice 2")
        #expect(try await lab.get("/x?user=bob", ["X-A": "2"]).text == "/x?user=bob 2")
        #expect(lab.requestCount("/x") == 3)
    }

    @Test("A response that a program has put into its cache is served until it is stale")
    func filledByHand() async throws {
        let cache = OwnCache()
        let lab = try CacheLab(cache)
        for (path, fields) in [
            ("/fresh", ["Cache-Control": "max-age=600", "Date": Self.date(Date())]),
            ("/stale", ["Cache-Control": "max-age=600", "Date": Self.date(Date() - 1000)]),
            ("/varies", ["Cache-Control": "max-age=600", "Vary": "X-A"]),
        ] {
            let url = lab.server.url(path)
            lab.route(path, [:])
            let response = try #require(
                HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields)
            )
            cache.storeCachedResponse(
                CachedURLResponse(response: response, data: Data("by hand".utf8)),
                for: URLRequest(url: url)
            )
        }
        #expect(try await lab.get("/fresh").text == "by hand")
        #expect(try await lab.get("/stale").text == "1")
        #expect(try await lab.get("/varies").text == "1")
    }

    private static func date(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }

    @Test("Another session finds a response on disk, and a damaged file is not served")
    func disk() async throws {
        let directory = CacheDirectory()
        let lab = try CacheLab(HTTPCache(directory: directory.url))
        lab.route("/x", Self.fresh)
        _ = try await lab.get("/x")
        #expect((lab.cache?.currentDiskUsage ?? 0) > 0)

        let reopened = lab.with(HTTPCache(directory: directory.url))
        #expect(try await reopened.get("/x").source == "cache")
        #expect(try await reopened.get("/x").text == "1")

        for name in directory.names { try Data("damaged".utf8).write(to: directory.file(name)) }
        let damaged = lab.with(HTTPCache(directory: directory.url))
        let reply = try await damaged.get("/x")
        #expect(reply.source == "network")
        #expect(reply.text == "2")
    }

    // MARK: Delivery

    @Test(
        "Every style of task gets the same response from the cache",
        arguments: Style.allCases.filter { $0 != .download && $0 != .downloadDelegate }
    )
    func styles(style: Style) async throws {
        let lab = try CacheLab()
        let content = Data((0..<150_000).map { UInt8(truncatingIfNeeded: $0) })
        lab.server.route("/x", .data(content).adding("Cache-Control", "max-age=600"))
        for _ in 0..<2 {
            let outcome = try await style.send(
                URLRequest(lab.server.url("/x"), "GET"),
                configuration: .testing { $0.urlCache = lab.cache }
            )
            #expect(outcome.data == content)
            #expect(outcome.status == 200)
        }
        #expect(lab.requestCount("/x") == 1)
    }

    @Test("Coded content is stored decoded, and a hit equals the first response")
    func coded() async throws {
        let lab = try CacheLab()
        let text = String(repeating: "content ", count: 1000)
        lab.server.route("/x", .text(text).encoded(as: .gzip).adding("Cache-Control", "max-age=600"))
        let miss = try await lab.get("/x")
        let hit = try await lab.get("/x")
        #expect(hit.source == "cache")
        #expect(hit.text == text)
        #expect(hit.outcome.field("Content-Encoding") == miss.outcome.field("Content-Encoding"))
    }

    @Test("A hit is delivered in chunks, and waits for a slow consumer")
    func chunks() async throws {
        let lab = try CacheLab(HTTPCache(memoryCapacity: 100 << 20))
        let content = Data(count: 4 << 20)
        lab.server.route("/x", .data(content).adding("Cache-Control", "max-age=600"))
        #expect(try await lab.get("/x").outcome.data?.count == content.count)
        let (bytes, response) = try await lab.session.bytes(from: lab.server.url("/x"))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        let core = try #require((bytes.task as? any EngineTask)?.core)
        // Nothing is taken, so that it stops when the backlog is full.
        try await eventually { core.counts.received >= Backlog.upperMark }
        #expect(core.counts.received < Backlog.upperMark + 2 * EasyHandle.bufferSize)
        var count = 0
        for try await _ in bytes { count += 1 }
        #expect(count == content.count)
        #expect(lab.requestCount("/x") == 1)
    }

    @Test("The counts, progress and state of a hit are those of a transfer")
    func counts() async throws {
        let lab = try CacheLab()
        lab.route("/x", Self.fresh)
        _ = try await lab.get("/x")
        let log = DelegateLog()
        let session = lab.makeSession(log)
        let task = session.dataTask(with: lab.server.url("/x"))
        let outcome = try await log.outcome(of: task)
        #expect(outcome.text == "1")
        #expect(log.names == ["response", "data", "completed"])
        #expect(task.state == .completed)
        #expect(task.countOfBytesReceived == 1)
        #expect(task.countOfBytesExpectedToReceive == 1)
        #expect(task.progress.fractionCompleted == 1)
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test("A hit can be refused, suspended and cancelled")
    func controls() async throws {
        let lab = try CacheLab()
        lab.route("/x", Self.fresh)
        _ = try await lab.get("/x")
        let log = DelegateLog(.with { $0.response = { task, answer in answer(.cancel) } })
        let session = lab.makeSession(log)
        let refused = try await log.outcome(of: session.dataTask(with: lab.server.url("/x")))
        #expect(refused.code == .cancelled)
        #expect(log.data.isEmpty)

        let ends = Recorder<URLError.Code?>()
        let task = lab.session.dataTask(with: lab.server.url("/x")) { _, _, error in
            ends.record((error as? URLError)?.code)
        }
        task.resume()
        task.suspend()
        task.resume()
        #expect(try await ends.first() == nil)
        #expect(lab.requestCount("/x") == 1)
    }

    @Test("Downloads bypass the cache")
    func downloads() async throws {
        let lab = try CacheLab()
        lab.route("/x", Self.fresh)
        _ = try await lab.get("/x")
        let outcome = try await Style.download.send(
            URLRequest(lab.server.url("/x"), "GET"),
            configuration: .testing { $0.urlCache = lab.cache }
        )
        #expect(outcome.text == "2")
    }
}

extension CacheLab {
    /// The same server, with another cache.
    fileprivate func with(_ cache: URLCache) -> CacheLab { CacheLab(server: server, cache: cache) }

    private init(server: LoopbackServer, cache: URLCache) {
        self.server = server
        self.cache = cache
        session = CurlURLSession(configuration: .testing { $0.urlCache = cache })
    }
}
#endif
