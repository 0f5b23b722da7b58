#if canImport(FoundationNetworking)
internal import CLibcurl
internal import HTTPSyntax

/// Credentials for a challenge. The value creates the `Authorization` or `Proxy-Authorization` field of each request.
///
/// It stores the user name and the password for its whole life, because Digest needs them for each new nonce.
struct HTTPAuthentication: Sendable {
    /// The number of consecutive times that a server may report a stale nonce. Without a limit, a server could occupy a
    /// task forever.
    static let renewalLimit = 3

    private(set) var challenge: AnswerableChallenge
    let userCredential: UserCredential
    private let makeClientNonce: @Sendable () -> String
    private var scheme: SchemeState
    private var renewals = 0

    private enum SchemeState: Sendable {
        case basic(field: String)
        case digest(DigestSession)
    }

    /// - Parameter makeClientNonce: Creates a client nonce for each nonce of the server. Default: 128 random bits.
    init(
        challenge: AnswerableChallenge,
        userCredential: UserCredential,
        makeClientNonce: @escaping @Sendable () -> String = HTTPAuthentication.randomNonce
    ) {
        self.challenge = challenge
        self.userCredential = userCredential
        self.makeClientNonce = makeClientNonce
        scheme = Self.state(challenge, userCredential, makeClientNonce)
    }

    /// Creates the value of the field for a request.
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

    /// Adopts the new nonce of the first challenge that reports only that the last nonce is stale.
    ///
    /// - Parameter isExpected: Whether the credentials were accepted before. If they were, a challenge with a new
    ///   Digest nonce is also used, even if it does not report that the last nonce is stale.
    mutating func renew(with offers: [ChallengeOffer], isExpected: Bool) -> Bool {
        for case .field(let next) in offers where renew(with: next, isExpected: isExpected) { return true }
        return false
    }

    /// Adopts the new nonce of a challenge that reports only that the last nonce is stale.
    ///
    /// - Returns: Whether the request has to be sent again with the same credentials. If so, the challenge is not a
    ///   refusal. False after ``renewalLimit`` renewals without a success, or if the challenge has a different realm.
    mutating func renew(with next: AnswerableChallenge, isExpected: Bool = false) -> Bool {
        guard next.isStale || isExpected && next.scheme == .digest, next.realm == challenge.realm,
            next.scheme == challenge.scheme,
            renewals < Self.renewalLimit
        else { return false }
        renewals += 1
        challenge = next
        scheme = Self.state(next, userCredential, makeClientNonce)
        return true
    }

    /// Records that a server accepted the credentials. If the server has sent a next nonce, adopts it (RFC 7616,
    /// section 3.5).
    /// - Parameter authenticationInfo: The values of `Authentication-Info`, or of `Proxy-Authentication-Info`.
    mutating func wasAccepted(authenticationInfo: [String] = []) {
        renewals = 0
        guard case .digest(var session) = scheme else { return }
        for value in authenticationInfo {
            guard let nonce = ChallengeField.parameters(in: value)["nextnonce"], !nonce.isEmpty else { continue }
            session.adopt(nonce: nonce)
            scheme = .digest(session)
        }
    }

    private static func state(
        _ challenge: AnswerableChallenge,
        _ userCredential: UserCredential,
        _ makeClientNonce: () -> String
    ) -> SchemeState {
        switch challenge {
        case .basic:
            let userAndPassword = "\(userCredential.user):\(userCredential.password)"
            return .basic(field: "Basic " + Data(userAndPassword.octets).base64EncodedString())
        case .digest(let digest):
            return .digest(DigestSession(digest, userCredential, clientNonce: makeClientNonce()))
        }
    }

    private static func randomNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return withUnsafeBytes(of: (generator.next(), generator.next())) { $0.hexadecimal }
    }
}

/// A scheme that authenticates a connection, not a request. libcurl performs the authentication if it was built with
/// support for the scheme.
enum ConnectionScheme: String, CaseIterable {
    /// Negotiate (RFC 4559), mostly with Kerberos.
    case negotiate = "Negotiate"
    case ntlm = "NTLM"

    /// Creates the scheme with a name; nil for other schemes.
    init?(name: String) {
        guard let scheme = Self.allCases.first(where: { $0.rawValue.hasSameLetters(as: name) }) else { return nil }
        self = scheme
    }

    /// The schemes that the loaded libcurl supports.
    static let available: Set<ConnectionScheme> = {
        let features = libcurl_features()
        var schemes: Set<ConnectionScheme> = []
        if features & CURL_VERSION_NTLM != 0 { schemes.insert(.ntlm) }
        if features & CURL_VERSION_SPNEGO != 0 { schemes.insert(.negotiate) }
        return schemes
    }()

    /// Whether libcurl can authenticate with this user credential.
    ///
    /// For Negotiate, libcurl ignores the name and always sends the ticket of the user of this process. So only a
    /// credential with an empty name and an empty password is accepted. It means the user of the process.
    func accepts(_ userCredential: UserCredential) -> Bool {
        switch self {
        case .negotiate: userCredential.user.isEmpty && userCredential.password.isEmpty
        case .ntlm:
            !userCredential.user.isEmpty && !userCredential.user.utf8.contains(0)
                && !userCredential.password.utf8.contains(0)
        }
    }

    /// The scheme's bit in libcurl's options.
    var mask: Int { Int(self == .negotiate ? CURLAUTH_NEGOTIATE : CURLAUTH_NTLM) }
}
#endif
