#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The authentication of one task to one recipient of its requests: the origin or a proxy.
///
/// A value without I/O: it is told what is sent and what comes back, and says what follows.
struct RecipientAuthentication {
    /// The number of refusals that are reported, after which the response is final. A delegate that returns one
    /// credential for ever would keep its task.
    static let failureLimit = 20
    /// The number of times that a request is sent again because another task has replaced the credentials that it was
    /// sent with.
    static let replacementLimit = 3

    /// A request as the recipient sees it.
    struct Request {
        let server: ProtectionSpace.Server
        /// The path of the URL, percent-encoded; of a proxy, a slash.
        let path: String
        let method: String
        /// The request-target as it is sent: path and query, or the authority for `CONNECT`.
        let target: String
        /// Who the URL, or the proxy's address, says that asks.
        let userCredential: UserCredential?
    }

    /// The authorization that goes with a request.
    enum Authorization: Equatable {
        case nothing
        /// The value of the field.
        case field(String)
        /// libcurl does it.
        case connection(ConnectionScheme, UserCredential)
    }

    /// What a refusal demands.
    enum Demand {
        /// Nothing that could be given.
        case nothing
        /// The request has to be sent again.
        case renewal
        /// Somebody has to say with which credential.
        case credential(CredentialDemand)
    }

    private enum Sent {
        case nothing
        case choice
        case known(KnownAuthentications.Use)
    }

    /// The credential that this task goes on with.
    private struct Choice {
        enum Means {
            case field(HTTPAuthentication)
            case connection(ConnectionScheme)
        }

        var means: Means
        let space: ProtectionSpace
        let userCredential: UserCredential
        /// To be stored when it is accepted.
        var credential: URLCredential?
        /// Whose requests may use it too when it is accepted; nil for nobody's.
        let owner: KnownAuthentications.Owner?
        /// What was known and is renewed by it, to be forgotten when it is refused.
        var renewed: KnownAuthentications.Use?
    }

    private var choice: Choice?
    private var sent = Sent.nothing
    /// The server whose refusals are counted.
    private var server: ProtectionSpace.Server?
    private var failures = 0
    private var refused: [UserCredential] = []
    private var replacements = 0

    /// Whether a request need not be taken apart for this recipient, as nothing was chosen.
    var isIdle: Bool { choice == nil }

    /// Whether the last request was sent with credentials.
    var hasSentCredentials: Bool {
        if case .nothing = sent { return false }
        return true
    }

    /// Who the last request was sent for; nil if it has proved nothing.
    var sentCredential: UserCredential? {
        switch sent {
        case .nothing: nil
        case .choice: choice?.userCredential
        case .known(let use): use.userCredential
        }
    }

    /// Whether libcurl is answering the recipient's challenge on its own.
    var isOnConnection: Bool {
        if case .choice = sent, case .connection = choice?.means { return true }
        return false
    }

    // MARK: Sending

    /// Notes that a request is sent without authorization.
    mutating func sendNothing() { sent = .nothing }

    /// The authorization for the next request.
    /// - Parameter known: Credentials that the recipient has accepted before; called where none was chosen.
    mutating func authorization(for request: Request, known: () -> KnownAuthentications.Use?) -> Authorization {
        sent = .nothing
        if var choice, choice.space.server == request.server {
            sent = .choice
            switch choice.means {
            case .connection(let scheme): return .connection(scheme, choice.userCredential)
            case .field(var authentication):
                let field = authentication.authorization(method: request.method, target: request.target)
                choice.means = .field(authentication)
                self.choice = choice
                return .field(field)
            }
        }
        guard let use = known() else { return .nothing }
        sent = .known(use)
        return .field(use.field)
    }

    /// The user's credential that was chosen for the next request; nil if none was.
    func chosenCredential(for request: Request) -> UserCredential? {
        choice?.space.server == request.server ? choice?.userCredential : nil
    }

    // MARK: Responses

    /// Notes that the recipient has accepted the request.
    /// - Parameter info: The values of `Authentication-Info`, or of `Proxy-Authentication-Info`.
    /// - Returns: The changes to the session's credentials.
    mutating func noteAcceptance(of request: Request, info: [String]) -> [CredentialChange] {
        defer { sent = .nothing }
        switch sent {
        case .nothing: return []
        case .known(let use):
            forgetRefusals()
            // Most responses have no such field, and nothing to note.
            return info.isEmpty ? [] : [.renew(use, info: info)]
        case .choice:
            forgetRefusals()
            return acceptChoice(for: request, info: info)
        }
    }

    private mutating func acceptChoice(for request: Request, info: [String]) -> [CredentialChange] {
        guard var choice else { return [] }
        var changes: [CredentialChange] = []
        if let credential = choice.credential.take() { changes.append(.store(credential, choice.space)) }
        if case .field(var authentication) = choice.means {
            authentication.wasAccepted(authenticationInfo: info)
            choice.means = .field(authentication)
            if let owner = choice.owner {
                // From here on the uses of a nonce are counted in one place.
                self.choice = nil
                return changes + [.remember(authentication, request, owner)]
            }
        }
        self.choice = choice
        return changes
    }

    /// Finds out the demand of a refusal.
    /// - Parameters:
    ///   - fields: The values of `WWW-Authenticate`, or of `Proxy-Authenticate`.
    ///   - source: The session's credentials.
    ///   - schemes: The schemes that libcurl can answer.
    /// - Returns: The demand, and the changes to the session's credentials.
    mutating func demand(
        of fields: [String],
        to request: Request,
        from source: some CredentialSource,
        schemes: Set<ConnectionScheme>
    ) -> (Demand, [CredentialChange]) {
        let offers = AuthenticationChallenges.offers(in: AuthenticationChallenges.parse(fields), schemes: schemes)
        if server != request.server { forgetRefusals() }
        server = request.server
        let (isRenewed, changes) = renew(with: offers, source)
        sent = .nothing
        if isRenewed { return (.renewal, changes) }
        guard failures < Self.failureLimit, let demand = credentialDemand(offers, request, source) else {
            return (.nothing, changes)
        }
        return (.credential(demand), changes)
    }

    /// What follows from the refusal of a protection space: the next one, if the recipient has offered another.
    func demand(
        after demand: CredentialDemand,
        to request: Request,
        from source: some CredentialSource
    ) -> CredentialDemand? {
        let others = demand.offers.filter { ProtectionSpace(server: request.server, offer: $0) != demand.space }
        // Those before it were refused already.
        return credentialDemand(others, request, source)
    }

    /// Uses a credential from now on; false if it cannot answer the challenge.
    mutating func use(_ credential: URLCredential, for demand: CredentialDemand, of request: Request) -> Bool {
        guard let userCredential = UserCredential(credential) else { return false }
        let isOwn = userCredential == request.userCredential
        let means: Choice.Means
        switch demand.offer {
        case .field(let challenge):
            guard challenge.accepts(userCredential) else { return false }
            means = .field(
                HTTPAuthentication(challenge: challenge, user: userCredential.user, password: userCredential.password)
            )
        case .connection(let scheme):
            guard scheme.accepts(userCredential) else { return false }
            means = .connection(scheme)
        }
        choice = Choice(
            means: means,
            space: demand.space,
            userCredential: userCredential,
            credential: isOwn ? nil : credential,
            owner: isOwn ? .userCredential(userCredential) : credential.persistence == .none ? nil : .session
        )
        return true
    }

    // MARK: Refusals

    /// Renews the credential that was sent with what the recipient sent anew; if it cannot be, its refusal is noted.
    /// - Returns: Whether it serves again, and the changes to the session's credentials.
    private mutating func renew(
        with offers: [ChallengeOffer],
        _ source: some CredentialSource
    ) -> (isRenewed: Bool, [CredentialChange]) {
        switch sent {
        case .nothing: return (false, [])
        case .choice:
            guard var choice = choice.take() else { return (false, []) }
            if case .field(var authentication) = choice.means,
                authentication.renew(with: offers, isExpected: false)
            {
                choice.means = .field(authentication)
                self.choice = choice
                return (true, [])
            }
            note(refusalOf: choice.userCredential)
            return (false, choice.renewed.map { [.forget($0)] } ?? [])
        case .known(let use):
            guard var authentication = source.authentication(of: use) else {
                // Another task was faster; what it has found out is used, or missed, by the next request.
                guard replacements < Self.replacementLimit else { return (false, []) }
                replacements += 1
                return (true, [])
            }
            // A server that has forgotten its nonces, as after a restart, may not say so.
            if authentication.renew(with: offers, isExpected: true) {
                choice = Choice(
                    means: .field(authentication),
                    space: use.space,
                    userCredential: use.userCredential,
                    credential: nil,
                    owner: use.owner,
                    renewed: use
                )
                return (true, [])
            }
            note(refusalOf: use.userCredential)
            return (false, [.forget(use)])
        }
    }

    private mutating func note(refusalOf userCredential: UserCredential) {
        failures += 1
        refused.append(userCredential)
    }

    private mutating func forgetRefusals() {
        failures = 0
        refused = []
        replacements = 0
    }

    private func credentialDemand(
        _ offers: [ChallengeOffer],
        _ request: Request,
        _ source: some CredentialSource
    ) -> CredentialDemand? {
        guard let offer = offers.first else { return nil }
        let space = ProtectionSpace(server: request.server, offer: offer)
        return CredentialDemand(
            space: space,
            offers: offers,
            offer: offer,
            untried: untried(request, space, source),
            refused: refused.last?.credential,
            failureCount: failures
        )
    }

    /// The credential that nobody need be asked for and that was not refused yet: that of the URL, then that of the
    /// storage.
    private func untried(
        _ request: Request,
        _ space: ProtectionSpace,
        _ source: some CredentialSource
    ) -> URLCredential? {
        if let userCredential = request.userCredential, !refused.contains(userCredential) {
            return userCredential.credential
        }
        guard let stored = source.defaultCredential(for: space), let userCredential = UserCredential(stored),
            !refused.contains(userCredential)
        else { return nil }
        return stored
    }
}
#endif
