import LarkspurTesting
import Synchronization
import Testing

@testable import Larkspur

extension AuthenticationInterceptorTests {
    @Test("The request for a new credential does not wait for the calls that need the credential")
    func limited() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        server.route("/token", .text("new"))
        let tokens = RenewedTokens { [server] _ in try await manager.get(server.url("/token").absoluteString).string }
        manager.interceptors.call = [
            .concurrencyLimit(1), .authentication("old", authenticator: tokens, for: server.baseURL),
        ]
        #expect(try await manager.get("api").string == "welcome")
    }

    @Test("Requests without a credential are sent unchanged, and a credential that is set is used at once")
    func setCredential() async throws {
        let login = AuthenticationInterceptor(nil, authenticator: tokens, for: server.baseURL)
        let manager = makeManager(.curl, login)

        #expect(await manager.get("api").response().statusCode == 401)
        #expect(server.requests.last?.headers["Authorization"] == nil && refreshes.values.isEmpty)
        login.credential = "new"
        #expect(try await manager.get("api").string == "welcome")
    }

    @Test("A credential that is set or removed during a refresh stays so", arguments: ["new", nil])
    func setDuringRefresh(_ credential: String?) async throws {
        let tokens = RenewedTokens { [refreshes, gate] old in
            refreshes.record(old)
            await gate.wait()
            throw RenewedTokens.Failure()
        }
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)
        let manager = makeManager(.curl, login)

        let call = Task { await manager.get("api").response() }
        try await eventually(1) { login.waiterCount }
        login.credential = credential
        gate.open()

        #expect(await call.value.statusCode == (credential == nil ? 401 : 200))
        #expect(login.credential == credential && refreshes.values.count == 1)
    }

    @Test("A refresh may use the same session manager", arguments: TestTransport.allCases)
    func sameManager(_ transport: TestTransport) async throws {
        server.route("/token", .text("new"))
        let manager = transport.makeManager(for: server)
        let tokens = RenewedTokens { _ in try await manager.get("token").string }
        manager.interceptors.call = [.authentication("old", authenticator: tokens, for: server.baseURL)]
        defer { manager.interceptors.call = [] }

        #expect(try await manager.get("api").string == "welcome")
        #expect(server.requests(to: "/token").map { $0.headers["Authorization"] } == [nil])
    }

    @Test(
        "A refusal with a Basic challenge leads to a refresh, and without one the refusal is the response",
        arguments: TestTransport.allCases
    )
    func challenge(_ transport: TestTransport) async throws {
        let refusal = LoopbackServer.Response.text("refused", status: 401).adding(
            "WWW-Authenticate",
            "Basic realm=\"r\""
        )
        server.route("/basic") { $0.headers["Authorization"] == "Bearer new" ? .text("welcome") : refusal }
        gate.open()
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)
        let manager = makeManager(transport, login)

        #expect(try await manager.get("basic").string == "welcome")
        login.credential = nil
        #expect(await manager.get("basic").response().statusCode == 401)
        #expect(server.requests.count == 3)
    }

    @Test("The deadline of the call that begins a refresh does not apply to the refresh")
    func deadline() async throws {
        let hasDeadline = Recorder<Bool>()
        let tokens = RenewedTokens { _ in
            hasDeadline.record(Deadline.current != nil)
            return "new"
        }
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)
        let manager = makeManager(.curl, login)

        let text = try await withTimeout(total: .seconds(3600)) { try await manager.get("api").string }

        #expect(text == "welcome" && hasDeadline.values == [false])
    }

    @Test("The interceptor works with a retry policy before or after it", arguments: [true, false])
    func withRetries(_ isOutside: Bool) async throws {
        let busy = Mutex(true)
        server.route("/busy") { request in
            guard request.headers["Authorization"] == "Bearer new" else { return .status(401) }
            return busy.withLock { exchange(&$0, with: false) } ? .status(503) : .text("welcome")
        }
        gate.open()
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)
        let manager = TestTransport.curl.makeManager(for: server)
        let retry = RetryPolicy(baseDelay: .zero)
        manager.interceptors.call = isOutside ? [retry, login] : [login, retry]

        #expect(try await manager.get("busy").string == "welcome")
        #expect(server.requests.count == 3 && refreshes.values.count == 1)
    }
}
