import LarkspurTestSupport
import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import Larkspur

extension SharedCredentialTests {
    // MARK: Credentials that a program sets

    @Test("A credential that is set replaces that of the store, and another process uses it after a refusal")
    func set() async throws {
        let (one, other) = (try makeProcess(first), try makeProcess(first))
        #expect(try await statuses(one, other) == [200, 200])
        one.login.credential = server.login()
        try await eventually(4) { one.store.steps.values.count }
        #expect(try await other.call() == 200)
        #expect(server.refreshCount == 0 && other.login.credential == server.newest)
        #expect(one.store.steps.values == [.value, .replaceValue, .value, .replaceValue])
    }

    @Test("A credential that is removed stays in other processes until it is refused")
    func removed() async throws {
        let (one, other) = (try makeProcess(first), try makeProcess(first))
        #expect(try await statuses(one, other) == [200, 200])
        try await one.login.setCredential(nil)
        let stored = try #require(try await record())
        #expect(stored.credential == nil)
        #expect(try await statuses(one, other) == [401, 200])
        server.revoke()
        #expect(try await other.call() == 401)
        #expect(other.login.credential == nil && server.refreshCount == 0)
    }

    @Test("A credential that cannot be stored is used, and stored later")
    func setWhileFailing() async throws {
        let (one, other) = (try makeSlowProcess(), try makeProcess())
        one.store.setFault { _ in .failed(StoreFailure()) }
        let error = await #expect(throws: LarkspurError.self) { try await one.login.setCredential(first) }
        #expect(error?.code == .sharedStoreUnavailable)
        #expect(try await statuses(one, other) == [200, 401])
        one.store.setFault { _ in nil }
        try await eventually(200) { try await other.call() }
    }

    private func storedToken() async throws -> NumberedToken? {
        try await record()?.credential.map { try JSONDecoder().decode(NumberedToken.self, from: $0) }
    }

    @Test("A credential that is set during a refresh stays")
    func setDuringRefresh() async throws {
        let (gate, sent) = (LoopbackServer.Gate(), Recorder<NumberedToken>())
        let tokens = NumberedTokens { [server] token in
            sent.record(token)
            await gate.wait()
            return server.refresh(token)
        }
        let (one, other) = (try makeProcess(first, tokens), try makeProcess(first))
        #expect(try await statuses(one, other) == [200, 200])
        server.revoke()
        let call = Task { try await one.call() }
        try await sent.wait()
        let new = NumberedToken(login: 5)
        let setting = Task { try await other.login.setCredential(new) }
        try await setting.value
        gate.open()
        _ = try await call.value
        #expect(one.login.credential == new && other.login.credential == new)
        #expect(try await storedToken() == new)
    }

    @Test("A credential is set although a refresh does not end")
    func setDuringEndlessRefresh() async throws {
        let (gate, sent) = (LoopbackServer.Gate(), Recorder<NumberedToken>())
        let tokens = NumberedTokens { [server] token in
            sent.record(token)
            await gate.wait()
            return server.refresh(token)
        }
        let process = try makeProcess(first, tokens)
        #expect(try await process.call() == 200)
        server.revoke()
        let call = Task { try await process.call() }
        try await sent.wait()
        let new = server.login()
        try await process.login.setCredential(new)
        #expect(try await storedToken() == new)
        #expect(try await process.call() == 200)
        gate.open()
        _ = try await call.value
        #expect(process.login.credential == new)
    }

    @Test("The removal of a credential is stored although a refresh does not end, for which an earlier step waits")
    func removalDuringRefresh() async throws {
        let gate = LoopbackServer.Gate()
        defer { gate.open() }
        let clock = TestClock()
        let tokens = NumberedTokens { [server] token in
            await gate.wait()
            return server.refresh(token)
        }
        let process = try SharingProcess(first, base, server, tokens, clock: clock)
        #expect(try await process.call() == 200)
        process.store.setFault { _ in .failed(StoreFailure()) }
        process.login.credential = server.login()
        // The next attempt to store the credential is due in a while.
        try await clock.waitForSleepers(1)
        process.store.setFault { _ in nil }
        server.revoke()
        let call = Task { try await process.call() }
        try await eventually(1) { process.login.waiterCount }
        clock.advance(by: .seconds(1))
        try await eventually(2) { process.login.waiterCount }
        process.login.credential = nil
        try await eventually(true) { () throws -> Bool in
            guard let record = try await record() else { return false }
            return record.credential == nil
        }
        gate.open()
        _ = try? await call.value
    }

    @Test("A cancelled task that sets a credential waits for the exchange under way, and does not look again and again")
    func cancelledSetting() async throws {
        let gate = LoopbackServer.Gate()
        defer { gate.open() }
        let process = try makeSlowProcess(first)
        #expect(try await process.call() == 200)
        process.store.setFault { $0 == .value ? .held(until: gate) : nil }
        let (login, new) = (process.login, server.login())
        let sharing = try #require(login.sharing)
        let version = login.replaceShared(by: new, sharing)
        login.startSaving(sharing)
        try await process.store.steps.wait { $0.filter { $0 == .value }.count == 2 }
        let setting = Task { await login.saveOnce(version, sharing) }
        setting.cancel()
        try await eventually(1) { login.waiterCount }
        gate.open()
        #expect(await setting.value == nil)
        #expect(try await storedToken() == new)
    }

    @Test("Without a store, a credential is set at once")
    func withoutStore() async throws {
        let url = try #require(URL(string: "https://api.test/"))
        let tokens = NumberedTokens { [server] in server.refresh($0) }
        let login = AuthenticationInterceptor(first, authenticator: tokens, for: url)
        try await login.setCredential(nil)
        #expect(login.credential == nil)
    }

    @Test("The public interceptors share a credential, which lies in the store in JSON")
    func publicInterceptors() async throws {
        let url = try #require(URL(string: "https://api.test/"))
        let head = try httpResponse(url: "https://api.test/")
        let tokens = NumberedTokens { [server] in server.refresh($0) }
        let one: AuthenticationInterceptor<NumberedToken> = .authentication(
            first,
            authenticator: tokens,
            sharedIn: base,
            key: "login",
            for: url
        )
        let other = AuthenticationInterceptor<NumberedToken>(
            nil,
            authenticator: tokens,
            sharedIn: base,
            key: "login",
            for: url
        )
        for login in [one, other] {
            let response = try await login.intercept(URLRequest(url: url), context: RequestContext()) { request in
                InterceptedResponse(request: request, response: head)
            }
            #expect(response.statusCode == 200)
        }
        #expect(other.credential == first)
        #expect(try await storedToken() == first)
    }
}
