internal import HTTPSyntax
internal import JSONSyntax

extension OAuth2Authenticator.ClientAuthentication {
    /// Returns the authentication with a private key, which the program need not send (`private_key_jwt`; RFC 7523,
    /// section 2.2; OpenID Connect Core 1.0, section 9).
    ///
    ///     var client = OAuth2Client("app", server: server, manager: manager)
    ///     client.authentication = try .privateKeyJWT(key, with: .ecdsaP256SHA256, keyID: "2026-1")
    ///
    /// Each request, also one that renews a token, has a new signed JWT: with the client as `iss` and `sub`, a random
    /// `jti`, and the present date. A secret of the client is not sent. Only copies of a value are equal to it.
    /// - Parameters:
    ///   - key: The private key. The server knows its public key.
    ///   - algorithm: The algorithm, which has to fit the key: `RS256`, `PS256`, `PS512`, `ES256`, `ES384` or `EdDSA`.
    ///   - keyID: The server's name of the key (`kid`). Default: none.
    ///   - audience: The `aud`, such as ``OAuth2Server/issuer``, which some servers require. Default: the URL of the
    ///     token endpoint.
    ///   - lifetime: The time from `iat` to `exp`, at least 1 second. Default: 60 seconds.
    /// - Throws: ``SignatureKeyError`` with the reason `unsuitable`.
    public static func privateKeyJWT(
        _ key: SigningKey,
        with algorithm: SignatureAlgorithm,
        keyID: String? = nil,
        audience: String? = nil,
        lifetime: Duration = .seconds(60)
    ) throws(SignatureKeyError) -> Self {
        try key.check(algorithm)
        return .assertion { clientID, tokenEndpoint, date in
            let token = ClientToken(
                clientID: clientID,
                audience: audience ?? tokenEndpoint.absoluteString,
                date: date,
                lifetime: lifetime
            )
            return OAuth2Assertion.Content(
                type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                value: try token.signed(with: key, algorithm, keyID: keyID)
            )
        }
    }
}

/// A JWT (RFC 7519) with which a client proves that it has a key.
struct ClientToken {
    let clientID: String
    let audience: String
    let date: Date
    let lifetime: Duration
    /// The random name of the token, by which a server knows a token that is sent a second time.
    var id = RandomText.make()

    /// Returns the token in the compact form (RFC 7515, section 7.1).
    func signed(
        with key: SigningKey,
        _ algorithm: SignatureAlgorithm,
        keyID: String?
    ) throws(SignatureKeyError) -> String {
        let header =
            [("alg", text(algorithm.jwsName)), ("typ", text("JWT"))] + (keyID.map { [("kid", text($0))] } ?? [])
        let content = encoded(header) + "." + encoded(claims)
        let signature = try key.signature(of: Data(content.utf8), with: algorithm)
        return content + "." + signature.base64URL
    }

    private var claims: [(String, JSONNode)] {
        // Whole seconds, which each server reads. Dates that no clock has are shortened.
        let seconds = Int64(min(max(date.timeIntervalSince1970.rounded(.down), 0), 1e15))
        let end = seconds + min(max(lifetime.components.seconds, 1), 1 << 50)
        return [
            ("iss", text(clientID)), ("sub", text(clientID)), ("aud", text(audience)), ("jti", text(id)),
            ("iat", JSONNode(.number("\(seconds)"))), ("exp", JSONNode(.number("\(end)"))),
        ]
    }

    private func text(_ value: String) -> JSONNode { JSONNode(.string(value)) }

    private func encoded(_ members: [(String, JSONNode)]) -> String {
        JSONNode(.object(members.map { JSONNode.Member(name: $0, value: $1) })).compact.base64URL
    }
}
