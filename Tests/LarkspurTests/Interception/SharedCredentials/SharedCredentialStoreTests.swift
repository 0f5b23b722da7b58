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

    @Test("A credential of the store that is about to expire is used if its refresh fails")
    func newerBeforeExpiry() async throws {
        let start = Date(timeIntervalSince1970: 1_000_000)
        let now = Mutex(start)
        let date: @Sendable () -> Date = { now.withLock { $0 } }
        let expiry: @Sendable (NumberedToken) -> Date? = { start + ($0.number == 0 ? 31 : 60) }
        let failing = NumberedTokens(expiry: expiry) { _ in throw LarkspurError(.timedOut, "late") }
        let working = NumberedTokens(expiry: expiry) { [server] in server.refresh($0) }
        let one = try SharingProcess(first, base, server, failing, date: date)
        let other = try SharingProcess(first, base, server, working, date: date)
        #expect(try await statuses(one, other) == [200, 200])
        server.revoke()
        #expect(try await other.call() == 200)
        // The first credential has expired, and half of the time of the second one is over.
        now.withLock { $0 = start + 35 }
        #expect(try await one.call() == 200)
        #expect(one.login.credential == NumberedToken(number: 1) && server.refreshCount == 1)
        now.withLock { $0 = start + 60 }
        #expect(await one.failure()?.code == .credentialRefreshFailed)
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

    @Test("The lease is not released while the store may have the marker of a refresh that was not sent")
    func leaseBesideMarker() async throws {
        let gate = LoopbackServer.Gate()
        defer { gate.open() }
        let process = try makeProcess(first)
        #expect(try await process.call() == 200)
        let sharing = try #require(process.login.sharing)
        let attempt = try await sharing.acquireLease()
        guard case .acquired(let lease) = attempt else { throw StoreFailure() }
        let stored = try #require(try await record())
        var copy = CredentialCopy(initial: nil)
        copy.adopt(stored)
        copy.wasNotUsed(under: lease.number)
        process.store.setFault { $0 == .replaceValue ? .held(until: gate) : nil }
        let exchange = CredentialExchange(sharing, process.login.rules, copy, first, heldLease: lease)
        let renewal = Task {
            var exchange = exchange
            try await exchange.renew(after: nil)
            return exchange.credential
        }
        try await process.store.steps.wait { $0.filter { $0 == .replaceValue }.count == 2 }
        // The step of the earlier refresh arrives late.
        let version = try await base.value(for: "login")?.version
        let marked = stored.marked(CredentialRecord.Refresh(lease: lease.number)).json
        #expect(try await base.replaceValue(for: "login", version: version, with: marked, lifetime: nil))
        gate.open()
        #expect(try await renewal.value == NumberedToken(number: 1))
        #expect(process.store.steps.values.filter { $0 == .releaseLease }.count == 1)
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
}
