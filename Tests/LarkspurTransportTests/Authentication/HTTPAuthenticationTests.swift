#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import HTTPSyntax
import Synchronization
import Testing

@testable import LarkspurTransport

@Suite struct HTTPAuthenticationTests {
    private func challenge(_ field: String) throws -> AnswerableChallenge {
        try #require(AnswerableChallenge.strongest(of: [field]))
    }

    private func authentication(
        _ field: String,
        user: String = "Mufasa",
        password: String = "Circle of Life",
        clientNonce: String = "c"
    ) throws -> HTTPAuthentication {
        HTTPAuthentication(
            challenge: try challenge(field),
            userCredential: UserCredential(user: user, password: password)
        ) { clientNonce }
    }

    private func parameters(_ field: String) -> [TextKey: String] {
        ChallengeField.challenges(in: [field]).first?.parameters ?? [:]
    }

    @Test(
        "Basic joins name and password as UTF-8",
        arguments: [
            ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("test", "123£", "Basic dGVzdDoxMjPCow=="),
            ("", "", "Basic Og=="),
        ]
    )
    func basic(user: String, password: String, field: String) throws {
        var authentication = try authentication("Basic realm=\"WallyWorld\"", user: user, password: password)
        #expect(authentication.authorization(method: "GET", target: "/") == field)
        #expect(authentication.authorization(method: "PUT", target: "/other") == field)
    }

    @Test(
        "A Digest response equals the example in RFC 7616, section 3.9.1",
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ]
    )
    func digestExample(algorithm: String, response: String) throws {
        var authentication = try authentication(
            """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """,
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
        )
        let expected = """
            Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=\(algorithm), \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, \
            cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, response="\(response)", \
            opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """
        #expect(authentication.authorization(method: "GET", target: "/dir/index.html") == expected)
    }

    @Test("The response to a challenge without a quality of protection is that of RFC 2069")
    func legacyDigest() throws {
        var authentication = try authentication("Digest realm=\"r\", nonce=\"n\"", user: "u", password: "p")
        let hash = DigestAlgorithm.md5.hash
        func md5(_ text: String) -> String { hash(Data(text.utf8)) }
        let response = md5("\(md5("u:r:p")):n:\(md5("GET:/x"))")
        #expect(
            authentication.authorization(method: "GET", target: "/x")
                == "Digest username=\"u\", realm=\"r\", uri=\"/x\", nonce=\"n\", response=\"\(response)\""
        )
    }

    @Test(
        "A session algorithm combines the secret with the first nonces",
        arguments: [DigestAlgorithm.md5Session, .sha256Session]
    )
    func sessionAlgorithm(algorithm: DigestAlgorithm) throws {
        var authentication = try authentication(
            "Digest realm=r, nonce=n, qop=auth, algorithm=\(algorithm.rawValue)",
            user: "u",
            password: "p"
        )
        func hash(_ text: String) -> String { algorithm.hash(Data(text.utf8)) }
        let secret = hash("\(hash("u:r:p")):n:c")
        let first = parameters(authentication.authorization(method: "GET", target: "/x"))
        #expect(first["response"] == hash("\(secret):n:00000001:c:auth:\(hash("GET:/x"))"))
        #expect(first["algorithm"] == algorithm.rawValue)

        authentication.wasAccepted(authenticationInfo: ["nextnonce=\"m\""])
        let second = parameters(authentication.authorization(method: "GET", target: "/x"))
        #expect(second["response"] == hash("\(secret):m:00000001:c:auth:\(hash("GET:/x"))"))
    }

    @Test("The uses of a nonce are counted, and the count begins again with the next nonce")
    func nonceCount() throws {
        var authentication = try authentication("Digest realm=r, nonce=n, qop=auth")
        func use() -> [TextKey: String] { parameters(authentication.authorization(method: "GET", target: "/")) }
        #expect(use()["nc"] == "00000001")
        let second = use()
        #expect(second["nc"] == "00000002")
        #expect(second["response"] != use()["response"])
        authentication.wasAccepted(authenticationInfo: ["nextnonce=\"n\""])
        #expect(use()["nc"] == "00000004")
        authentication.wasAccepted(authenticationInfo: ["qop=auth, rspauth=\"x\"", "cnonce=\"c\", NextNonce=\"m\""])
        let next = use()
        #expect(next["nc"] == "00000001")
        #expect(next["nonce"] == "m")
        authentication.wasAccepted()
        #expect(use()["nc"] == "00000002")
    }

    @Test("A client nonce is random, and new for each challenge")
    func clientNonce() throws {
        func clientNonce(_ authentication: inout HTTPAuthentication) throws -> String {
            try #require(parameters(authentication.authorization(method: "GET", target: "/"))["cnonce"])
        }
        let challenge = try challenge("Digest realm=r, nonce=n, qop=auth")
        var first = HTTPAuthentication(challenge: challenge, userCredential: UserCredential(user: "u", password: "p"))
        var second = HTTPAuthentication(challenge: challenge, userCredential: UserCredential(user: "u", password: "p"))
        let nonce = try clientNonce(&first)
        #expect(nonce.utf8.count == 32)
        #expect(try clientNonce(&second) != nonce)
        #expect(try clientNonce(&first) == nonce)
        let isRenewed = first.renew(with: try self.challenge("Digest realm=r, nonce=m, qop=auth, stale=true"))
        #expect(isRenewed)
        #expect(try clientNonce(&first) != nonce)
    }

    @Test("A stale nonce is replaced, up to a limit of consecutive replacements")
    func stale() throws {
        var authentication = try authentication("Digest realm=r, nonce=n0, qop=auth")
        _ = authentication.authorization(method: "GET", target: "/")
        for number in 1...HTTPAuthentication.renewalLimit {
            let next = try challenge("Digest realm=r, nonce=n\(number), qop=auth, stale=true")
            let isRenewed = authentication.renew(with: next)
            #expect(isRenewed)
            let values = parameters(authentication.authorization(method: "GET", target: "/"))
            #expect(values["nonce"] == "n\(number)")
            #expect(values["nc"] == "00000001")
        }
        let again = try challenge("Digest realm=r, nonce=n9, qop=auth, stale=true")
        let isRenewedTooOften = authentication.renew(with: again)
        #expect(!isRenewedTooOften)
        authentication.wasAccepted()
        let isRenewedAfterSuccess = authentication.renew(with: again)
        #expect(isRenewedAfterSuccess)
        #expect(authentication.challenge == again)
    }

    @Test(
        "Only a stale challenge of the same realm renews Digest credentials",
        arguments: [
            "Digest realm=r, nonce=m, qop=auth", "Digest realm=r, nonce=m, qop=auth, stale=false",
            "Digest realm=other, nonce=m, qop=auth, stale=true", "Basic realm=r",
        ]
    )
    func refused(field: String) throws {
        var authentication = try authentication("Digest realm=r, nonce=n, qop=auth")
        let isRenewed = authentication.renew(with: try challenge(field))
        #expect(!isRenewed)
        #expect(parameters(authentication.authorization(method: "GET", target: "/"))["nonce"] == "n")
    }

    @Test(
        "The user name has the form that the server requests",
        arguments: [
            ("", "u", "username=\"u\""), ("", "a\"b\\c", #"username="a\"b\\c""#),
            ("", "Jäsøn", "username=\"Jäsøn\""),
            (", charset=UTF-8", "Jäsøn Doe", "username*=UTF-8''J%C3%A4s%C3%B8n%20Doe"),
            (", charset=UTF-8", "Jason", "username=\"Jason\""),
            (", userhash=true", "u", "username=\"\(DigestAlgorithm.md5.hash("u", "r"))\""),
            ("", "a\r\nX-Injected: b\u{0}", "username=\"aX-Injected: b\""),
        ]
    )
    func userNames(option: String, user: String, parameter: String) throws {
        var authentication = try authentication("Digest realm=r, nonce=n, qop=auth\(option)", user: user)
        let field = authentication.authorization(method: "GET", target: "/")
        #expect(field.hasPrefix("Digest \(parameter), realm="))
        #expect(field.contains("userhash=true") == option.contains("userhash"))
    }

    @Test("A credential has a name and a password, and no description shows them")
    func userCredential() throws {
        let userCredential = try #require(
            UserCredential(URLCredential(user: "u", password: "secret", persistence: .none))
        )
        #expect(userCredential == UserCredential(user: "u", password: "secret"))
        #expect(!"\(userCredential)".contains("secret"))
        #expect(!String(reflecting: userCredential).contains("secret"))
        var dumped = ""
        let authentication = HTTPAuthentication(challenge: .basic(realm: "r"), userCredential: userCredential)
        dump(authentication.userCredential, to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    @Test(
        "The credential of a URL is its user information",
        arguments: [
            ("http://a:b@h/", UserCredential(user: "a", password: "b")),
            ("http://a%40x:b%3A@h/", UserCredential(user: "a@x", password: "b:")),
            ("http://a@h/", UserCredential(user: "a", password: "")), ("http://h/", nil), ("http://:b@h/", nil),
        ]
    )
    func credentialOfURL(url: String, userCredential: UserCredential?) throws {
        #expect(UserCredential(try #require(URL(string: url))) == userCredential)
    }
}
#endif
