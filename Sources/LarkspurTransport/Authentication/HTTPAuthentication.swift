#if canImport(FoundationNetworking)
internal import HTTPBasics

/// Credentials for a challenge, as a value: what goes into the `Authorization` field of each request, or into `Proxy-Authorization`.
///
/// A user name and a password are kept for as long as the value is, since Digest needs them for each new nonce.
struct HTTPAuthentication: Sendable {
    /// How often in a row a server may say that only the nonce was too old. One that goes on saying so would keep a task for ever.
    static let renewalLimit = 3

    private(set) var challenge: AnswerableChallenge
    let user: String
    private let password: String
    private let makeClientNonce: @Sendable () -> String
    private var scheme: SchemeState
    private var renewals = 0

    private enum SchemeState: Sendable {
        case basic(field: String)
        case digest(DigestSession)
    }

    /// - Parameter makeClientNonce: Makes the client's nonce, one for each of the server's. Default: 128 random bits.
    init(
        challenge: AnswerableChallenge,
        user: String,
        password: String,
        makeClientNonce: @escaping @Sendable () -> String = HTTPAuthentication.randomNonce
    ) {
        self.challenge = challenge
        self.user = user
        self.password = password
        self.makeClientNonce = makeClientNonce
        scheme = Self.state(challenge, user, password, makeClientNonce)
    }

    /// Nil if the credential is not one of a name and a password, such as an identity.
    init?(challenge: AnswerableChallenge, credential: URLCredential) {
        guard let user = credential.user, let password = credential.password else { return nil }
        self.init(challenge: challenge, user: user, password: password)
    }

    /// The value of the field for a request.
    /// - Parameters:
    ///   - method: The method as it is sent.
    ///   - target: The request-target as it is sent: path and query, or the authority for `CONNECT`.
    mutating func authorization(method: String, target: String) -> String {
        switch scheme {
        case .basic(let field): return field
        case .digest(var session):
            let field = session.credentials(method: method, target: target)
            scheme = .digest(session)
            return field
        }
    }

    /// Takes the new nonce of a challenge that says that only the last one was too old.
    ///
    /// - Returns: Whether the request is to be sent again with the same credentials, which then counts as no failure. False too after several
    ///   renewals without a success, and for another realm.
    mutating func renew(with next: AnswerableChallenge) -> Bool {
        guard next.isStale, next.realm == challenge.realm, next.scheme == challenge.scheme,
            renewals < Self.renewalLimit
        else { return false }
        renewals += 1
        challenge = next
        scheme = Self.state(next, user, password, makeClientNonce)
        return true
    }

    /// Notes that a server took the credentials, and the nonce that it wants next (RFC 7616, section 3.5).
    /// - Parameter authenticationInfo: The values of `Authentication-Info`, or of `Proxy-Authentication-Info`.
    mutating func wasAccepted(authenticationInfo: [String] = []) {
        renewals = 0
        guard case .digest(var session) = scheme else { return }
        for value in authenticationInfo {
            var parser = AuthenticationFieldParser(value)
            guard let nonce = parser.parameters()["nextnonce"], !nonce.isEmpty else { continue }
            session.adopt(nonce: nonce)
            scheme = .digest(session)
        }
    }

    private static func state(
        _ challenge: AnswerableChallenge,
        _ user: String,
        _ password: String,
        _ makeClientNonce: () -> String
    ) -> SchemeState {
        switch challenge {
        case .basic: .basic(field: "Basic " + Data("\(user):\(password)".utf8).base64EncodedString())
        case .digest(let digest):
            .digest(
                DigestSession(challenge: digest, user: user, password: password, clientNonce: makeClientNonce())
            )
        }
    }

    private static func randomNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return withUnsafeBytes(of: (generator.next(), generator.next())) { $0.hexadecimal }
    }
}
#endif
