#if canImport(FoundationNetworking)
import HTTPSyntax
import Testing

@testable import LarkspurTransport

@Suite("Offers of authentication schemes")
struct ChallengeOfferTests {
    private func offers(_ fields: [String], _ schemes: Set<ConnectionScheme> = [.ntlm, .negotiate]) -> [String] {
        ChallengeOffer.offers(in: ChallengeField.challenges(in: fields), schemes: schemes).map { offer in
            switch offer {
            case .field(.basic(let realm)): "Basic \(realm ?? "-")"
            case .field(.digest(let challenge)): "\(challenge.algorithm) \(challenge.realm)"
            case .connection(let scheme): "\(scheme)"
            }
        }
    }

    @Test(
        "The strongest scheme comes first, and the schemes of connections are used only if there is no other",
        arguments: [
            (["Basic realm=a, Digest realm=b, nonce=n"], ["md5 b", "Basic a"]),
            (["Basic realm=a", "Digest realm=b, nonce=n, algorithm=SHA-256"], ["sha256 b", "Basic a"]),
            (["Basic realm=a, Basic realm=b"], ["Basic a", "Basic b"]),
            (["Negotiate, NTLM, Basic realm=a"], ["Basic a"]),
            (["NTLM", "Negotiate"], ["negotiate", "ntlm"]),
            (["Bearer realm=x, ntlm"], ["ntlm"]),
            (["Bearer realm=x"], []), ([], []), ([",;=\"\"", "\"Basic"], []),
            (["Digest realm=a, nonce=n, qop=\"auth-int\", Basic realm=b"], ["Basic b"]),
        ]
    )
    func order(fields: [String], expected: [String]) {
        #expect(offers(fields) == expected)
    }

    @Test("A scheme that libcurl does not support is not offered")
    func unavailable() {
        #expect(offers(["NTLM", "Negotiate"], []) == [])
        #expect(offers(["NTLM", "Negotiate"], [.ntlm]) == ["ntlm"])
    }

    @Test(
        "A Negotiate ticket needs an empty user name and password, and NTLM needs a user name",
        arguments: [
            ("", "", true, false), ("u", "p", false, true), ("", "p", false, false), ("u\0x", "p", false, false),
        ]
    )
    func userCredentials(user: String, password: String, negotiates: Bool, isForNTLM: Bool) {
        let userCredential = UserCredential(user: user, password: password)
        #expect(ConnectionScheme.negotiate.accepts(userCredential) == negotiates)
        #expect(ConnectionScheme.ntlm.accepts(userCredential) == isForNTLM)
    }
}
#endif
