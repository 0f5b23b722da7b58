#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import TestSupport
import Testing

@testable import LarkspurTransport

@Suite struct AuthenticationChallengesTests {
    typealias Challenge = ChallengeField

    @Test(
        "Challenges are parsed in every form of the field",
        arguments: [
            (["Basic realm=\"a\""], [Challenge(scheme: "Basic", parameters: ["realm": "a"])]),
            (["Negotiate"], [Challenge(scheme: "Negotiate")]),
            (["Negotiate YWJj=="], [Challenge(scheme: "Negotiate", token68: "YWJj==")]),
            (
                ["Negotiate, NTLM abc/+._~-, Basic realm=x , charset = \"UTF-8\""],
                [
                    Challenge(scheme: "Negotiate"), Challenge(scheme: "NTLM", token68: "abc/+._~-"),
                    Challenge(scheme: "Basic", parameters: ["realm": "x", "charset": "UTF-8"]),
                ]
            ),
            // RFC 9110, section 11.6.1.
            (
                ["Basic realm=\"simple\", Newauth realm=\"apps\", type=1, title=\"UserCredential to \\\"apps\\\"\""],
                [
                    Challenge(scheme: "Basic", parameters: ["realm": "simple"]),
                    Challenge(
                        scheme: "Newauth",
                        parameters: ["realm": "apps", "type": "1", "title": "UserCredential to \"apps\""]
                    ),
                ]
            ),
            (
                ["Basic realm=\"a, b\", Bearer", "Digest nonce=\"n\""],
                [
                    Challenge(scheme: "Basic", parameters: ["realm": "a, b"]), Challenge(scheme: "Bearer"),
                    Challenge(scheme: "Digest", parameters: ["nonce": "n"]),
                ]
            ),
            // Missing and superfluous commas, names in any case, the first of two alike.
            (
                [" ,, Digest REALM=\"a\" nonce=b,,NONCE=c Basic realm=\"d\" ,"],
                [
                    Challenge(scheme: "Digest", parameters: ["realm": "a", "nonce": "b"]),
                    Challenge(scheme: "Basic", parameters: ["realm": "d"]),
                ]
            ),
            (["Basic realm=\"open"], [Challenge(scheme: "Basic", parameters: ["realm": "open"])]),
            (["Basic realm=\"open\\"], [Challenge(scheme: "Basic", parameters: ["realm": "open\\"])]),
            (["Basic realm=\"Zürich\""], [Challenge(scheme: "Basic", parameters: ["realm": "Zürich"])]),
            (["Basic realm="], [Challenge(scheme: "Basic", token68: "realm=")]),
            (["Basic realm =\t\"\""], [Challenge(scheme: "Basic", parameters: ["realm": ""])]),
            (["realm=\"nobody's\""], []),
            (["", " ", ",", "\"", "\"x", "=", "\u{0}é(", "\\"], []),
        ]
    )
    func parsing(fields: [String], expected: [Challenge]) {
        #expect(ChallengeField.challenges(in: fields) == expected)
    }

    @Test("The parser of challenges accepts any bytes without a trap", .seeded)
    func neverTraps() {
        let chunks = ["Basic", " ", ",", "=", "\"", "\\", "realm", "\t", "é", "(", "/", "\u{7F}", "nonce=\"x\""]
        var generator = SeededGenerator()
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                chunks.randomElement(using: &generator) ?? ""
            }
            let challenges = ChallengeField.challenges(in: [text.joined()])
            #expect(challenges.count <= text.count)
        }
    }

    private func strongest(_ fields: String...) -> AnswerableChallenge? {
        AnswerableChallenge.strongest(of: fields)
    }

    @Test(
        "The strongest supported challenge is selected",
        arguments: [
            (["Basic realm=a"], "Basic"),
            (["Bearer", "Negotiate"], nil),
            (["Basic realm=a", "Digest realm=a, nonce=n"], "MD5"),
            (
                ["digest nonce=n, algorithm=md5, qop=\"auth\"", "Digest nonce=n, algorithm=SHA-256, qop=auth"],
                "SHA-256"
            ),
            (["Digest nonce=n, algorithm=MD5-SESS, qop=auth", "Digest nonce=n, qop=auth"], "MD5-sess"),
            (
                ["Digest nonce=n, algorithm=SHA-256, qop=auth, Digest nonce=n, algorithm=SHA-256-sess, qop=auth"],
                "SHA-256-sess"
            ),
            (["Digest nonce=n, algorithm=SHA-512-256, qop=auth", "basic realm=a"], "Basic"),
            (["Digest nonce=n, qop=\"auth-int\"", "Basic realm=a"], "Basic"),
            (["Digest nonce=n, qop=\"auth-int\""], nil),
            (["Digest nonce=n, qop=\"auth-int, AUTH\""], "MD5"),
            (["Digest nonce=n, qop=\"\""], "MD5"),
            (["Digest realm=a"], nil),
        ] as [([String], String?)]
    )
    func choice(fields: [String], expected: String?) {
        let choice = AnswerableChallenge.strongest(of: fields)
        let name =
            switch choice {
            case nil: String?.none
            case .basic: "Basic"
            case .digest(let challenge): challenge.algorithm.rawValue
            }
        #expect(name == expected)
    }

    @Test("Of two equal challenges, the first is selected")
    func firstOfEquals() {
        #expect(strongest("Basic realm=a, Basic realm=b") == .basic(realm: "a"))
        #expect(strongest("Digest realm=a, nonce=n", "Digest realm=b, nonce=n")?.realm == "a")
        #expect(strongest("Basic") == .basic(realm: nil))
    }

    @Test("The parameters of a Digest challenge are parsed")
    func digest() throws {
        let challenge = strongest(
            """
            Digest realm="r", nonce="n", opaque="o", stale=TRUE, userhash=true, charset=utf-8, \
            domain="/a http://host/b", qop="auth"
            """
        )
        guard case .digest(let digest) = challenge else {
            Issue.record("no Digest")
            return
        }
        #expect(digest.realm == "r")
        #expect(digest.nonce == "n")
        #expect(digest.opaque == "o")
        #expect(digest.algorithm == .md5)
        #expect(!digest.namesAlgorithm)
        #expect(digest.hasQualityOfProtection)
        #expect(digest.isStale && challenge?.isStale == true)
        #expect(digest.wantsUserHash)
        #expect(digest.isUTF8)
        #expect(digest.domain == ["/a", "http://host/b"])
    }
}
#endif
