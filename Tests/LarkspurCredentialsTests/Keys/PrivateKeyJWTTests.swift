import HTTPSyntax
import LarkspurTestSupport
import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import LarkspurCredentials

@Suite(
    "OAuth 2 clients with a private key",
    .enabled(if: OpenSSLKey.unavailability == nil, "There is no OpenSSL."),
    .timeLimit(.minutes(5))
)
struct PrivateKeyJWTTests {
    private static let token = #"{"access_token": "a1", "refresh_token": "r1"}"#

    /// A JWT in its parts.
    private struct Token {
        let header: [String: String]
        let claims: [String: Any]
        let content: Data
        let signature: Data

        init(_ text: String) throws {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            try #require(parts.count == 3)
            let data = try parts.map { try #require(Data(base64URL: $0)) }
            header = try #require(try JSONSerialization.jsonObject(with: data[0]) as? [String: String])
            claims = try #require(try JSONSerialization.jsonObject(with: data[1]) as? [String: Any])
            content = Data((parts[0] + "." + parts[1]).utf8)
            signature = data[2]
        }

        func text(_ name: String) -> String? { claims[name] as? String }
    }

    /// Returns the JWTs of the requests to a path.
    private func tokens(_ fake: AuthorizationServer, _ path: String = "/token") throws -> [Token] {
        try fake.forms(to: path).map { try Token($0["client_assertion"] ?? "") }
    }

    private static let algorithms: [(KeyFixtures.Pair, SignatureAlgorithm, String)] = [
        (KeyFixtures.rsa, .rsaPKCS1SHA256, "RS256"), (KeyFixtures.rsa, .rsaPSSSHA256, "PS256"),
        (KeyFixtures.rsa, .rsaPSSSHA512, "PS512"), (KeyFixtures.p256, .ecdsaP256SHA256, "ES256"),
        (KeyFixtures.p384, .ecdsaP384SHA384, "ES384"), (KeyFixtures.ed25519, .ed25519, "EdDSA"),
    ]

    @Test("The server verifies the client's assertion with the public key", arguments: algorithms)
    func verification(_ pair: KeyFixtures.Pair, _ algorithm: SignatureAlgorithm, _ name: String) async throws {
        for transport in TestTransport.allCases {
            let fake = try AuthorizationServer(transport)
            let publicKey = try VerificationKey(pem: pair.publicKey)
            fake.loopback.route("/token") { request in
                let form = request.form.first { $0.name == "client_assertion" }?.value ?? ""
                let isValid = (try? Token(form)).map { token in
                    (try? publicKey.isValid(token.signature, for: token.content, with: algorithm)) == true
                }
                return isValid == true ? .json(Self.token) : .json(#"{"error": "invalid_client"}"#, status: 401)
            }
            var client = fake.client(secret: "s3cret-word")
            client.date = { Date(timeIntervalSince1970: 1000.9) }
            client.authentication = try .privateKeyJWT(SigningKey(pem: pair.privateKey), with: algorithm)
            let credential = try await client.authorizeClient(scope: "read")
            #expect(credential.accessToken == "a1")

            let token = try #require(try tokens(fake).first)
            #expect(token.header == ["alg": name, "typ": "JWT"])
            #expect(token.text("iss") == "app: 1" && token.text("sub") == "app: 1")
            #expect(token.text("aud") == fake.loopback.url("/token").absoluteString)
            #expect(token.claims["iat"] as? Int == 1000 && token.claims["exp"] as? Int == 1060)
            #expect((token.text("jti") ?? "").utf8.count == 43 && token.claims.count == 6)
            var form = try #require(fake.forms(to: "/token").first)
            form["client_assertion"] = nil
            #expect(
                form == [
                    "grant_type": "client_credentials", "scope": "read", "client_id": "app: 1",
                    "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                ]
            )
            let request = try #require(fake.loopback.requests.first)
            #expect(request.headers["Authorization"] == nil && !request.text.contains("s3cret-word"))
        }
    }

    @Test("Each request has a new assertion, also one that renews a token, for the chosen audience")
    func eachRequest() async throws {
        let fake = try AuthorizationServer()
        fake.loopback.route("/token", .json(Self.token))
        let now = Mutex(Date(timeIntervalSince1970: 1000))
        var client = fake.client()
        client.date = { now.withLock { $0 } }
        client.authentication = try .privateKeyJWT(
            SigningKey(pem: KeyFixtures.p256Private),
            with: .ecdsaP256SHA256,
            keyID: "key/\"1\"",
            audience: fake.issuer,
            lifetime: .seconds(300)
        )
        let first = try await client.authorizeClient()
        now.withLock { $0 += 7 }
        _ = try await client.authorizeClient()
        let second = try await client.authenticator().refresh(first, after: nil)
        #expect(second.accessToken == "a1" && fake.forms(to: "/token")[2]["refresh_token"] == "r1")

        let tokens = try tokens(fake)
        #expect(tokens.map { $0.header["kid"] } == ["key/\"1\"", "key/\"1\"", "key/\"1\""])
        #expect(tokens.map { $0.text("aud") } == [fake.issuer, fake.issuer, fake.issuer])
        #expect(Set(tokens.compactMap { $0.text("jti") }).count == 3)
        #expect(tokens.prefix(2).map { $0.claims["exp"] as? Int } == [1300, 1307])
    }

    @Test("The audience is the token endpoint, whatever the endpoint of the request")
    func audience() async throws {
        let fake = try AuthorizationServer()
        fake.loopback.route("/device", .json(#"{"error": "access_denied"}"#, status: 400))
        var client = fake.client()
        client.authentication = try .privateKeyJWT(SigningKey(pem: KeyFixtures.ed25519Private), with: .ed25519)
        await #expect(throws: LarkspurError.self) { try await client.authorizeDevice { _ in } }
        let token = try #require(try tokens(fake, "/device").first)
        #expect(token.text("aud") == fake.loopback.url("/token").absoluteString)
    }

    @Test(
        "The lifetime is at least one second",
        arguments: [(.zero, 1), (.seconds(-5), 1), (.milliseconds(2900), 2), (.seconds(Int64.max), 1 << 50)]
            as [(Duration, Int)]
    )
    func lifetime(_ lifetime: Duration, _ seconds: Int) throws {
        let date = Date(timeIntervalSince1970: 0)
        let token = ClientToken(clientID: "a", audience: "b", date: date, lifetime: lifetime)
        let text = try token.signed(with: SigningKey(pem: KeyFixtures.ed25519Private), .ed25519, keyID: nil)
        #expect(try Token(text).claims["exp"] as? Int == seconds)
    }

    // MARK: Errors

    @Test("A key that does not fit the algorithm is refused before there is a client")
    func unsuitable() throws {
        let key = try SigningKey(pem: KeyFixtures.p384Private)
        let short = try SigningKey(pem: KeyFixtures.rsa1024Private)
        typealias Authentication = OAuth2Authenticator.ClientAuthentication
        let errors = [
            #expect(throws: SignatureKeyError.self) { try Authentication.privateKeyJWT(key, with: .ecdsaP256SHA256) },
            #expect(throws: SignatureKeyError.self) { try Authentication.privateKeyJWT(short, with: .rsaPSSSHA256) },
        ]
        #expect(errors.map { $0?.reason } == [.unsuitable, .unsuitable])
        #expect(errors[0]?.message.contains("ecdsa-p256-sha256") == true)
        #expect(errors[1]?.message.contains("rsa-pss-sha256") == true)
    }

    @Test("Without an assertion, nothing is sent, and the error has its reason", arguments: TestTransport.allCases)
    func noAssertion(_ transport: TestTransport) async throws {
        let fake = try AuthorizationServer(transport)
        var client = fake.client()
        client.authentication = .assertion { _, _, _ in throw SignatureKeyError(.unavailable, "There is no OpenSSL.") }
        let authenticator = client.authenticator()
        let credential = OAuth2Credential(accessToken: "a", refreshToken: "r")
        let sender = client
        let error = await #expect(throws: LarkspurError.self) { try await sender.authorizeClient() }
        let renewal = await #expect(throws: LarkspurError.self) {
            try await authenticator.refresh(credential, after: nil)
        }
        #expect(error?.code == .authorizationFailed && renewal?.code == .credentialRefreshFailed)
        for error in [error, renewal] {
            #expect(error?.message == "The client could not be authenticated: There is no OpenSSL.")
            #expect((error?.underlyingError as? SignatureKeyError)?.reason == .unavailable)
        }
        #expect(fake.loopback.requests.isEmpty)
    }

    @Test("An error contains no assertion, even if the server repeats it")
    func secrets() async throws {
        let fake = try AuthorizationServer()
        fake.loopback.route("/token") { request in
            let assertion = request.form.first { $0.name == "client_assertion" }?.value ?? ""
            let answer = #"{"error": "invalid_client", "error_description": "Bad \#(assertion)"}"#
            return .json(answer, status: 401)
        }
        var client = fake.client()
        client.authentication = try .privateKeyJWT(SigningKey(pem: KeyFixtures.p256Private), with: .ecdsaP256SHA256)
        let sender = client
        let error = try await #require(throws: LarkspurError.self) { try await sender.authorizeClient() }
        let assertion = try #require(fake.forms(to: "/token").first?["client_assertion"])
        var text = printed(error) + "\(client) \(client.authenticator())"
        dump(client, to: &text)
        #expect(error.message.contains("invalid_client: Bad redacted"))
        for part in assertion.split(separator: ".") { #expect(!text.contains(part)) }
    }

    @Test("Only copies of an authentication are equal")
    func equality() throws {
        let key = try SigningKey(pem: KeyFixtures.ed25519Private)
        let first = try OAuth2Authenticator.ClientAuthentication.privateKeyJWT(key, with: .ed25519)
        let second = try OAuth2Authenticator.ClientAuthentication.privateKeyJWT(key, with: .ed25519)
        let copy = first
        #expect(first == copy && first != second && first != .basic && Set([first, copy, second]).count == 2)
    }
}

extension Data {
    /// Reads base64url without padding; nil if it is something else.
    init?(base64URL text: String) {
        guard !text.contains(where: { "+/=".contains($0) }) else { return nil }
        let base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        self.init(base64Encoded: base64 + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
    }
}
