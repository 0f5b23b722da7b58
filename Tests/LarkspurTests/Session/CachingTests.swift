#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Session managers with a cache", .timeLimit(.minutes(5)))
struct CachingTests {
    let server: LoopbackServer
    let manager: SessionManager

    init() throws {
        server = try LoopbackServer()
        server.route("/x", .json("[1]").adding("Cache-Control", "max-age=60"), .json("[2]"))
        let configuration = URLSessionConfiguration.testing
        configuration.urlCache = HTTPCache()
        manager = SessionManager(baseURL: server.baseURL, configuration: configuration, transport: .curl)
    }

    private func load(policy: URLRequest.CachePolicy = .useProtocolCachePolicy) async throws -> DataResponse<Data> {
        var request = URLRequest(url: server.url("/x"))
        request.cachePolicy = policy
        let responses = Recorder<DataResponse<Data>>()
        manager.dataTask(with: request, as: .data) { responses.record($0) }.resume()
        return try await responses.first()
    }

    @Test("A response tells whether it came from the cache, and is otherwise the same")
    func timeline() async throws {
        let first = try await load()
        let second = try await load()
        #expect([first, second].map(\.timeline.isFromCache) == [false, true])
        #expect([first, second].map(\.data) == [Data("[1]".utf8), Data("[1]".utf8)])
        #expect([first, second].map(\.statusCode) == [200, 200])
        #expect(second.timeline.transactions.map(\.source) == [.cache])
        #expect(server.requests(to: "/x").count == 1)
    }

    @Test("A transaction tells which part the cache had, and the reason")
    func cacheUse() async throws {
        let validated = LoopbackServer.Response.json("[1]").adding("Cache-Control", "max-age=0").adding("ETag", "\"1\"")
        server.route("/validated", validated, .status(304, headers: ["ETag": "\"1\""]), .json("[2]"))
        server.route("/plain", .json("[1]").adding("Cache-Control", "max-age=0"), .json("[2]"))
        let fallible = validated.adding("Cache-Control", "stale-if-error=100")
        server.route("/fallible", fallible, .status(503))
        func use(_ path: String, _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy) async -> [String] {
            var request = URLRequest(url: server.url(path))
            request.cachePolicy = policy
            let responses = Recorder<DataResponse<Data>>()
            manager.dataTask(with: request, as: .data) { responses.record($0) }.resume()
            let transactions = (try? await responses.first())?.timeline.transactions ?? []
            return transactions.map { $0.cacheUse.map { "\($0)" } ?? "none" }
        }
        #expect(await use("/x") == ["absent"])
        #expect(await use("/x") == ["fresh"])
        #expect(await use("/x", .reloadIgnoringLocalCacheData) == ["bypassed"])
        #expect(await use("/validated") == ["absent"])
        #expect(await use("/validated") == ["validated"])
        #expect(await use("/validated", .returnCacheDataElseLoad) == ["stale"])
        #expect(await use("/validated") == ["replaced"])
        #expect(await use("/plain") == ["absent"])
        #expect(await use("/plain") == ["unverifiable"])
        #expect(await use("/fallible") == ["absent"])
        #expect(await use("/fallible").last == "fallback")
        let post = await manager.post("x").response()
        #expect(post.timeline.transactions.map(\.cacheUse) == [nil])
    }

    @Test("The cache policy of the serializer applies")
    func policy() async throws {
        manager.requestSettings.cachePolicy = .returnCacheDataDontLoad
        let call = try await manager.call(.get, "x")
        #expect(call.error != nil)
        #expect(server.requests.isEmpty)
        manager.requestSettings.cachePolicy = .reloadIgnoringLocalCacheData
        for _ in 0..<2 { _ = try await manager.call(.get, "x") }
        #expect(server.requests(to: "/x").count == 2)
    }

    @Test("The hook on the hook queue decides what is stored, before the task completes")
    func hook() async throws {
        let calls = Recorder<String>()
        manager.hooks.willCacheResponse = { task, proposed in
            calls.record("\(task.originalRequest?.url?.path ?? "") \(proposed.data.count)")
            return nil
        }
        manager.hooks.didComplete = { _, _ in calls.record("completed") }
        #expect(try await load().timeline.isFromCache == false)
        #expect(try await calls.wait(for: 2) == ["/x 3", "completed"])
        #expect(try await load().data == Data("[2]".utf8))
    }

    @Test("A response that the hook returns is stored in place of the original")
    func changingHook() async throws {
        let calls = Recorder<Int>()
        manager.hooks.willCacheResponse = { _, proposed in
            defer { calls.record(1) }
            return CachedURLResponse(response: proposed.response, data: Data("[3]".utf8))
        }
        _ = try await load()
        try await calls.wait()
        var response = try await load(policy: .returnCacheDataDontLoad)
        // The answer is on its way.
        while response.error != nil { response = try await load(policy: .returnCacheDataDontLoad) }
        #expect(response.data == Data("[3]".utf8))
    }

    enum Decision: CaseIterable, Sendable {
        case keep, refuse, change
    }

    @Test(
        "A call's hook decides about storing its response, in place of the manager's hook",
        arguments: Decision.allCases,
        [true, false]
    )
    func decisions(_ decision: Decision, _ isOfCall: Bool) async throws {
        let cache = try #require(manager.session.configuration.urlCache)
        let decided = Recorder<Void>()
        let decide: @Sendable (DataTask, CachedURLResponse) -> CachedURLResponse? = { _, proposed in
            defer { decided.record(()) }
            switch decision {
            case .keep: return proposed
            case .refuse: return nil
            case .change:
                return CachedURLResponse(
                    response: proposed.response,
                    data: Data("[3]".utf8),
                    userInfo: ["key": "value"],
                    storagePolicy: .allowed
                )
            }
        }
        let request = URLRequest(url: server.url("/x"))
        var call = manager.dataTask(with: request)
        if isOfCall {
            manager.hooks.willCacheResponse = { _, proposed in decision == .refuse ? proposed : nil }
            call = call.cacheResponse(using: decide)
        } else {
            manager.hooks.willCacheResponse = decide
        }

        #expect(await call.response().data == Data("[1]".utf8))
        try await decided.wait()

        if decision == .refuse {
            #expect(try await load().data == Data("[2]".utf8))
            return
        }
        // The answer is on its way.
        try await eventually { cache.cachedResponse(for: request) != nil }
        let stored = cache.cachedResponse(for: request)
        #expect(stored?.data == Data((decision == .keep ? "[1]" : "[3]").utf8))
        #expect(stored?.userInfo?["key"] as? String == (decision == .keep ? nil : "value"))
    }

    // MARK: Refreshes

    /// A session manager, and a route whose stale response is refreshed.
    private func makeRefreshing(_ transport: TestTransport) -> SessionManager {
        let stale = LoopbackServer.Response.text("old")
            .adding("Cache-Control", "max-age=600, stale-while-revalidate=600").adding("Age", "1000")
        let fresh = ["new", "newest"].map { LoopbackServer.Response.text($0).adding("Cache-Control", "max-age=600") }
        server.route("/s", stale, fresh[0], fresh[1])
        let configuration = URLSessionConfiguration.testing
        configuration.urlCache = HTTPCache()
        return transport.makeManager(for: server, configuration: configuration)
    }

    /// Waits until the cache has a response for the path.
    private func waitForEntry(_ manager: SessionManager) async throws {
        let cache = try #require(manager.session.configuration.urlCache)
        let request = URLRequest(url: server.url("/s"))
        try await eventually { cache.cachedResponse(for: request) != nil }
    }

    @Test(
        "While a stored response is refreshed, each change is fetched once",
        arguments: [TestTransport.curl, .delegate]
    )
    func refresh(_ transport: TestTransport) async throws {
        let manager = makeRefreshing(transport)
        #expect(try await manager.get("s").string == "old")
        try await waitForEntry(manager)
        #expect(try await manager.get("s").string == "old")
        var text = "old"
        while text == "old" { text = try await manager.get("s").string }
        #expect(text == "new")
        #expect(try await manager.get("s").string == "new")
        #expect(server.requests(to: "/s").count == 2)
    }

    @Test(
        "The hook decides about the response of a refresh, which is not stored if the hook cannot be called",
        arguments: [TestTransport.curl, .delegate],
        [true, false]
    )
    func refreshWithHook(_ transport: TestTransport, isOfCall: Bool) async throws {
        let manager = makeRefreshing(transport)
        let asked = Recorder<String>()
        var hooks = SessionHooks()
        hooks.willCacheResponse = { task, proposed in
            let text = String(decoding: proposed.data, as: UTF8.self)
            asked.record("\(task.originalRequest?.url?.path ?? "") \(text)")
            return text == "new" ? nil : proposed
        }
        var options = CallOptions()
        if isOfCall { options.hooks = hooks } else { manager.hooks = hooks }
        #expect(try await manager.get("s", options: options).string == "old")
        try await waitForEntry(manager)
        var text = "old"
        while text == "old" { text = try await manager.get("s", options: options).string }
        #expect(text == "newest")
        #expect(server.requests(to: "/s").count == 3)
        #expect(asked.values.contains("/s new") == (transport == .curl))
    }
}
#endif
