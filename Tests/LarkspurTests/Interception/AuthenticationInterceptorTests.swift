import LarkspurTesting
import Synchronization
import Testing

@testable import Larkspur

/// RenewedTokens `token-0`, `token-1` and so on, of which a server accepts one.
struct RenewedTokens: RequestAuthenticator {
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

    func refresh(_ credential: String, after refusal: InterceptedResponse?) async throws -> String {
        try await renew(credential)
    }
}

@Suite("The authentication interceptor", .timeLimit(.minutes(5)))
struct AuthenticationInterceptorTests {
    let server: LoopbackServer
    /// The old credentials of the refreshes.
    let refreshes = Recorder<String>()
    let gate = LoopbackServer.Gate()

    init() throws {
        server = try LoopbackServer()
        server.route("/api") { request in
            request.headers["Authorization"] == "Bearer new" ? .text("welcome") : .text("refused", status: 401)
        }
    }

    /// Refreshes to `new` when the gate is open.
    var tokens: RenewedTokens {
        RenewedTokens { [refreshes, gate] old in
            refreshes.record(old)
            await gate.wait()
            return "new"
        }
    }

    func makeManager(
        _ transport: TestTransport,
        _ interceptor: AuthenticationInterceptor<String>
    ) -> SessionManager {
        let manager = transport.makeManager(for: server)
        manager.interceptors.call = [interceptor]
        return manager
    }

    static let start = Date(timeIntervalSince1970: 1_000_000)

    /// An interceptor with an expired token, for which the time stands still.
    func makeExpired(_ tokens: RenewedTokens) -> AuthenticationInterceptor<String> {
        AuthenticationInterceptor(
            "old",
            authenticator: tokens,
            refreshWindow: .seconds(30),
            urls: [server.baseURL]
        ) { Self.start }
    }

    @Test("Fifty calls with an expired token share one refresh, and are sent again", arguments: TestTransport.allCases)
    func sharedRefresh(_ transport: TestTransport) async throws {
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)
        let manager = makeManager(transport, login)

        let calls = (0..<50).map { _ in Task { await manager.get("api").response(as: StringResponseSerializer()) } }
        try await eventually(50) { login.waiterCount }
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

        let call = Task { await manager.get("late").response(as: StringResponseSerializer()) }
        try await eventually(1) { server.requests.count }
        #expect(try await manager.get("api").string == "welcome")
        late.open()

        #expect(await call.value.value == "welcome")
        #expect(refreshes.values == ["old"])
        #expect(server.requests(to: "/late").map { $0.headers["Authorization"] } == ["Bearer old", "Bearer new"])
    }

    @Test(
        "A failed refresh ends all calls that wait for it, and the next call refreshes again",
        arguments: TestTransport.allCases
    )
    func failure(_ transport: TestTransport) async throws {
        let late = LoopbackServer.Gate()
        server.route("/late", .text("refused", status: 401).held(until: late))
        let tokens = RenewedTokens { [refreshes, gate] old in
            refreshes.record(old)
            await gate.wait()
            guard refreshes.values.count > 1 else { throw RenewedTokens.Failure() }
            return "new"
        }
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)
        let manager = makeManager(transport, login)

        let slow = Task { await manager.get("late").response() }
        try await eventually(1) { server.requests.count }
        let calls = (0..<20).map { _ in Task { await manager.get("api").response() } }
        try await eventually(20) { login.waiterCount }
        gate.open()
        for call in calls {
            let error = await call.value.error
            #expect(error?.code == .credentialRefreshFailed && error?.underlyingError is RenewedTokens.Failure)
            #expect(error?.statusCode == 401 && error?.responseData == Data("refused".utf8))
        }
        late.open()
        #expect(await slow.value.error?.code == .credentialRefreshFailed)
        #expect(refreshes.values.count == 1)

        #expect(try await manager.get("api").string == "welcome")
        #expect(refreshes.values.count == 2)
    }

    @Test("A call that is cancelled during a refresh ends at once, and the refresh continues", arguments: [0, 1])
    func cancellation(_ index: Int) async throws {
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)
        let manager = makeManager(.curl, login)

        // The first call begins the refresh.
        var calls: [Task<DataResponse<String>, Never>] = []
        for count in 1...2 {
            calls.append(Task { await manager.get("api").response(as: StringResponseSerializer()) })
            try await eventually(count) { login.waiterCount }
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
        let tokens = RenewedTokens(expiries: ["old": start + 100, "new": start + 80]) { [refreshes] old in
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
        let tokens = RenewedTokens(expiries: ["old": start + 10]) { _ in throw RenewedTokens.Failure() }
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

    @Test("If the new token is refused too, there is no second refresh")
    func refusedTwice() async throws {
        server.route("/never", .text("refused", status: 401))
        gate.open()
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)

        let response = await makeManager(.curl, login).get("never").response()

        #expect(response.error?.statusCode == 401 && response.error?.code == .unacceptableStatusCode)
        #expect(refreshes.values.count == 1 && server.requests.count == 2)
    }

    @Test("After a refresh, content that cannot be sent again is not sent", arguments: TestTransport.allCases)
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
        let again = await manager.post("api", body: .json(["a": 1])).response()

        #expect(again.statusCode == 200)
        #expect(server.requests.map(\.text) == ["abc", #"{"a":1}"#, #"{"a":1}"#])
        #expect(refreshes.values.count == 1)
    }

    @Test("The token is sent to its origin only, also after redirects", arguments: TestTransport.allCases)
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

    @Test("A refresh gets the response that refused the credential", arguments: TestTransport.allCases)
    func refusal(_ transport: TestTransport) async throws {
        struct Rules: RequestAuthenticator {
            let refusals: Recorder<InterceptedResponse?>

            func apply(_ key: String, to request: inout URLRequest) { request.headers["X-Key"] = key }

            func expirationDate(of key: String) -> Date? { key == "over" ? Date(timeIntervalSince1970: 0) : nil }

            func refresh(_ key: String, after refusal: InterceptedResponse?) async throws -> String {
                refusals.record(refusal)
                return refusal?.httpResponse?.challenges.first?["key"] ?? "old"
            }
        }
        server.route("/keys") { request in
            if request.headers["X-Key"] == "k1" { return .text("welcome") }
            var response = LoopbackServer.Response.text("refused", status: 401)
            response.headers.append("WWW-Authenticate", "Keys key=\"k1\"")
            return response
        }
        let manager = transport.makeManager(for: server)
        let refusals = Recorder<InterceptedResponse?>()
        let rules = Rules(refusals: refusals)
        manager.interceptors.call = [.authentication("over", authenticator: rules, for: server.baseURL)]

        #expect(try await manager.get("keys").string == "welcome")

        // The first refresh follows the expiry, and the second one the response with the status 401.
        #expect(refusals.values.map { $0?.statusCode } == [nil, 401])
        #expect(refusals.values.last??.data == Data("refused".utf8))
        #expect(server.requests.map { $0.headers["X-Key"] } == ["old", "k1"])
    }

    @Test("An application's credential field is sent to its origin only", arguments: TestTransport.allCases)
    func ownField(_ transport: TestTransport) async throws {
        struct Key: RequestAuthenticator {
            func apply(_ key: String, to request: inout URLRequest) {
                request.setValue(key, forHTTPHeaderField: "X-API-Key")
            }
            func refresh(_ key: String, after refusal: InterceptedResponse?) async throws -> String { key }
        }
        let other = try LoopbackServer()
        server.route("/there", .redirect(to: other.url("/get").absoluteString, status: 307))
        server.route("/here", .redirect(to: "/get", status: 307))
        let manager = transport.makeManager(for: server)
        manager.interceptors.call = [.authentication("k3y", authenticator: Key(), for: server.baseURL)]

        #expect(await manager.get("there", headers: ["X-Other": "1"]).response().statusCode == 200)
        #expect(await manager.download("there").response().statusCode == 200)
        #expect(await manager.get("here").response().statusCode == 200)

        // A request that has the field already.
        #expect(await manager.get("there", headers: ["X-API-Key": "k3y"]).response().statusCode == 200)

        #expect(other.requests.map { $0.headers["X-API-Key"] } == [nil, nil, nil])
        #expect(other.requests.first?.headers["X-Other"] == "1")
        #expect(server.requests(to: "/get").map { $0.headers["X-API-Key"] } == ["k3y"])
    }
}
