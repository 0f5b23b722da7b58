#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// A way to authenticate after a 401 or 407 response.
enum ChallengeOffer: Sendable, Hashable {
    /// A field in each request.
    case field(AnswerableChallenge)
    /// Authentication of the connection by libcurl.
    case connection(ConnectionScheme)

    var realm: String? {
        switch self {
        case .field(let challenge): challenge.realm
        case .connection: ""
        }
    }

    var scheme: ProtectionSpace.Scheme {
        switch self {
        case .field(let challenge): challenge.scheme
        case .connection(.negotiate): .negotiate
        case .connection(.ntlm): .ntlm
        }
    }
}

extension ChallengeOffer {
    /// Returns the possible ways to authenticate, the strongest first. Ways of equal strength remain in their order.
    ///
    /// Digest precedes Basic, because Basic reveals the password. SHA-256 precedes MD5. The schemes that authenticate a
    /// connection are used only if there is no other scheme.
    /// - Parameter schemes: The schemes that libcurl supports.
    static func offers(
        in challenges: [ChallengeField],
        schemes: Set<ConnectionScheme>
    ) -> [ChallengeOffer] {
        let answerable = challenges.compactMap(AnswerableChallenge.init)
        if answerable.isEmpty {
            let offered = challenges.compactMap { ConnectionScheme(name: $0.scheme) }
            return ConnectionScheme.allCases.filter { schemes.contains($0) && offered.contains($0) }
                .map(ChallengeOffer.connection)
        }
        let order = answerable.indices.sorted {
            (answerable[$1].strength, $0) < (answerable[$0].strength, $1)
        }
        return order.map { .field(answerable[$0]) }
    }
}

/// A challenge for which a user name and a password are needed.
enum AnswerableChallenge: Sendable, Hashable {
    /// A Basic challenge (RFC 7617). The realm is nil if the server omits it, which violates the RFC.
    case basic(realm: String?)
    /// A Digest challenge (RFC 7616).
    case digest(DigestChallenge)

    /// Creates the challenge. Returns nil if the scheme is neither Basic nor Digest, or if no response to the Digest
    /// challenge can be computed.
    init?(_ challenge: ChallengeField) {
        if challenge.scheme.hasSameLetters(as: "Basic") {
            self = .basic(realm: challenge["realm"])
        } else if let digest = DigestChallenge(challenge) {
            self = .digest(digest)
        } else {
            return nil
        }
    }

    var realm: String? {
        switch self {
        case .basic(let realm): realm
        case .digest(let challenge): challenge.realm
        }
    }

    /// Whether the credentials were correct, and only the nonce was too old.
    var isStale: Bool {
        switch self {
        case .basic: false
        case .digest(let challenge): challenge.isStale
        }
    }

    var scheme: ProtectionSpace.Scheme {
        switch self {
        case .basic: .basic
        case .digest: .digest
        }
    }

    /// Whether this user credential can be used for the challenge. A name with a colon cannot be used for Basic,
    /// because the server would read the part after the colon as the password (RFC 7617, section 2).
    func accepts(_ userCredential: UserCredential) -> Bool {
        switch self {
        case .basic: !userCredential.user.utf8.contains(UInt8(ascii: ":"))
        case .digest: true
        }
    }

    /// The rank among challenges. The challenge with the largest number is preferred.
    var strength: Int {
        switch self {
        case .basic: 0
        case .digest(let challenge):
            switch challenge.algorithm {
            case .md5: 1
            case .md5Session: 2
            case .sha256: 3
            case .sha256Session: 4
            }
        }
    }
}

/// The sender of a challenge. Delegates call a completion handler in place of its methods, so its methods do nothing.
///
/// FoundationNetworking's own sender ends the process when it is used.
final class ChallengeSender: NSObject, URLAuthenticationChallengeSender, Sendable {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
#endif
