#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// A challenge for which a user name and a password are needed.
enum AnswerableChallenge: Sendable, Hashable {
    /// A Basic challenge (RFC 7617). The realm is nil if the server omits it, against the RFC.
    case basic(realm: String?)
    /// A Digest challenge (RFC 7616).
    case digest(DigestChallenge)

    /// Creates the challenge; nil if the scheme is neither Basic nor Digest, or if no response to the Digest challenge
    /// can be computed.
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

    /// Whether the credentials were right, and only the nonce was too old.
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

    /// Whether this user credential can be used for the challenge. A name with a colon cannot be used for Basic: the
    /// server would take the part after the colon for the password (RFC 7617, section 2).
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
#endif
