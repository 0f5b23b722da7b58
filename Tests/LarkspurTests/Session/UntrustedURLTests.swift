import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("A session manager for URLs that the program has not chosen", .timeLimit(.minutes(5)))
struct UntrustedURLTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/text", .text("text"))
    }

    #if canImport(FoundationNetworking)
    /// Limits that allow the server.
    private var limits: UntrustedURLLimits { UntrustedURLLimits(allowedAddresses: .all, allowedPorts: nil) }

    private func error(
        _ limits: UntrustedURLLimits,
        _ path: String,
        retrying isRetried: Bool = true
    ) async -> LarkspurError? {
        let manager = SessionManager(forUntrustedURLs: limits, transport: .curl)
        if isRetried { manager.interceptors.call = [.retry()] }
        return await manager.get(server.url(path)).response().error
    }

    @Test("By default, a private address, another port and another scheme are refused, each with its own error")
    func defaults() async throws {
        let manager = SessionManager(forUntrustedURLs: .standard, transport: .curl)
        manager.interceptors.call = [.retry()]
        for (text, code) in [
            ("http://127.0.0.1/", LarkspurError.Code.addressNotAllowed),
            ("https://169.254.169.254/", .addressNotAllowed),
            ("http://example.com:25/", .portNotAllowed), ("file:///etc/passwd", .unsupportedURL),
            ("data:,x", .unsupportedURL), ("ftp://example.com/", .unsupportedURL),
        ] {
            let response = await manager.get(text).response()
            #expect(response.error?.code == code, "\(text)")
        }
        let error = try #require(await manager.get("http://127.1/").response().error)
        #expect(error.message == "The address 127.0.0.1:80 is none to which the session may connect.")
        #expect(server.acceptedConnectionCount == 0)
    }

    @Test("Redirects, content and time have limits, whose errors are not retried")
    func others() async throws {
        server.route("/loop", .redirect(to: "/loop"))
        var limits = limits
        limits.maximumResponseSize = 1000
        #expect(await error(limits, "/loop")?.code == .tooManyRedirects)
        #expect(server.requests(to: "/loop").count == 6)
        #expect(await error(limits, "/bytes/1001")?.code == .contentTooLarge)
        #expect(server.requests(to: "/bytes/1001").count == 1)

        let gate = LoopbackServer.Gate()
        server.route("/slow", .stream([.bytes(Data("a".utf8)), .wait(gate)], framing: .chunked))
        let clock = TestClock()
        let manager = SessionManager(forUntrustedURLs: limits, transport: .curl)
        manager.clock = clock
        async let slow = manager.get(server.url("/slow")).response()
        try await clock.waitForSleeps(1)
        clock.advance(by: .seconds(30))
        #expect(await slow.error?.code == .timedOut)
        gate.open()
    }

    @Test("The limit of content applies to downloads and to streams")
    func content() async throws {
        var limits = limits
        limits.maximumResponseSize = 1000
        let manager = SessionManager(forUntrustedURLs: limits, transport: .curl)
        let download = await manager.download(server.url("/bytes/1001")).response()
        #expect(download.error?.code == .contentTooLarge)
        let error = await #expect(throws: LarkspurError.self) {
            for try await _ in manager.get(server.url("/bytes/1001")).chunks {}
        }
        #expect(error?.code == .contentTooLarge)
    }

    @Test("Nothing is stored, and nothing that other managers have stored is used")
    func stores() async throws {
        server.route("/set", .text("set").adding("Set-Cookie", "a=b").adding("Cache-Control", "max-age=60"))
        let manager = SessionManager(forUntrustedURLs: limits, transport: .curl)
        for _ in 0..<2 { #expect(await manager.get(server.url("/set")).response().error == nil) }
        #expect(server.requests(to: "/set").count == 2)
        #expect(!server.requests.contains { $0.headers["Cookie"] != nil })
        let configuration = manager.configuration
        #expect(configuration.urlCache == nil && configuration.httpCookieStorage == nil)
        #expect(configuration.urlCredentialStorage == nil)
        #expect(configuration.timeoutIntervalForResource == 30)
    }

    @Test("A copy has the same limits")
    func copies() async throws {
        let copy = SessionManager(forUntrustedURLs: .standard, transport: .curl).copy()
        #expect(await copy.get(server.url("/text")).response().error?.code == .portNotAllowed)
        #expect(server.acceptedConnectionCount == 0)
    }

    @Test("A stub needs no limits, so programs can be tested with it")
    func stub() async throws {
        let stub = StubTransport()
        stub.route("http://10.0.0.1/", method: .get, .text("stubbed"))
        let manager = SessionManager(forUntrustedURLs: .standard, transport: stub.transport)
        #expect(try await manager.get("http://10.0.0.1/").string == "stubbed")
    }
    #endif

    @Test("A transport that cannot enforce the limits sends nothing")
    func otherTransports() async throws {
        for transport in [
            Transport.foundation, .custom { URLSession(configuration: $0, delegate: $1, delegateQueue: $2) },
        ] {
            let manager = SessionManager(forUntrustedURLs: .standard, transport: transport)
            #expect(await manager.get(server.url("/text")).response().error?.code == .unsupported)
            #expect(await manager.copy().get(server.url("/text")).response().error?.code == .unsupported)
        }
        #expect(server.acceptedConnectionCount == 0)
    }
}
