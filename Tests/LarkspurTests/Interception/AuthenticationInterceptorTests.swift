import LarkspurTesting
import Synchronization
import Testing

@testable import Larkspur

/// Tokens `token-0`, `token-1` and so on, of which a server accepts one.
private struct Tokens: RequestAuthenticator {
    struct Failure: Error {}

    let expiries: [String: Date]
    let renew: @Sendable (String) async throws -> String

    init(expiries: [String: Date] = [:], renew: @escaping @Sendable (String) async throws -> String) {
        self.expiries = expiries
        self.renew = renew
    }

    func apply(_ credential: String, to request: inout URLRequest) {
        request.setValue("Bearer \(credential)", forHTTPHeaderField: "Authorization")
    }

    func expirationDate(of credential: String) -> Date? { expiries[credential] }

    func refresh(_ credential: String) async throws -> String { try await renew(credential) }
}

@Suite("The authentication interceptor", .timeLimit(.minutes(5)))
struct AuthenticationInterceptorTests {
    let server: LoopbackServer
    /// The old credentials of the refreshes.
    private let refreshes = Recorder<String>()
    private let gate = LoopbackServer.Gate()

    init() throws {
        server = try LoopbackServer()
        server.route("/api") { request in
            request.headers["Authorization"] == "Bearer new" ? .text("welcome") : .text("refused", status: 401)
        }
    }

    /// Refreshes to `new` when the gate is open.
    private var tokens: Tokens {
        Tokens { [refreshes, gate] old in
            refreshes.record(old)
            await gate.wait()
            return "new"
        }
    }

    private func makeManager(
        _ transport: TestTransport,
        _ interceptor: AuthenticationInterceptor<String>
    ) -> SessionManager {
        let manager = transport.makeManager(for: server)
        manager.interceptors.call = [interceptor]
        return manager
    }

    @Test("Fifty calls with an expired token share one refresh, and are sent again", arguments: TestTransport.allCases)
    func sharedRefresh(_ transport: TestTransport) async throws {
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)
        let manager = makeManager(transport, login)

        let calls = (0..<50).map { _ in Task { await manager.get("api").response(StringResponseSerializer()) } }
        try await eventually { login.waiterCount == 50 }
        gate.open()

        for call in calls { #expect(await call.value.value == "welcome") }
        #expect(refreshes.values == ["old"])
        #expect(server.requests.count == 100 && login.credential == "new")
    }

    @Test("A call that was sent with the old token is sent again without another refresh")
    func late() async throws {
        let late = LoopbackServer.Gate()
        server.route("/late", .text("refused", status: 401).held(until: late), .text("welcome"))
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)
        let manager = makeManager(.curl, login)
        gate.open()

        let call = Task { await manager.get("late").response(StringResponseSerializer()) }
        try await eventually { server.requests.count == 1 }
        #expect(try await manager.get("api").string == "welcome")
        late.open()

        #expect(await call.value.value == "welcome")
        #expect(refreshes.values == ["old"])
        #expect(server.requests(to: "/late").map { $0.headers["Authorization"] } == ["Bearer old", "Bearer new"])
    }

    @Test(
        "A refresh that fails ends all its calls, and the next call refreshes again",
        arguments: TestTransport.allCases
    )
    func failure(_ transport: TestTransport) async throws {
        let late = LoopbackServer.Gate()
        server.route("/late", .text("refused", status: 401).held(until: late))
        let tokens = Tokens { [refreshes, gate] old in
            refreshes.record(old)
            await gate.wait()
            guard refreshes.values.count > 1 else { throw Tokens.Failure() }
            return "new"
        }
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)
        let manager = makeManager(transport, login)

        let slow = Task { await manager.get("late").response() }
        try await eventually { server.requests.count == 1 }
        let calls = (0..<20).map { _ in Task { await manager.get("api").response() } }
        try await eventually { login.waiterCount == 20 }
        gate.open()
        for call in calls {
            let error = await call.value.error
            #expect(error?.code == .credentialRefreshFailed && error?.underlyingError is Tokens.Failure)
            #expect(error?.statusCode == 401 && error?.responseData == Data("refused".utf8))
        }
        late.open()
        #expect(await slow.value.error?.code == .credentialRefreshFailed)
        #expect(refreshes.values.count == 1)

        #expect(try await manager.get("api").string == "welcome")
        #expect(refreshes.values.count == 2)
    }

    @Test("A call that is cancelled while it waits ends at once, and the refresh goes on", arguments: [0, 1])
    func cancellation(_ index: Int) async throws {
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)
        let manager = makeManager(.curl, login)

        // The first call begins the refresh.
        var calls: [Task<DataResponse<String>, Never>] = []
        for count in 1...2 {
            calls.append(Task { await manager.get("api").response(StringResponseSerializer()) })
            try await eventually { login.waiterCount == count }
        }
        calls[index].cancel()
        #expect(await calls[index].value.error?.code == .cancelled)
        #expect(login.waiterCount == 1)
        gate.open()

        #expect(await calls[1 - index].value.value == "welcome")
        #expect(refreshes.values.count == 1)
    }

    @Test("A token is refreshed within the window before its expiry, and not earlier")
    func expiry() async throws {
        let start = Date(timeIntervalSince1970: 1_000_000)
        let now = Mutex(start)
        let tokens = Tokens(expiries: ["old": start + 100, "new": start + 80]) { [refreshes] old in
            refreshes.record(old)
            return "new"
        }
        server.route("/any", .text("welcome"))
        let login = AuthenticationInterceptor(
            "old",
            authenticator: tokens,
            refreshWindow: .seconds(30),
            urls: [server.baseURL]
        ) { now.withLock { $0 } }
        let manager = makeManager(.curl, login)
        func call(at seconds: TimeInterval) async throws -> String? {
            now.withLock { $0 = start + seconds }
            _ = try await manager.get("any").data
            return server.requests.last?.headers["Authorization"]
        }

        #expect(try await call(at: 69) == "Bearer old")
        #expect(try await call(at: 70) == "Bearer new")
        #expect(refreshes.values == ["old"])
        // The new token lives for ten seconds, so that the window is five.
        #expect(try await call(at: 74) == "Bearer new" && refreshes.values.count == 1)
        #expect(try await call(at: 75) == "Bearer new" && refreshes.values.count == 2)
        #expect(server.requests.count == 4)
    }

    @Test("If a refresh before the expiry fails, the token is used until it expires")
    func earlyFailure() async throws {
        let start = Date(timeIntervalSince1970: 1_000_000)
        let now = Mutex(start)
        let tokens = Tokens(expiries: ["old": start + 10]) { _ in throw Tokens.Failure() }
        server.route("/any", .text("welcome"))
        let login = AuthenticationInterceptor(
            "old",
            authenticator: tokens,
            refreshWindow: .seconds(30),
            urls: [server.baseURL]
        ) { now.withLock { $0 } }
        let manager = makeManager(.curl, login)

        #expect(try await manager.get("any").string == "welcome")
        now.withLock { $0 = start + 10 }
        #expect(await manager.get("any").response().error?.code == .credentialRefreshFailed)
        #expect(server.requests.count == 1)
    }

    @Test("A new token that is refused too is not refreshed again")
    func refusedTwice() async throws {
        server.route("/never", .text("refused", status: 401))
        gate.open()
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)

        let response = await makeManager(.curl, login).get("never").response()

        #expect(response.error?.statusCode == 401 && response.error?.code == .unacceptableStatusCode)
        #expect(refreshes.values.count == 1 && server.requests.count == 2)
    }

    @Test("Content that cannot be sent again is not", arguments: TestTransport.allCases)
    func content(_ transport: TestTransport) async throws {
        gate.open()
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)
        let manager = makeManager(transport, login)
        var request = URLRequest(url: server.url("/api"))
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: Data("abc".utf8))
        let statuses = Recorder<Int?>()

        manager.dataTask(with: request) { statuses.record($0.statusCode) }.resume()
        #expect(try await statuses.first() == 401)
        let again = await manager.post("api", body: ["a": 1]).response()

        #expect(again.statusCode == 200)
        #expect(server.requests.map(\.text) == ["abc", #"{"a":1}"#, #"{"a":1}"#])
        #expect(refreshes.values.count == 1)
    }

    @Test("The token goes to its origin alone, also after redirects", arguments: TestTransport.allCases)
    func origins(_ transport: TestTransport) async throws {
        let other = try LoopbackServer()
        other.route("/x", .text("other", status: 401))
        server.route("/there", .redirect(to: other.url("/x").absoluteString, status: 307))
        server.route("/here", .redirect(to: "/api", status: 307))
        gate.open()
        let login = AuthenticationInterceptor("new", authenticator: tokens, for: server.baseURL)
        let manager = makeManager(transport, login)

        let direct = await manager.get(other.url("/x").absoluteString).response()
        let redirected = await manager.get("there").response()
        let within = await manager.get("here").response()

        #expect(direct.statusCode == 401 && redirected.statusCode == 401 && within.statusCode == 200)
        #expect(server.requests(to: "/there").map { $0.headers["Authorization"] } == ["Bearer new"])
        #expect(other.requests.count == 2 && other.requests.allSatisfy { $0.headers["Authorization"] == nil })
        #expect(refreshes.values.isEmpty)
    }

    @Test("Without a credential requests are sent as they are; one that is set is used at once")
    func setCredential() async throws {
        let login = AuthenticationInterceptor(nil, authenticator: tokens, for: server.baseURL)
        let manager = makeManager(.curl, login)

        #expect(await manager.get("api").response().statusCode == 401)
        #expect(server.requests.last?.headers["Authorization"] == nil && refreshes.values.isEmpty)
        login.credential = "new"
        #expect(try await manager.get("api").string == "welcome")
    }

    @Test("A credential that is set during a refresh stays, and so does a logout", arguments: ["new", nil])
    func setDuringRefresh(_ credential: String?) async throws {
        let tokens = Tokens { [refreshes, gate] old in
            refreshes.record(old)
            await gate.wait()
            throw Tokens.Failure()
        }
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)
        let manager = makeManager(.curl, login)

        let call = Task { await manager.get("api").response() }
        try await eventually { login.waiterCount == 1 }
        login.credential = credential
        gate.open()

        #expect(await call.value.statusCode == (credential == nil ? 401 : 200))
        #expect(login.credential == credential && refreshes.values.count == 1)
    }

    @Test("A refresh may use the same session manager", arguments: TestTransport.allCases)
    func sameManager(_ transport: TestTransport) async throws {
        server.route("/token", .text("new"))
        let manager = transport.makeManager(for: server)
        let tokens = Tokens { _ in try await manager.get("token").string }
        manager.interceptors.call = [.authentication("old", authenticator: tokens, for: server.baseURL)]
        defer { manager.interceptors.call = [] }

        #expect(try await manager.get("api").string == "welcome")
        #expect(server.requests(to: "/token").map { $0.headers["Authorization"] } == [nil])
    }

    @Test(
        "A refusal with a Basic challenge is refreshed too, and is the response otherwise",
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

    @Test("The deadline of the call that begins a refresh is not that of the refresh")
    func deadline() async throws {
        let hasDeadline = Recorder<Bool>()
        let tokens = Tokens { _ in
            hasDeadline.record(Deadline.current != nil)
            return "new"
        }
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)
        let manager = makeManager(.curl, login)

        let text = try await withDeadline(.seconds(3600)) { try await manager.get("api").string }

        #expect(text == "welcome" && hasDeadline.values == [false])
    }

    @Test("A policy outside and one inside both work with it", arguments: [true, false])
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
