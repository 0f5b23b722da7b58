#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite("Requests that a stored response can serve", .timeLimit(.minutes(5)))
struct CacheIdentityTests {
    @Test("A response is stored for the cookies that were sent, and not for those that it sets")
    func cookiesAsSent() async throws {
        let lab = try CacheLab()
        lab.server.route("/x") { request in
            .text(request.headers["Cookie"] ?? "none").adding("Set-Cookie", "visited=yes; Path=/")
                .adding("Cache-Control", "max-age=600").adding("Vary", "Cookie")
        }
        #expect(try await lab.get("/x").text == "none")
        let second = try await lab.get("/x")
        #expect(second.source == "network")
        #expect(second.text == "visited=yes")
        #expect(try await lab.get("/x").source == "cache")
    }

    @Test("Content is stored decoded, and requests with different Accept-Encoding fields have separate entries")
    func codings() async throws {
        let lab = try CacheLab()
        let text = String(repeating: "content ", count: 100)
        // Without a Vary field, which such a server owes.
        lab.server.route("/x", .text(text).encoded(as: .gzip).adding("Cache-Control", "max-age=600"))
        // What the engine itself would say.
        let own = ["Accept-Encoding": try #require(ContentDecoder.acceptEncoding)]
        for source in ["network", "cache"] {
            let decoded = try await lab.get("/x")
            #expect(decoded.text == text)
            #expect(decoded.source == source)
            let coded = try await lab.get("/x", own)
            #expect(coded.text == text)
            #expect(coded.source == source)
        }
        #expect(lab.requestCount("/x") == 2)
    }

    @Test("After a 304 with a Vary field, requests with different values of its fields have separate entries")
    func varyLater() async throws {
        let lab = try CacheLab()
        lab.route(
            "/x",
            ["Cache-Control": "max-age=0", "ETag": "\"a\""],
            notModified: ["Cache-Control": "max-age=600", "ETag": "\"a\"", "Vary": "X-A"]
        )
        _ = try await lab.get("/x", ["X-A": "1"])
        #expect(try await lab.get("/x", ["X-A": "1"]).source == "validated")
        #expect(try await lab.get("/x", ["X-A": "1"]).source == "cache")
        #expect(try await lab.get("/x", ["X-A": "2"]).source == "network")
    }

    @Test("A 304 that forbids storing removes the stored response", arguments: ["Vary", "Cache-Control"])
    func keptNoLonger(name: String) async throws {
        let lab = try CacheLab()
        lab.route(
            "/x",
            ["Cache-Control": "max-age=0", "ETag": "\"a\""],
            notModified: [name: name == "Vary" ? "*" : "no-store", "ETag": "\"a\""]
        )
        _ = try await lab.get("/x")
        let validated = try await lab.get("/x")
        #expect(validated.source == "validated")
        #expect(validated.text == "1")
        #expect(try await lab.get("/x", policy: .returnCacheDataDontLoad).outcome.code == .resourceUnavailable)
    }

    @Test(
        "A HEAD response that forbids storing removes the stored response",
        arguments: [["Vary": "*"], ["Cache-Control": "no-store"], [:]]
    )
    func headRemoves(fields: [String: String]) async throws {
        let lab = try CacheLab()
        // Without fields, the status has changed.
        let status = fields.isEmpty ? 404 : 200
        lab.server.route("/x") { request in
            var response = LoopbackServer.Response.text("1", status: request.method == "HEAD" ? 200 : status)
            for (name, value) in request.method == "HEAD" ? fields : ["Cache-Control": "max-age=0"] {
                response.headers.append(name, value)
            }
            return response.adding("ETag", "\"a\"")
        }
        _ = try await lab.get("/x")
        #expect(try await lab.get("/x", policy: .returnCacheDataDontLoad).text == "1")
        #expect(try await lab.get("/x", method: "HEAD").source == "network")
        #expect(try await lab.get("/x", policy: .returnCacheDataDontLoad).outcome.code == .resourceUnavailable)
    }

    @Test("A response that exceeds the size limit removes the stored response that it replaces")
    func tooLarge() async throws {
        let lab = try CacheLab(HTTPCache(memoryCapacity: 20_000))
        lab.server.route(
            "/x",
            .text("small").adding("Cache-Control", "max-age=600"),
            .chunked([Data(count: 1001)]).adding("Cache-Control", "max-age=600"),
            .text("new")
        )
        #expect(try await lab.get("/x").text == "small")
        #expect(try await lab.get("/x", policy: .reloadIgnoringLocalCacheData).outcome.data?.count == 1001)
        #expect(try await lab.get("/x").text == "new")
    }

    @Test("A change through an equivalent URL removes the stored response", arguments: ["/x", "/x?q"])
    func equivalentURLs(path: String) async throws {
        let lab = try CacheLab()
        lab.server.route("/x", method: "GET", .text("content").adding("Cache-Control", "max-age=600"))
        lab.server.route("/x", method: "PUT", .status(204))
        _ = try await lab.get(path)
        let whole = lab.server.url(path).absoluteString
        let same = whole.replacingOccurrences(of: "http://", with: "HTTP://")
        #expect(same != whole)
        _ = try await lab.send(URLRequest(try #require(URL(string: same)), "PUT"))
        #expect(try await lab.get(path).source == "network")
    }

    @Test("A server on a Unix socket can remove stored responses of its own, but not those of another socket")
    func sockets() async throws {
        let folder = CacheDirectory()
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let paths = ["a", "b"].map { folder.file($0).path }
        let servers = try paths.map { try LoopbackServer(unixSocket: $0) }
        defer { for server in servers { server.stop() } }
        func url(_ number: Int, _ resource: String) throws -> URL {
            try #require(URL(unixSocket: paths[number], resource: resource))
        }
        for server in servers {
            server.route("/x", .text("content").adding("Cache-Control", "max-age=600"))
        }
        let others = try url(1, "/x").absoluteString
        servers[0].route(
            "/change",
            .status(201).adding("Location", others).adding("Content-Location", "/x")
        )
        let session = CurlURLSession(configuration: .testing { $0.urlCache = HTTPCache() })
        defer { session.invalidateAndCancel() }
        for number in 0...1 { _ = try await session.outcome(of: url(number, "/x")) }
        let ends = Recorder<Int?>()
        session.dataTask(with: URLRequest(try url(0, "/change"), "POST")) { _, response, _ in
            ends.record((response as? HTTPURLResponse)?.statusCode)
        }.resume()
        #expect(try await ends.first() == 201)
        for number in 0...1 { _ = try await session.outcome(of: url(number, "/x")) }
        #expect(servers.map { $0.requests(to: "/x").count } == [2, 1])
    }
}
#endif
