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

    func refresh(_ credential: String, after refusal: InterceptedResponse?) async throws -> String {
        try await renew(credential)
    }
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

    private static let start = Date(timeIntervalSince1970: 1_000_000)

    /// An interceptor with an expired token, for which the time stands still.
    private func makeExpired(_ tokens: Tokens) -> AuthenticationInterceptor<String> {
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
        let tokens = Tokens { [refreshes, gate] old in
            refreshes.record(old)
            await gate.wait()
            guard refreshes.values.count > 1 else { throw Tokens.Failure() }
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
            #expect(error?.code == .credentialRefreshFailed && error?.underlyingError is Tokens.Failure)
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

    @Test("The request for a new credential does not wait for the calls that need the credential")
    func limited() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        server.route("/token", .text("new"))
        let tokens = Tokens { [server] _ in try await manager.get(server.url("/token").absoluteString).string }
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
        let tokens = Tokens { [refreshes, gate] old in
            refreshes.record(old)
            await gate.wait()
            throw Tokens.Failure()
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
        let tokens = Tokens { _ in try await manager.get("token").string }
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
        let tokens = Tokens { _ in
            hasDeadline.record(Deadline.current != nil)
            return "new"
        }
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)
        let manager = makeManager(.curl, login)

        let text = try await withDeadline(.seconds(3600)) { try await manager.get("api").string }

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

    @Test("Calls with an expired token wait for one refresh before they are sent", arguments: [true, false])
    func expiredTogether(_ succeeds: Bool) async throws {
        let tokens = Tokens(expiries: ["old": Self.start]) { [refreshes, gate] old in
            refreshes.record(old)
            await gate.wait()
            guard succeeds else { throw Tokens.Failure() }
            return "new"
        }
        let login = makeExpired(tokens)
        let manager = makeManager(.curl, login)

        let calls = (0..<6).map { _ in Task { await manager.get("api").response() } }
        try await eventually(6) { login.waiterCount }
        #expect(server.requests.isEmpty)
        gate.open()

        for call in calls {
            let response = await call.value
            #expect(response.statusCode == (succeeds ? 200 : nil))
            #expect(response.error?.code == (succeeds ? nil : .credentialRefreshFailed))
            #expect(succeeds || response.error?.underlyingError is Tokens.Failure)
        }
        #expect(refreshes.values == ["old"] && server.requests.count == (succeeds ? 6 : 0))
    }

    @Test("A new token that is already expired is used without another refresh before the request")
    func expiredAlready() async throws {
        let tokens = Tokens(expiries: ["old": Self.start, "new": Self.start]) { [refreshes, gate] old in
            refreshes.record(old)
            await gate.wait()
            return "new"
        }
        let login = makeExpired(tokens)
        let manager = makeManager(.curl, login)

        let calls = (0..<3).map { _ in Task { await manager.get("api").response() } }
        try await eventually(3) { login.waiterCount }
        gate.open()

        for call in calls { #expect(await call.value.statusCode == 200) }
        #expect(refreshes.values == ["old"] && server.requests.count == 3)
    }

    @Test("A token that was refreshed before the request and is refused is refreshed once more")
    func refusedAfterExpiry() async throws {
        let tokens = Tokens(expiries: ["old": Self.start]) { [refreshes] old in
            refreshes.record(old)
            return old == "old" ? "other" : "new"
        }

        #expect(try await makeManager(.curl, makeExpired(tokens)).get("api").string == "welcome")
        #expect(refreshes.values == ["old", "other"])
        #expect(server.requests.map { $0.headers["Authorization"] } == ["Bearer other", "Bearer new"])
    }

    @Test("A failure other than a refusal leads to no refresh", arguments: [500, 403, nil])
    func otherFailures(_ status: Int?) async throws {
        let reply = status.map { LoopbackServer.Response.status($0) } ?? .fault(.closeBeforeHeader)
        server.route("/broken", reply)
        gate.open()
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)

        let response = await makeManager(.curl, login).get("broken").response()

        #expect(response.statusCode == status && refreshes.values.isEmpty)
        #expect(response.error?.code == (status == nil ? .connectionLost : .unacceptableStatusCode))
        #expect(server.requests.first?.headers["Authorization"] == "Bearer old")
    }

    @Test("A credential that is set before the refusal arrives is used without a refresh", arguments: ["new", nil])
    func setBeforeRefusal(_ credential: String?) async throws {
        let late = LoopbackServer.Gate()
        server.route("/late", .text("refused", status: 401).held(until: late), .text("welcome"))
        gate.open()
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)
        let manager = makeManager(.curl, login)

        let call = Task { await manager.get("late").response() }
        try await eventually(1) { server.requests.count }
        login.credential = credential
        late.open()

        #expect(await call.value.statusCode == (credential == nil ? 401 : 200))
        #expect(refreshes.values.isEmpty && login.credential == credential)
        #expect(server.requests.count == (credential == nil ? 1 : 2))
        #expect(server.requests.last?.headers["Authorization"] == "Bearer \(credential ?? "old")")
    }

    @Test("A request that begins during the refresh after a refusal is sent with the old token at once")
    func meanwhile() async throws {
        server.route("/any", .text("welcome"))
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)
        let manager = makeManager(.curl, login)

        let call = Task { await manager.get("api").response() }
        try await eventually(1) { login.waiterCount }
        #expect(try await manager.get("any").string == "welcome")
        #expect(server.requests(to: "/any").first?.headers["Authorization"] == "Bearer old")
        gate.open()

        #expect(await call.value.statusCode == 200)
        #expect(refreshes.values == ["old"])
    }

    @Test("A token is refreshed each time that it is refused")
    func cycles() async throws {
        let accepted = Mutex("")
        server.route("/changing") { request in
            let token = accepted.withLock { $0 }
            return request.headers["Authorization"] == "Bearer \(token)" ? .text("welcome") : .status(401)
        }
        let tokens = Tokens { [refreshes] old in
            refreshes.record(old)
            return accepted.withLock { $0 }
        }
        let login = AuthenticationInterceptor("token 0", authenticator: tokens, for: server.baseURL)
        let manager = makeManager(.curl, login)

        for number in 1...2 {
            accepted.withLock { $0 = "token \(number)" }
            #expect(try await manager.get("changing").string == "welcome")
        }

        #expect(refreshes.values == ["token 0", "token 1"] && login.credential == "token 2")
        #expect(server.requests.count == 4)
    }

    @Test(
        "After a failed refresh, the next call refreshes again, and a credential that is set is used",
        arguments: [true, false]
    )
    func setAfterFailure(_ isExpired: Bool) async throws {
        let tokens = Tokens(expiries: isExpired ? ["old": Self.start] : [:]) { [refreshes] old in
            refreshes.record(old)
            guard old == "set" else { throw Tokens.Failure() }
            return "new"
        }
        let login = makeExpired(tokens)
        let manager = makeManager(.curl, login)

        for _ in 0..<2 { #expect(await manager.get("api").response().error?.code == .credentialRefreshFailed) }
        #expect(refreshes.values == ["old", "old"] && server.requests.count == (isExpired ? 0 : 2))
        login.credential = "set"
        #expect(try await manager.get("api").string == "welcome")

        #expect(refreshes.values == ["old", "old", "set"])
        #expect(server.requests.suffix(2).map { $0.headers["Authorization"] } == ["Bearer set", "Bearer new"])
    }

    @Test("Calls whose new token is refused too share one refresh, and end with the refusal")
    func refusedTwiceTogether() async throws {
        server.route("/never", .text("refused", status: 401))
        let login = AuthenticationInterceptor("old", authenticator: tokens, for: server.baseURL)
        let manager = makeManager(.curl, login)

        let calls = (0..<3).map { _ in Task { await manager.get("never").response() } }
        try await eventually(3) { login.waiterCount }
        gate.open()

        for call in calls { #expect(await call.value.error?.statusCode == 401) }
        #expect(refreshes.values == ["old"] && server.requests.count == 6)
    }
}
