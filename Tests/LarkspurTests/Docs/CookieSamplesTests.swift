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

    @Test("Managers with separate jars, or none, do not share cookies")
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

    @Test("Managers with the same jar share cookies")
    func sharing() async throws {
        let jar = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let managers = [server.url("/a/"), server.url("/b/")].map { baseURL in
            let configuration = URLSessionConfiguration.default
            configuration.httpCookieStorage = jar
            return SessionManager(baseURL: baseURL, configuration: configuration)
        }
        #expect(try await cookie(managers[0], managers[1]) == "sid=1")
        samples.reading(managers[0])
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

    @Test("A policy prevents cookies from being stored, and the defaults are those of the page")
    func policy() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieAcceptPolicy = .never
        let manager = SessionManager(configuration: configuration)
        #expect(try await cookie(manager, manager) == nil)
        #expect(URLSessionConfiguration.default.httpCookieAcceptPolicy == .onlyFromMainDocumentDomain)
        #expect(URLSessionConfiguration.ephemeral.httpCookieStorage?.cookieAcceptPolicy == .always)
    }

    @Test("A Cookie field of the request replaces the jar's cookies, and is not sent to another origin")
    func byHand() async throws {
        let other = try LoopbackServer()
        other.route("*", .text("there"))
        let manager = SessionManager(baseURL: server.baseURL, configuration: .ephemeral)
        server.route("/account", .text("here").adding("Set-Cookie", "sid=2; Path=/"))
        try await samples.byHand(manager)
        #expect(server.requests.last?.headers["Cookie"] == "sid=31d4; theme=dark")
        let host = try #require(server.url("/").host)
        #expect(manager.session.configuration.httpCookieStorage?.cookies?.map(\.domain) == [host])

        server.route("/account", .redirect(to: other.url("/").absoluteString))
        try await samples.byHand(manager)
        #expect(samples.output.values == ["here", "there"])
        #expect(other.requests.last?.headers["Cookie"]?.contains("31d4") != true)
    }

    @Test("A jar with an identifier is a separate jar")
    func jarWithFile() {
        let jar = samples.jarWithFile().session.configuration.httpCookieStorage
        #expect(jar != nil && jar !== HTTPCookieStorage.shared)
        #expect(jar?.cookies?.isEmpty == true)
    }

    @Test("Cookies that were saved to a file and read again are sent")
    func cookieFile() async throws {
        let folder = TemporaryFolder()
        let file = folder.url.appendingPathComponent("cookies.txt")
        server.route(
            "/login",
            .text("in").adding("Set-Cookie", "sid=1; Path=/").adding("Set-Cookie", "t=2; Max-Age=900")
        )
        for _ in 0..<2 {
            let (cookies, manager) = try samples.cookieFile(file)
            _ = try await manager.get(server.url("/login").absoluteString).string
            try await samples.saving(cookies)
        }
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(server.requests.first?.headers["Cookie"] == nil)
        #expect(server.requests.last?.headers["Cookie"]?.split(separator: "; ").sorted() == ["sid=1", "t=2"])
    }
}
#endif
