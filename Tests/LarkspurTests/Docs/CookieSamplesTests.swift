#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import Larkspur

/// Runs the samples of `Docs/Cookies.md`.
@Suite("Samples about cookies", .timeLimit(.minutes(5)))
struct CookieSamplesTests {
    let server: LoopbackServer
    let samples = CookieSamples()

    init() throws {
        server = try LoopbackServer()
        server.route("*", .json("[1]").adding("Set-Cookie", "sid=1; Path=/"))
    }

    /// The `Cookie` field of the second of two requests.
    private func cookie(_ first: SessionManager, _ second: SessionManager) async throws -> String? {
        for manager in [first, second] {
            manager.get(server.url("/").absoluteString, success: { _, _ in })
            try await manager.finishAll()
        }
        return server.requests.last?.headers["Cookie"]
    }

    @Test("Managers with jars of their own, or none, do not see one another's cookies")
    func jars() async throws {
        let ephemeral = samples.ephemeral()
        #expect(try await cookie(ephemeral, ephemeral) == "sid=1")
        let own = samples.ownJar()
        #expect(try await cookie(ephemeral, own) == nil)
        #expect(try await cookie(own, own) == "sid=1")
        let none = samples.noJar()
        #expect(try await cookie(none, none) == nil)
        #expect(try await cookie(samples.ownJar(), samples.ownJar()) == nil)
        let host = try #require(server.url("/").host)
        #expect(HTTPCookieStorage.shared.cookies?.contains { $0.domain == host && $0.name == "sid" } != true)
    }

    @Test("Managers with one jar do")
    func sharing() async throws {
        let managers = samples.sharedJar(server.url("/a/"), server.url("/b/"))
        #expect(try await cookie(managers[0], managers[1]) == "sid=1")
        samples.reading(managers[0])
        let jar = try #require(managers[0].session.configuration.httpCookieStorage)
        samples.setting(jar)
        #expect(jar.cookies?.count == 2)
        samples.clearing(jar)
        #expect(jar.cookies?.isEmpty == true)
        samples.setting(jar)
        samples.reset(managers[0])
        try await samples.output.wait(for: 2)
        #expect(samples.output.values == ["sid for 127.0.0.1/", "cookies, credentials and cache are empty"])
        #expect(jar.cookies?.isEmpty == true)
    }
}
#endif
