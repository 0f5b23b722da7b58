#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import Larkspur
@testable import LarkspurTransport

@Suite("Challenges of connections", .timeLimit(.minutes(5)), .enabled(if: ConnectionScheme.available.contains(.ntlm)))
struct SessionChallengeTests {
    let server: LoopbackServer
    let manager: SessionManager
    let asked = Recorder<String>()

    init() throws {
        server = try LoopbackServer()
        manager = TestTransport.curl.makeManager(for: server)
    }

    /// The second message of NTLM: a signature, a type, no target, flags for Unicode and NTLM, a nonce.
    private static let challenge: String = {
        var message = Data("NTLMSSP\0".utf8) + [2, 0, 0, 0] + [0, 0, 0, 0, 40, 0, 0, 0]
        message += [0x01, 0x02, 0x08, 0x00] + [1, 2, 3, 4, 5, 6, 7, 8] + Data(repeating: 0, count: 8)
        return message.base64EncodedString()
    }()

    /// Welcomes whoever has come to the third message of NTLM, if it is to.
    private func protect(welcomes: Bool = true) {
        server.route("/secret") { request in
            let field = request.headers["Authorization"] ?? ""
            let message = field.hasPrefix("NTLM ") ? Data(base64Encoded: String(field.dropFirst(5))) ?? Data() : Data()
            switch message.count > 8 ? message[8] : 0 {
            case 1: return .text("continue", status: 401).adding("WWW-Authenticate", "NTLM \(Self.challenge)")
            case 3 where welcomes: return .text("welcome")
            default: return .text("denied", status: 401).adding("WWW-Authenticate", "NTLM")
            }
        }
    }

    private func answer(_ ofSession: ChallengeDisposition, _ ofTask: ChallengeDisposition = .performDefaultHandling) {
        let asked = asked
        manager.hooks.sessionChallengeDisposition = { challenge in
            asked.record("session \(challenge.previousFailureCount)")
            return ofSession
        }
        manager.hooks.challengeDisposition = { _, challenge in
            asked.record("task \(challenge.previousFailureCount)")
            return ofTask
        }
    }

    private let credential = URLCredential(user: "user", password: "password", persistence: .none)

    @Test("If the session's hook returns a credential, it is used, and the task's hook is not called")
    func credentialOfSession() async throws {
        protect()
        answer(.useCredential(credential))

        #expect(try await manager.call(.get, "secret", serializer: .string).value as? String == "welcome")
        #expect(asked.values == ["session 0"])
    }

    @Test("If the session's hook chooses the default handling, the task's hook is called")
    func leftToTask() async throws {
        protect()
        answer(.performDefaultHandling, .useCredential(credential))

        #expect(try await manager.call(.get, "secret", serializer: .string).value as? String == "welcome")
        #expect(asked.values == ["session 0", "task 0"])
    }

    @Test("Without a hook of the session, the hook of the task is called")
    func withoutHook() async throws {
        protect()
        answer(.performDefaultHandling, .useCredential(credential))
        manager.hooks.sessionChallengeDisposition = nil

        #expect(try await manager.call(.get, "secret", serializer: .string).value as? String == "welcome")
        #expect(asked.values == ["task 0"])
    }

    @Test("A refused credential is not sent again")
    func refused() async throws {
        protect(welcomes: false)
        answer(.useCredential(credential))

        #expect(try await manager.call(.get, "secret").error?.statusCode == 401)
        #expect(asked.values == ["session 0", "session 1"])
    }

    @Test("The session's hook can reject the protection space, and cancel the task")
    func refusing() async throws {
        protect()
        answer(.rejectProtectionSpace)
        #expect(try await manager.call(.get, "secret").error?.statusCode == 401)
        for refusal in [ChallengeDisposition.cancel, .fail(URLError(.userAuthenticationRequired))] {
            answer(refusal)
            #expect(try await manager.call(.get, "secret").error?.code == .cancelled)
        }
        #expect(manager.tasks.isEmpty)
    }

    @Test("The session's hook gets only challenges of connections")
    func basic() async throws {
        answer(.cancel, .useCredential(credential))

        #expect(try await manager.call(.get, "basic-auth/user/password").error == nil)
        #expect(asked.values == ["task 0"])
    }
}
#endif
