import LarkspurTesting
import Synchronization
import Testing

@testable import Larkspur

extension AuthenticationInterceptorTests {
    @Test("Calls with an expired token wait for one refresh before they are sent", arguments: [true, false])
    func expiredTogether(_ succeeds: Bool) async throws {
        let tokens = RenewedTokens(expiries: ["old": Self.start]) { [refreshes, gate] old in
            refreshes.record(old)
            await gate.wait()
            guard succeeds else { throw RenewedTokens.Failure() }
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
            #expect(succeeds || response.error?.underlyingError is RenewedTokens.Failure)
        }
        #expect(refreshes.values == ["old"] && server.requests.count == (succeeds ? 6 : 0))
    }

    @Test("A new token that is already expired is used without another refresh before the request")
    func expiredAlready() async throws {
        let tokens = RenewedTokens(expiries: ["old": Self.start, "new": Self.start]) { [refreshes, gate] old in
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
        let tokens = RenewedTokens(expiries: ["old": Self.start]) { [refreshes] old in
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
        let tokens = RenewedTokens { [refreshes] old in
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
        let tokens = RenewedTokens(expiries: isExpired ? ["old": Self.start] : [:]) { [refreshes] old in
            refreshes.record(old)
            guard old == "set" else { throw RenewedTokens.Failure() }
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
