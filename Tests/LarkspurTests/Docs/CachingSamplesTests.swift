#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import Larkspur

/// Runs the samples of `Docs/Caching.md`.
@Suite("Samples about caching", .timeLimit(.minutes(5)))
struct CachingSamplesTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()
    let samples: CachingSamples

    init() throws {
        server = try LoopbackServer()
        server.route("/x", .json("[1]").adding("Cache-Control", "max-age=60"))
        samples = CachingSamples(folder: folder.url)
    }

    private func load(_ manager: SessionManager, _ request: URLRequest) async throws {
        samples.source(manager, request)
        try await manager.finishAll()
    }

    @Test("The samples cache on disk, set a policy and a hook, and empty the cache")
    func cache() async throws {
        let manager = samples.ownCache()
        let cache = try #require(manager.session.configuration.urlCache as? HTTPCache)
        let request = samples.policy(server.url("/x"))
        for _ in 0..<2 { try await load(manager, request) }
        #expect(cache.currentDiskUsage > 0)
        samples.removal(cache, server.url("/x"))
        #expect(cache.currentDiskUsage == 0)
        try await load(manager, request)
        samples.hook(manager)
        try await load(manager, request)
        #expect(
            samples.output.values == ["from the server", "from the cache", "from the server", "from the cache"]
        )
    }

    @Test func noCache() async throws {
        let manager = samples.noCache()
        for _ in 0..<2 { try await load(manager, samples.policy(server.url("/x"))) }
        #expect(samples.output.values == ["from the server", "from the server"])
    }
}
#endif
