import LarkspurTestSupport
import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import Larkspur

extension SharedCredentialTests {
    // MARK: Stores that fail

    struct StoreFailure: Error {}

    @Test("If the store fails, a valid credential is used, and an event reports the failure")
    func failingStore() async throws {
        let process = try makeProcess(first)
        process.store.setFault { _ in .failed(StoreFailure()) }
        #expect(try await process.call() == 200)
        #expect(process.events.values.count == 1 && process.store.steps.values.count == 1)
        // For a while, the store is not asked again.
        #expect(try await process.call() == 200)
        #expect(process.events.values.count == 1 && process.store.steps.values.count == 1)

        server.revoke()
        let error = await process.failure()
        #expect(error?.code == .sharedStoreUnavailable && error?.underlyingError is StoreFailure)
        #expect(error?.message.contains("the test's store") == true)
        #expect(error.map { "\($0)".contains("secret") } == false)
        #expect(process.events.values.count == 2 && process.events.values.last == error?.message)
        #expect(server.refreshCount == 0)

        process.store.setFault { _ in nil }
        #expect(try await process.call() == 200)
        #expect(server.refreshCount == 1)
    }

    @Test("A process without a credential fails while the store fails")
    func failingWithoutCredential() async throws {
        let process = try makeProcess()
        process.store.setFault { _ in .failed(StoreFailure()) }
        for _ in 0..<2 { #expect(await process.failure()?.code == .sharedStoreUnavailable) }
        process.store.setFault { _ in nil }
        #expect(try await process.call() == 401)
    }

    @Test(
        "A store that does not answer is left after the limit",
        arguments: [InMemorySharedStore.Operation.value, .acquireLease, .replaceValue]
    )
    func hangingStore(_ operation: InMemorySharedStore.Operation) async throws {
        let (clock, gate) = (TestClock(), LoopbackServer.Gate())
        defer { gate.open() }
        let process = try SharingProcess(first, base, server, clock: clock, timeout: .seconds(3))
        #expect(try await process.call() == 200)
        server.revoke()
        process.store.setFault { $0 == operation ? .held(until: gate) : nil }
        let count = process.store.steps.values.filter { $0 == operation }.count
        let call = Task { await process.failure() }
        try await process.store.steps.wait { $0.filter { $0 == operation }.count > count }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(3))
        let error = await call.value
        #expect(error?.code == .sharedStoreUnavailable)
        #expect(error?.message.contains("did not answer within 3 s") == true)
        #expect(server.refreshCount == 0)
    }

    @Test("A credential that is about to expire is used while the store fails, and the store is seldom asked")
    func failureBeforeExpiry() async throws {
        let start = Date(timeIntervalSince1970: 1_000_000)
        let now = Mutex(start)
        let clock = TestClock()
        let tokens = NumberedTokens(expiry: { $0.number == 0 ? start + 20 : nil }) { [server] in server.refresh($0) }
        let process = try SharingProcess(
            first,
            base,
            server,
            tokens,
            clock: clock,
            timeout: .seconds(5),
            date: { now.withLock { $0 } }
        )
        process.store.setFault { _ in .failed(StoreFailure()) }
        for _ in 0..<3 { #expect(try await process.call() == 200) }
        #expect(process.store.steps.values.count == 1)
        // The pause ends after its time, also if the date is set back.
        now.withLock { $0 = start - 3600 }
        clock.advance(by: .seconds(6))
        for _ in 0..<3 { #expect(try await process.call() == 200) }
        #expect(process.store.steps.values.count == 2)
        now.withLock { $0 = start + 20 }
        #expect(await process.failure()?.code == .sharedStoreUnavailable)
        process.store.setFault { _ in nil }
        #expect(try await process.call() == 200)
        #expect(process.login.credential == NumberedToken(number: 1))
    }

    @Test("A new credential that cannot be stored is used by its process, and stored when the store works again")
    func unsavedRefresh() async throws {
        let isDown = Mutex(false)
        let tokens = NumberedTokens { [server] token in
            isDown.withLock { $0 = true }
            return server.refresh(token)
        }
        let (one, other) = (try makeSlowProcess(first, tokens), try makeProcess(first))
        #expect(try await statuses(one, other) == [200, 200])
        server.revoke()
        one.store.setFault { _ in isDown.withLock { $0 } ? .failed(StoreFailure()) : nil }
        #expect(try await one.call() == 200)
        #expect(one.events.values.count == 1)
        #expect(try await record()?.identity.number == 0)
        isDown.withLock { $0 = false }
        try await eventually(1) { try await record()?.identity.number }
        #expect(try await other.call() == 200)
        #expect(server.refreshCount == 1)
    }

    @Test(
        "The marker of a refresh that was not sent prevents no refresh, although the store fails meanwhile",
        arguments: [true, false]
    )
    func lostMarker(isSent: Bool) async throws {
        let isDown = Mutex(false)
        // Either the step that writes the marker seems to have failed, or the one that removes it fails.
        let tokens = NumberedTokens { [server] token in
            if isSent, !isDown.withLock({ exchange(&$0, with: true) }) { throw LarkspurError(.circuitOpen, "open") }
            return server.refresh(token)
        }
        let (one, other) = (try makeSlowProcess(first, tokens), try makeProcess(first))
        #expect(try await statuses(one, other) == [200, 200])
        server.revoke()
        one.store.setFault { operation in
            guard operation == .replaceValue else { return nil }
            if isDown.withLock({ $0 }) { return .failed(StoreFailure()) }
            if isSent { return nil }
            isDown.withLock { $0 = true }
            return .lost(StoreFailure())
        }
        #expect(await one.failure()?.contains(isSent ? .circuitOpen : .sharedStoreUnavailable) == true)
        #expect(try await record()?.refresh != nil && server.refreshCount == 0)
        let waiting = Task { try await other.call() }
        // The lease is still held.
        try await other.store.steps.wait { $0.filter { $0 == .acquireLease }.count >= 3 }
        #expect(try await record()?.refresh?.hasEnded == false && server.refreshCount == 0)
        one.store.setFault { _ in nil }
        #expect(try await waiting.value == 200)
        #expect(try await one.call() == 200)
        #expect(server.refreshCount == 1 && server.reused.isEmpty)
    }

    @Test("A marker that arrives after its process has given up prevents no refresh")
    func lateMarker() async throws {
        let (clock, gate) = (TestClock(), LoopbackServer.Gate())
        let one = try SharingProcess(first, base, server, clock: clock, timeout: .seconds(3))
        let other = try makeProcess(first)
        #expect(try await statuses(one, other) == [200, 200])
        server.revoke()
        let isFirst = Mutex(true)
        one.store.setFault { operation in
            guard operation == .replaceValue, isFirst.withLock({ exchange(&$0, with: false) }) else { return nil }
            return .held(until: gate)
        }
        let call = Task { await one.failure() }
        try await one.store.steps.wait { $0.filter { $0 == .replaceValue }.count == 2 }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(3))
        #expect(await call.value?.code == .sharedStoreUnavailable)
        // The record has got another version, so that the marker does not replace it.
        try await one.store.steps.wait { $0.contains(.releaseLease) }
        gate.open()
        #expect(try await other.call() == 200)
        #expect(try await one.call() == 200)
        #expect(server.refreshCount == 1 && server.reused.isEmpty)
    }

    @Test("A process that was paused between its lease and its marker takes the marker back")
    func pausedProcess() async throws {
        let storeClock = TestClock()
        let base = InMemorySharedStore(clock: storeClock)
        let process = try SharingProcess(first, base, server)
        #expect(try await process.call() == 200)
        server.revoke()
        let isFirst = Mutex(true)
        process.store.setFault { operation in
            guard operation == .replaceValue, isFirst.withLock({ exchange(&$0, with: false) }) else { return nil }
            storeClock.advance(by: .seconds(10))
            return nil
        }
        #expect(try await process.call() == 200)
        let steps = process.store.steps.values.dropFirst(2).filter { $0 != .renewLease }
        // The marker, its removal, another marker and the result.
        #expect(steps.filter { $0 == .replaceValue }.count == 4)
        #expect(steps.filter { $0 == .acquireLease }.count == 2)
        #expect(server.refreshCount == 1)
    }

    @Test("A result whose step seems to have failed is stored once")
    func lostResult() async throws {
        let process = try makeProcess(first)
        #expect(try await process.call() == 200)
        server.revoke()
        let count = Mutex(0)
        process.store.setFault { operation in
            guard operation == .replaceValue else { return nil }
            return count.withLock {
                $0 += 1; return $0
            } == 2 ? .lost(StoreFailure()) : nil
        }
        #expect(try await process.call() == 200)
        let identity = try #require(try await record()?.identity)
        #expect(identity.number == 1)
        server.revoke()
        #expect(try await process.call() == 200)
        #expect(try await record()?.identity == CredentialRecord.Identity(login: identity.login, number: 2))
        #expect(server.reused.isEmpty)
    }

    @Test(
        "A value that is no record is an error and stays, until a program sets a credential",
        arguments: ["{}", #"{"format":9}"#]
    )
    func damagedValue(_ text: String) async throws {
        #expect(try await base.replaceValue(for: "login", version: nil, with: Data(text.utf8), lifetime: nil))
        let (one, other) = (try makeProcess(first), try makeProcess())
        #expect(try await one.call() == 200)
        #expect(one.events.values.count == 1)
        let error = await other.failure()
        #expect(error?.code == .sharedStoreUnavailable && error?.message.contains("“login”") == true)
        server.revoke()
        #expect(await one.failure()?.code == .sharedStoreUnavailable)
        #expect(try await base.value(for: "login")?.data == Data(text.utf8) && server.refreshCount == 0)

        try await other.login.setCredential(server.login())
        #expect(try await statuses(one, other) == [200, 200])
    }

    @Test("A credential of another type is an error and stays")
    func otherType() async throws {
        let record = CredentialRecord(credential: Data("7".utf8))
        #expect(try await base.replaceValue(for: "login", version: nil, with: record.json, lifetime: nil))
        let error = try await makeProcess().failure()
        #expect(error?.code == .sharedStoreUnavailable && error?.message.contains("another type") == true)
        #expect(try await self.record() == record)
    }

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

    @Test("A cancelled task that sets a credential waits for the exchange under way, and does not look again and again")
    func cancelledSetting() async throws {
        let gate = LoopbackServer.Gate()
        defer { gate.open() }
        let process = try makeProcess(first)
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
