#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import HTTPSyntax
import LarkspurTesting
import Testing

@testable import LarkspurTransport

/// Challenges of a server that checks what it gets, answered by hand.
@Suite(.timeLimit(.minutes(5)))
struct AuthenticationExchangeTests {
    let server: LoopbackServer
    let session = URLSession(configuration: .testing)

    init() throws { server = try LoopbackServer() }

    private func send(_ target: String, _ field: String? = nil) async throws -> (status: Int, AnswerableChallenge?) {
        var request = URLRequest(url: server.url(target))
        request.setValue(field, forHTTPHeaderField: "Authorization")
        let (_, response) = try await session.data(for: request)
        let http = try #require(response as? HTTPURLResponse)
        let fields = http.value(forHTTPHeaderField: "WWW-Authenticate").map { [$0] } ?? []
        return (http.statusCode, AnswerableChallenge.strongest(of: fields))
    }

    @Test(
        "A server accepts the credentials for its Digest challenge, for several requests",
        arguments: ["auth", "none"],
        ["MD5", "MD5-sess", "SHA-256", "SHA-256-sess"]
    )
    func digest(qop: String, algorithm: String) async throws {
        let target = "/digest-auth/\(qop)/user/pass%20word/\(algorithm)?a=b"
        let refusal = try await send(target)
        #expect(refusal.status == 401)
        let challenge = try #require(refusal.1)
        var authentication = HTTPAuthentication(
            challenge: challenge,
            userCredential: UserCredential(user: "user", password: "pass word")
        )
        for _ in 0..<3 {
            let field = authentication.authorization(method: "GET", target: target)
            #expect(try await send(target, field).status == 200)
        }
        var wrong = HTTPAuthentication(
            challenge: challenge,
            userCredential: UserCredential(user: "user", password: "wrong")
        )
        let field = wrong.authorization(method: "GET", target: target)
        #expect(try await send(target, field).status == 401)
    }

    @Test("A nonce that a server does not accept any more is renewed")
    func stale() async throws {
        let target = "/digest-auth/auth/user/pass?stale_after=1"
        let challenge = try #require(try await send(target).1)
        var authentication = HTTPAuthentication(
            challenge: challenge,
            userCredential: UserCredential(user: "user", password: "pass")
        )
        #expect(try await send(target, authentication.authorization(method: "GET", target: target)).status == 200)
        authentication.wasAccepted()
        let refusal = try await send(target, authentication.authorization(method: "GET", target: target))
        #expect(refusal.status == 401)
        let isRenewed = authentication.renew(with: try #require(refusal.1))
        #expect(isRenewed)
        #expect(try await send(target, authentication.authorization(method: "GET", target: target)).status == 200)
    }
}
#endif
