import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

extension SharedCredentialTests {
    // MARK: Stores that lose their data

    @Test("A store that has lost its data gets the credential again, and no refresh token is used twice")
    func lost() async throws {
        let (one, other) = (try makeProcess(first), try makeProcess(first))
        #expect(try await statuses(one, other) == [200, 200])
        base.removeAll()
        server.revoke()
        #expect(try await statuses(one, other) == [200, 200])
        #expect(server.refreshCount == 1 && server.reused.isEmpty)
        #expect(one.login.credential == server.newest && other.login.credential == server.newest)
    }

    @Test("A process that waits for a refresh does not send it again after the store has lost the marker")
    func lostDuringRefresh() async throws {
        let (gate, sent) = (LoopbackServer.Gate(), Recorder<NumberedToken>())
        let tokens = NumberedTokens { [server] token in
            sent.record(token)
            await gate.wait()
            return server.refresh(token)
        }
        let (one, other) = (try makeProcess(first, tokens), try makeProcess(first, tokens))
        #expect(try await statuses(one, other) == [200, 200])
        server.revoke()
        let refreshing = Task { try await one.call() }
        try await sent.wait()
        let waiting = Task { await other.failure() }
        try await other.store.steps.wait { $0.filter { $0 == .acquireLease }.count >= 2 }
        base.removeAll()
        #expect(await waiting.value?.code == .credentialRefreshFailed)
        #expect(sent.values == [first])
        gate.open()
        #expect(try await refreshing.value == 200)
        #expect(try await other.call() == 200)
        #expect(server.refreshCount == 1 && server.reused.isEmpty)
    }

    @Test("A process whose refresh had no result does not send it again after the store has lost the marker")
    func lostAfterRefresh() async throws {
        let sent = Recorder<NumberedToken>()
        let tokens = NumberedTokens { token in
            sent.record(token)
            throw LarkspurError(.timedOut, "late")
        }
        let process = try makeProcess(first, tokens)
        #expect(try await process.call() == 200)
        server.revoke()
        #expect(await process.failure()?.contains(.timedOut) == true)
        base.removeAll()
        #expect(await process.failure()?.message.contains("sign in again") == true)
        #expect(sent.values == [first])
    }

    @Test("After a loss, a credential with which a process is created does not replace a refreshed one")
    func initialAfterLoss() async throws {
        let process = try makeProcess(first)
        #expect(try await process.call() == 200)
        server.revoke()
        #expect(try await process.call() == 200)
        let login = try #require(try await record()?.identity.login)
        base.removeAll()
        // A process that was created with the first token has written it.
        var initial = CredentialRecord(credential: try JSONEncoder().encode(first))
        initial.isInitial = true
        #expect(try await base.replaceValue(for: "login", version: nil, with: initial.json, lifetime: nil))
        server.revoke()
        #expect(try await process.call() == 200)
        #expect(try await record()?.identity == CredentialRecord.Identity(login: login, number: 2))
        #expect(try await makeProcess(first).call() == 200)
        #expect(server.refreshCount == 2 && server.reused.isEmpty)
    }
}
