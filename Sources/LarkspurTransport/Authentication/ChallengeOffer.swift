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
    /// Returns the possible ways to authenticate, the strongest first. Ways of equal strength stay in their order.
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
#endif
