import LarkspurTestSupport
import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import Larkspur

@Suite("Credentials that several processes share", .timeLimit(.minutes(5)))
struct SharedCredentialTests {
    let base = InMemorySharedStore()
    let server = SingleUseServer()
    let first = NumberedToken()

    func makeProcess(_ token: NumberedToken? = nil, _ tokens: NumberedTokens? = nil) throws -> SharingProcess {
        try SharingProcess(token, base, server, tokens)
    }

    /// Makes a process for which time passes as it does.
    func makeSlowProcess(_ token: NumberedToken? = nil, _ tokens: NumberedTokens? = nil) throws -> SharingProcess {
        try SharingProcess(token, base, server, tokens, clock: ContinuousClock())
    }

    /// Makes a call of each process, one after the other, and returns the statuses.
    func statuses(_ processes: SharingProcess...) async throws -> [Int?] {
        var statuses: [Int?] = []
        for process in processes { statuses.append(try await process.call()) }
        return statuses
    }

    /// The record in the store.
    func record() async throws -> CredentialRecord? {
        try await base.value(for: "login").map { try CredentialRecord(json: $0.data) }
    }

    // MARK: Use

    @Test("A process uses the store's credential in place of the one with which it was created")
    func olderCredential() async throws {
        let (one, other) = (try makeProcess(first), try makeProcess(first))
        #expect(try await one.call() == 200)
        server.revoke()
        #expect(try await one.call() == 200)

        #expect(try await other.call() == 200)
        #expect(try await makeProcess().call() == 200)
        #expect(server.refreshCount == 1 && other.login.credential == NumberedToken(number: 1))
    }

    @Test("A call with a valid credential takes no step of the store after the first call")
    func steps() async throws {
        let process = try makeProcess(first)
        #expect(try await process.call() == 200)
        // There was no value, and the store has got the credential.
        #expect(process.store.steps.values == [.value, .replaceValue])
        for _ in 0..<100 { #expect(try await process.call() == 200) }
        #expect(process.store.steps.values.count == 2)
    }

    @Test(
        "A refresh takes seven steps of the store and renewals of the lease, and the use of another's result takes one"
    )
    func refreshSteps() async throws {
        let (one, other) = (try makeProcess(first), try makeProcess())
        #expect(try await statuses(one, other) == [200, 200])
        server.revoke()
        #expect(try await one.call() == 200)
        #expect(
            one.store.steps.values.dropFirst(2).filter { $0 != .renewLease } == [
                .value, .acquireLease, .value, .replaceValue, .value, .replaceValue, .releaseLease,
            ]
        )
        #expect(try await other.call() == 200)
        #expect(other.store.steps.values == [.value, .value])
    }

    @Test("Without a credential, each call reads the store, and is sent without one if there is none")
    func missing() async throws {
        let (one, other) = (try makeProcess(), try makeProcess())
        #expect(try await statuses(one, one) == [401, 401])
        #expect(one.store.steps.values == [.value, .value])
        try await other.login.setCredential(first)
        #expect(try await statuses(one, one) == [200, 200])
        #expect(one.store.steps.values.count == 3 && server.refreshCount == 0)
    }

    @Test("An expired credential of the store is refreshed before the request")
    func expired() async throws {
        let now = Date(timeIntervalSince1970: 1_000_000)
        let tokens = NumberedTokens(expiry: { $0.number == 1 ? now + 3600 : now }) { [server] in server.refresh($0) }
        let processes = try (0..<3).map { _ in try SharingProcess(first, base, server, tokens) { now } }
        for process in processes { #expect(try await process.call() == 200) }
        #expect(server.refreshCount == 1)
        #expect(try await record()?.refreshDate == now)
    }

    @Test("Eight processes whose token is refused a thousand times at once refresh it a thousand times")
    func simultaneousRefreshes() async throws {
        let processes = try (0..<8).map { _ in try makeProcess(first) }
        for process in processes { #expect(try await process.call() == 200) }
        for round in 1...1000 {
            server.revoke()
            let statuses = try await withThrowingTaskGroup(of: Int?.self) { group in
                for process in processes { group.addTask { try await process.call() } }
                return try await group.reduce(into: [Int?]()) { $0.append($1) }
            }
            #expect(statuses.allSatisfy { $0 == 200 })
            #expect(server.refreshCount == round && server.reused.isEmpty)
            guard server.refreshCount == round else { return }
        }
    }

    // MARK: Processes that end

    @Test("If a process ends before its refresh is sent, another one refreshes after the lease has expired")
    func endBeforeSending() async throws {
        let storeClock = TestClock()
        let base = InMemorySharedStore(clock: storeClock)
        let gate = LoopbackServer.Gate()
        let one = try SharingProcess(first, base, server, clock: TestClock())
        let other = try SharingProcess(first, base, server)
        #expect(try await statuses(one, other) == [200, 200])
        server.revoke()
        one.store.setFault { $0 == .replaceValue ? .held(until: gate) : nil }

        let ended = Task { try await one.call() }
        try await one.store.steps.wait { $0.filter { $0 == .replaceValue }.count == 2 }
        let waiting = Task { try await other.call() }
        // The lease is asked for again and again.
        try await other.store.steps.wait { $0.filter { $0 == .acquireLease }.count >= 3 }
        #expect(server.refreshCount == 0)
        storeClock.advance(by: .seconds(10))
        #expect(try await waiting.value == 200)
        #expect(server.refreshCount == 1)

        // The process was only slow. Its marker comes too late, so that it sends nothing.
        gate.open()
        #expect(try await ended.value == 200)
        #expect(server.refreshCount == 1 && server.reused.isEmpty)
    }

    @Test("If a process ends after its refresh was sent, the others fail until a program sets a credential")
    func endAfterSending() async throws {
        let storeClock = TestClock()
        let base = InMemorySharedStore(clock: storeClock)
        let gate = LoopbackServer.Gate()
        let sent = Recorder<NumberedToken>()
        let tokens = NumberedTokens { [server] token in
            sent.record(token)
            await gate.wait()
            return server.refresh(token)
        }
        let one = try SharingProcess(first, base, server, tokens, clock: TestClock())
        let others = try (0..<2).map { _ in try SharingProcess(first, base, server) }
        for process in [one] + others { #expect(try await process.call() == 200) }
        server.revoke()

        let ended = Task { try await one.call() }
        try await sent.wait()
        storeClock.advance(by: .seconds(10))
        for process in others + others {
            let error = await process.failure()
            #expect(error?.code == .credentialRefreshFailed && error?.message.contains("sign in again") == true)
            #expect(error?.message.contains("has ended") == true)
        }
        // The second failure of a process takes one step.
        #expect(others[0].store.steps.values.last == .value && server.refreshCount == 0)

        try await others[0].login.setCredential(server.login())
        for process in others { #expect(try await process.call() == 200) }
        #expect(server.refreshCount == 0)
        // The process was only slow. Its result is that of the earlier login, so that it uses the new one.
        let newest = server.newest
        gate.open()
        _ = try await ended.value
        #expect(one.login.credential == newest)
        #expect(try await base.value(for: "login") != nil && server.reused.isEmpty)
    }

    @Test("The result of a process that others believed to have ended is used")
    func lateResult() async throws {
        let storeClock = TestClock()
        let base = InMemorySharedStore(clock: storeClock)
        let gate = LoopbackServer.Gate()
        let sent = Recorder<NumberedToken>()
        let tokens = NumberedTokens { [server] token in
            sent.record(token)
            await gate.wait()
            return server.refresh(token)
        }
        let one = try SharingProcess(first, base, server, tokens, clock: TestClock())
        let other = try SharingProcess(first, base, server)
        #expect(try await statuses(one, other) == [200, 200])
        server.revoke()
        let late = Task { try await one.call() }
        try await sent.wait()
        storeClock.advance(by: .seconds(10))
        #expect(await other.failure()?.code == .credentialRefreshFailed)
        gate.open()
        #expect(try await late.value == 200)
        #expect(try await other.call() == 200)
        #expect(server.refreshCount == 1)
    }

    @Test("The lease is renewed while the refresh takes long, but not for longer than two minutes")
    func longRefresh() async throws {
        let clock = TestClock()
        let base = InMemorySharedStore(clock: clock)
        let gate = LoopbackServer.Gate()
        let sent = Recorder<NumberedToken>()
        let tokens = NumberedTokens { [server] token in
            sent.record(token)
            await gate.wait()
            return server.refresh(token)
        }
        let one = try SharingProcess(first, base, server, tokens, clock: clock)
        let other = try SharingProcess(first, base, server)
        #expect(try await statuses(one, other) == [200, 200])
        server.revoke()
        let long = Task { try await one.call() }
        try await sent.wait()
        let waiting = Task { try await other.call() }
        for count in 1...36 {
            try await eventually(count) { clock.sleeps.filter { $0 == .seconds(10) / 3 }.count }
            clock.advance(by: .seconds(10) / 3)
            // The first renewal is that of the refresh's beginning.
            try await one.store.steps.wait { $0.filter { $0 == .renewLease }.count == count + 1 }
        }
        #expect(server.refreshCount == 0)
        // The last renewal was the last one.
        clock.advance(by: .seconds(10))
        let failure = await #expect(throws: LarkspurError.self) { try await waiting.value }
        #expect(failure?.code == .credentialRefreshFailed)
        gate.open()
        #expect(try await long.value == 200)
        #expect(server.refreshCount == 1)
    }

    // MARK: Failed refreshes

    private static let repeatable: [LarkspurError] = [
        LarkspurError(.cannotFindHost, "unknown"),
        LarkspurError(
            .credentialRefreshFailed,
            "refused",
            underlyingError: OAuth2Failure(code: "invalid_scope", statusCode: 400)
        ),
        LarkspurError(.credentialRefreshFailed, "failed", underlyingError: LarkspurError(.tooManyCalls, "many")),
    ]

    private static let uncertain: [LarkspurError] = [
        LarkspurError(.timedOut, "late"), LarkspurError(.connectionLost, "lost"),
        LarkspurError(.cannotConnectToHost, "refused"),
        LarkspurError(
            .credentialRefreshFailed,
            "failed",
            underlyingError: OAuth2Failure(code: "server_error", statusCode: 503)
        ),
        LarkspurError(.malformedResponse, "bad"),
    ]

    @Test("After a refresh that was not sent, or was refused, each process may refresh again", arguments: repeatable)
    func unused(_ error: LarkspurError) async throws {
        let failures = Mutex(1)
        let tokens = NumberedTokens { [server] token in
            if failures.withLock({
                $0 -= 1; return $0 >= 0
            }) {
                throw error
            }
            return server.refresh(token)
        }
        let (one, other) = (try makeProcess(first, tokens), try makeProcess(first, tokens))
        #expect(try await statuses(one, other) == [200, 200])
        server.revoke()
        let failure = await one.failure()
        #expect(failure?.code == .credentialRefreshFailed && failure?.contains(error.code) == true)
        #expect(try await record()?.refresh == nil)
        #expect(try await statuses(other, one) == [200, 200])
        #expect(server.refreshCount == 1)
    }

    @Test("After a refresh whose request may have arrived, no process refreshes again", arguments: uncertain)
    func used(_ error: LarkspurError) async throws {
        let count = Recorder<NumberedToken>()
        let tokens = NumberedTokens { token in
            count.record(token)
            throw error
        }
        let (one, other) = (try makeProcess(first, tokens), try makeProcess(first, tokens))
        #expect(try await statuses(one, other) == [200, 200])
        server.revoke()
        #expect(await one.failure()?.contains(error.code) == true)
        for process in [one, other, try makeProcess()] {
            #expect(await process.failure()?.message.contains("sign in again") == true)
        }
        #expect(count.values == [first])
        try await one.login.setCredential(server.login())
        #expect(try await other.call() == 200)
    }

    @Test("A credential that may be refreshed several times is refreshed again after a failure")
    func repeated() async throws {
        let failures = Mutex(1)
        let tokens = NumberedTokens(allowsRepeatedRefresh: true) { [server] token in
            if failures.withLock({
                $0 -= 1; return $0 >= 0
            }) {
                throw LarkspurError(.timedOut, "late")
            }
            return server.refresh(token)
        }
        let (one, other) = (try makeProcess(first, tokens), try makeProcess(first, tokens))
        #expect(try await statuses(one, other) == [200, 200])
        server.revoke()
        #expect(await one.failure()?.contains(.timedOut) == true)
        #expect(try await other.call() == 200)
    }

    @Test(
        "The rules of OAuth 2 tell whether the refresh token may have been used",
        arguments: [(400, false), (401, false), (429, false), (500, true), (503, true), (200, true)]
    )
    func oauth(_ status: Int, _ isUsed: Bool) async throws {
        let head = try httpResponse(status, url: "https://id.test/token")
        let endpoint = try #require(head.url)
        let requests = Recorder<URLRequest>()
        let authenticator = OAuth2Authenticator(tokenEndpoint: endpoint, clientID: "app") { request in
            requests.record(request)
            return (Data("no JSON".utf8), head)
        }
        for token in ["r0", nil] {
            let progress = RefreshProgress()
            let credential = OAuth2Credential(accessToken: "a0", refreshToken: token)
            let error = await RefreshProgress.$current.withValue(progress) {
                await #expect(throws: LarkspurError.self) {
                    try await authenticator.refresh(credential, after: nil)
                }
            }
            let failure = try #require(error)
            #expect(progress.provesUnused(failure) == (token == nil || !isUsed))
        }
        #expect(requests.values.count == 1 && !authenticator.allowsRepeatedRefresh)
    }
}
