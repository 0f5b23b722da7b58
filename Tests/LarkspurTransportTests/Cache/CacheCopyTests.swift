#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import Testing

@testable import LarkspurTransport

@Suite("Copies of responses in a program's own cache", .timeLimit(.minutes(5)))
struct CacheCopyTests {
    let cache = URLCache(memoryCapacity: 4 << 20, diskCapacity: 0, diskPath: nil)
    let lab: CacheLab

    init() throws {
        lab = try CacheLab(cache)
        for index in 0..<60 {
            // Every second one sets a cookie, for which a task waits too.
            let fields = index % 2 == 0 ? ["ETag": "\"a\""] : ["ETag": "\"a\"", "Set-Cookie": "a=\(index)"]
            lab.route("/x/\(index)", fields, notModified: ["ETag": "\"a\"", "X-New": "new"])
        }
    }

    private func request(_ index: Int) -> URLRequest { URLRequest(url: lab.server.url("/x/\(index)")) }

    /// Looks into the cache at the end of each task.
    private final class Witness: NSObject, URLSessionDataDelegate, Sendable {
        let cache: URLCache
        let found = Recorder<Bool>()
        let answersLater: Bool
        let answers = Mutex<[@Sendable () -> Void]>([])

        init(_ cache: URLCache, answersLater: Bool = false) {
            (self.cache, self.answersLater) = (cache, answersLater)
        }

        func urlSession(
            _ session: URLSession,
            dataTask: URLSessionDataTask,
            willCacheResponse proposedResponse: CachedURLResponse,
            completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
        ) {
            guard answersLater else { return completionHandler(proposedResponse) }
            let proposal = Transferring(proposedResponse)
            answers.withLock { $0.append { completionHandler(proposal.value) } }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let copy = task.originalRequest.flatMap { cache.cachedResponse(for: $0) }
            found.record(error == nil && copy != nil)
        }
    }

    @Test("In a completion handler, the cache already has the response")
    func handler() async throws {
        let found = Recorder<Bool>()
        for index in 0..<60 {
            let request = request(index)
            lab.session.dataTask(with: request) { [cache] _, _, _ in
                found.record(cache.cachedResponse(for: request) != nil)
            }.resume()
            if index % 3 == 0 { try await found.wait(for: index + 1) }
        }
        try await found.wait(for: 60)
        #expect(found.values.allSatisfy { $0 })
    }

    @Test("After an await, the cache has the response, and after a validation also the fields of the 304")
    func awaited() async throws {
        for index in 0..<10 {
            var request = request(index)
            _ = try await lab.session.data(for: request)
            #expect(cache.cachedResponse(for: request) != nil)
            request.cachePolicy = .reloadRevalidatingCacheData
            _ = try await lab.session.data(for: request)
            let copy = cache.cachedResponse(for: request)?.response as? HTTPURLResponse
            #expect(copy?.value(forHTTPHeaderField: "X-New") == "new")
        }
    }

    @Test("When a delegate is told of the end, the cache has the response, also on the session's thread")
    func delegate() async throws {
        for isOnLoop in [false, true] {
            let witness = Witness(cache)
            let session = CurlURLSession(
                .testing { $0.urlCache = cache },
                delegate: witness,
                queue: nil,
                options: .init(),
                callsDelegateOnLoop: isOnLoop
            )
            defer { session.finishTasksAndInvalidate() }
            let indices = isOnLoop ? 30..<60 : 0..<30
            for index in indices { session.dataTask(with: request(index)).resume() }
            try await witness.found.wait(for: indices.count)
            #expect(witness.found.values.allSatisfy { $0 })
        }
    }

    @Test("A task does not wait for a delegate that decides late, and its response is stored after the decision")
    func lateDecision() async throws {
        let witness = Witness(cache, answersLater: true)
        let session = lab.makeSession(witness)
        defer { session.finishTasksAndInvalidate() }
        session.dataTask(with: request(1)).resume()
        #expect(try await witness.found.first() == false)
        for answer in witness.answers.withLock({ $0 }) { answer() }
        try await eventually { cache.cachedResponse(for: request(1)) != nil }
    }

    @Test("Tasks end even if their cache is emptied or released meanwhile")
    func emptied() async throws {
        var cache: URLCache? = URLCache(memoryCapacity: 4 << 20, diskCapacity: 0, diskPath: nil)
        let store = PlainStore(try #require(cache))
        for index in 0..<40 {
            store.store(.made(["Etag": "\"\(index)\""]), for: request(index))
            if index % 4 == 0 { store.removeAll() }
            if index == 30 { cache = nil }
        }
        #expect(cache == nil)
    }

    // MARK: What has no copy

    private func source(_ path: String, _ policy: URLRequest.CachePolicy) async throws -> String? {
        try await lab.get(path, policy: policy).source
    }

    @Test("A response that the default policy cannot use has no copy, and serves policies that take any response")
    func uncopied() async throws {
        lab.route("/plain", ["Content-Type": "text/plain"])
        let request = URLRequest(url: lab.server.url("/plain"))
        #expect(try await source("/plain", .useProtocolCachePolicy) == "network")
        #expect(cache.cachedResponse(for: request) == nil)
        #expect(try await source("/plain", .returnCacheDataDontLoad) == "cache")
        #expect(try await source("/plain", .returnCacheDataElseLoad) == "cache")
        #expect(try await source("/plain", .useProtocolCachePolicy) == "network")
    }

    @Test("A response without a copy is not used after the program has emptied its cache")
    func uncopiedAndEmptied() async throws {
        for path in ["/plain", "/other"] { lab.route(path, ["Content-Type": "text/plain"]) }
        for _ in 0..<2 {
            for path in ["/plain", "/other"] { _ = try await source(path, .useProtocolCachePolicy) }
            #expect(try await source("/plain", .returnCacheDataElseLoad) == "cache")
            cache.removeAllCachedResponses()
            #expect(try await source("/plain", .returnCacheDataElseLoad) == "network")
            #expect(try await source("/other", .returnCacheDataElseLoad) == "network")
        }
    }

    @Test("A response without a copy removes the copy of the previous response")
    func replaced() throws {
        let store = PlainStore(cache)
        store.store(.made(["Etag": "\"1\""]), for: request(1))
        let url = CacheEntry.made().url
        let copy = try #require(CacheEntry.copyRequest(for: url))
        #expect(cache.cachedResponse(for: copy) != nil)
        store.store(.made(), for: request(1))
        #expect(cache.cachedResponse(for: copy) == nil)
        let entries = store.lookUp(url, for: .made(policy: .returnCacheDataElseLoad)).entries
        #expect(entries.map(\.fields) == [CacheEntry.made().fields])
    }

    @Test("A validation that changes only dates makes no new copy")
    func validated() throws {
        let store = PlainStore(cache)
        store.store(.made(["Etag": "\"1\"", "Date": "Thu, 01 Jan 2026 00:00:00 GMT"]), for: request(1))
        let copy = try #require(CacheEntry.copyRequest(for: CacheEntry.made().url))
        let first = try #require(cache.cachedResponse(for: copy))
        store.store(.made(["Etag": "\"1\"", "Date": "Thu, 01 Jan 2026 00:00:09 GMT"]), for: request(1))
        #expect(cache.cachedResponse(for: copy) === first)
        store.store(.made(["Etag": "\"1\"", "X-New": "new"]), for: request(1))
        #expect(cache.cachedResponse(for: copy) !== first)
    }

    static let cacheControls = [
        nil, "no-cache", "max-age=0", "max-age=60", "no-cache, max-age=60", "must-revalidate",
        "stale-while-revalidate=60", "stale-if-error=60", "must-revalidate, stale-if-error=60", "max-age=60, immutable",
        "public", "no-cache, stale-while-revalidate=60",
    ]

    @Test("An entry has a copy only if a request with the default policy can use it", arguments: cacheControls)
    func usefulness(cacheControl: String?) {
        let date = "Thu, 01 Jan 2026 00:00:00 GMT"
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        for expires in [nil, "0", date, "Thu, 01 Jan 2026 00:01:00 GMT"] {
            for validator in [nil, "Etag", "Last-Modified"] {
                var fields = ["Date": date]
                fields["Cache-Control"] = cacheControl
                fields["Expires"] = expires
                if let validator { fields[validator] = validator == "Etag" ? "\"1\"" : date }
                let entry = CacheEntry.made(fields, now: now)
                let isUsed = [0, 30, 90].contains { age in
                    let moment = now + TimeInterval(age)
                    if CacheDecision.allowsFallback(to: entry, for: .made(), at: moment) { return true }
                    switch CacheDecision.decide([entry], for: .made(), at: moment) {
                    case .use, .useWhileRevalidating, .revalidate: return true
                    default: return false
                    }
                }
                #expect(entry.isUsefulByDefault == isUsed, "\(fields)")
            }
        }
    }

    @Test("A cache on disk without memory serves the second request")
    func onDisk() async throws {
        let directory = CacheDirectory()
        let lab = try CacheLab(HTTPCache(memoryCapacity: 0, diskCapacity: 20 << 20, directory: directory.url))
        // The folder is read once, before which every look-up waits.
        _ = try await lab.get("/first")
        for index in 0..<60 {
            lab.route(
                "/\(index)",
                ["Cache-Control": "max-age=600", "X-Fill": String(repeating: "x", count: index * 50)]
            )
            _ = try await lab.get("/\(index)")
            #expect(try await lab.get("/\(index)").source == "cache")
        }
    }
}
#endif
