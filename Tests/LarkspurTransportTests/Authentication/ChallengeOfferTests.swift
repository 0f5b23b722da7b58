#if canImport(FoundationNetworking)
import HTTPSyntax
import Testing

@testable import LarkspurTransport

@Suite("The ways to answer a challenge")
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
        "The strongest comes first, whatever field it stands in, and connections only for want of another",
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

    @Test("What libcurl cannot do is no way to answer")
    func unavailable() {
        #expect(offers(["NTLM", "Negotiate"], []) == [])
        #expect(offers(["NTLM", "Negotiate"], [.ntlm]) == ["ntlm"])
    }

    @Test(
        "A ticket is sent only for a user credential that says so, and NTLM needs a name",
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
