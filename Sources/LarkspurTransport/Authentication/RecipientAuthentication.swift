#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The authentication of one task to one recipient of its requests: an origin or a proxy.
///
/// It is a value without I/O. The caller passes requests and responses to it, and it returns the next step.
struct RecipientAuthentication {
    /// The number of refusals after which the response is final. Without this limit, a task whose delegate always
    /// returns the same credential would run forever.
    static let failureLimit = 20
    /// The maximum number of times that a request is sent again because another task has replaced its credentials.
    static let replacementLimit = 3

    /// A request as the recipient sees it.
    struct Request {
        let server: ProtectionSpace.Server
        /// The path of the URL, percent-encoded; a slash for a proxy.
        let path: String
        let method: String
        /// The request-target as it is sent. This is the path and query, or the authority for `CONNECT`.
        let target: String
        /// The user credential of the URL or of the proxy's address.
        let userCredential: UserCredential?
    }

    /// The authorization of a request.
    enum Authorization: Equatable {
        case nothing
        /// The value of the field.
        case field(String)
        /// Authentication of the connection by libcurl.
        case connection(ConnectionScheme, UserCredential)
    }

    /// The step that follows a refusal.
    enum Demand {
        /// No credential is left to try.
        case nothing
        /// The same request is sent again.
        case renewal
        /// A delegate or the default handling has to choose a credential.
        case credential(CredentialDemand)
    }

    private enum Sent {
        case nothing
        case choice
        indirect case known(KnownAuthentications.Use)
    }

    /// The credential that the task has chosen.
    private struct Choice {
        enum Means {
            case field(HTTPAuthentication)
            case connection(ConnectionScheme)
        }

        var means: Means
        let space: ProtectionSpace
        let userCredential: UserCredential
        /// The credential that is stored when the recipient accepts it.
        var credential: URLCredential?
        /// The owner whose requests may also use the credential after it is accepted; nil if no other request may use
        /// it.
        let owner: KnownAuthentications.Owner?
        /// The known credentials that this choice renews. They are removed if the recipient refuses the choice.
        var renewed: KnownAuthentications.Use?
    }

    @Boxed private var choice: Choice?
    private var sent = Sent.nothing
    /// The server whose refusals are counted.
    private var server: ProtectionSpace.Server?
    private var failures = 0
    private var refused: [UserCredential] = []
    private var replacements = 0

    /// Whether the last request was sent with credentials.
    var hasSentCredentials: Bool {
        if case .nothing = sent { return false }
        return true
    }

    /// The user credential of the last request; nil if it was sent without authorization.
    var sentCredential: UserCredential? {
        switch sent {
        case .nothing: nil
        case .choice: choice?.userCredential
        case .known(let use): use.userCredential
        }
    }

    /// Whether libcurl handles the recipient's challenge during the transfer.
    var isOnConnection: Bool {
        if case .choice = sent, case .connection = choice?.means { return true }
        return false
    }

    // MARK: Sending

    /// Records that a request is sent without authorization.
    mutating func sendNothing() { sent = .nothing }

    /// Returns the authorization for the next request.
    /// - Parameter known: Returns credentials that the recipient has accepted before. Called if no credential was
    ///   chosen.
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

    /// Returns the user credential that was chosen for the next request; nil if none was chosen.
    func chosenCredential(for request: Request) -> UserCredential? {
        choice?.space.server == request.server ? choice?.userCredential : nil
    }

    // MARK: Responses

    /// Records that the recipient has accepted the request.
    /// - Parameter info: The values of `Authentication-Info`, or of `Proxy-Authentication-Info`.
    /// - Returns: The changes to the session's credentials.
    mutating func noteAcceptance(of request: Request, info: [String]) -> [CredentialChange] {
        defer { sent = .nothing }
        switch sent {
        case .nothing: return []
        case .known(let use):
            forgetRefusals()
            // Most responses do not have this field.
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
                // From now on, the session's cache counts the uses of the nonce for all tasks.
                self.choice = nil
                return changes + [.remember(authentication, request, owner)]
            }
        }
        self.choice = choice
        return changes
    }

    /// Determines the step that follows a refusal.
    /// - Parameters:
    ///   - fields: The values of `WWW-Authenticate`, or of `Proxy-Authenticate`.
    ///   - source: The session's credentials.
    ///   - schemes: The connection schemes that libcurl supports.
    /// - Returns: The step, and the changes to the session's credentials.
    mutating func demand(
        of fields: [String],
        to request: Request,
        from source: some CredentialSource,
        schemes: Set<ConnectionScheme>
    ) -> (Demand, [CredentialChange]) {
        let offers = ChallengeOffer.offers(in: ChallengeField.challenges(in: fields), schemes: schemes)
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

    /// Determines the step after a delegate has rejected a protection space. The delegate is asked about the next space
    /// that the recipient offers. Returns nil if there is no other space.
    func demand(
        after demand: CredentialDemand,
        to request: Request,
        from source: some CredentialSource
    ) -> CredentialDemand? {
        let others = demand.offers.filter { ProtectionSpace(server: request.server, offer: $0) != demand.space }
        // These offers no longer contain the spaces that were rejected earlier.
        return credentialDemand(others, request, source)
    }

    /// Chooses a credential. Returns false if the credential cannot be used for the challenge.
    mutating func use(_ credential: URLCredential, for demand: CredentialDemand, of request: Request) -> Bool {
        guard let given = UserCredential(credential) else { return false }
        // A `URLCredential` has the user information of the URL as text. The octets are taken from the URL.
        let isOwn = given == request.userCredential?.readable
        let userCredential = isOwn ? request.userCredential ?? given : given
        let means: Choice.Means
        switch demand.offer {
        case .field(let challenge):
            guard challenge.accepts(userCredential) else { return false }
            means = .field(HTTPAuthentication(challenge: challenge, userCredential: userCredential))
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

    /// Renews the sent credential with the nonce of the recipient's new challenge. If this is not possible, records the
    /// refusal.
    /// - Returns: Whether the credential can be used again, and the changes to the session's credentials.
    private mutating func renew(
        with offers: [ChallengeOffer],
        _ source: some CredentialSource
    ) -> (isRenewed: Bool, [CredentialChange]) {
        switch sent {
        case .nothing: return (false, [])
        case .choice:
            guard var choice = choice.take() else { return (false, []) }
            if case .field(var authentication) = choice.means, authentication.renew(with: offers, isExpected: false) {
                choice.means = .field(authentication)
                self.choice = choice
                return (true, [])
            }
            note(refusalOf: choice.userCredential)
            return (false, choice.renewed.map { [.forget($0)] } ?? [])
        case .known(let use):
            guard var authentication = source.authentication(of: use) else {
                // Another task has replaced or removed the credentials. The next request uses the replacement, or no
                // credentials.
                guard replacements < Self.replacementLimit else { return (false, []) }
                replacements += 1
                return (true, [])
            }
            // If a server has lost its nonces, for example after a restart, it may not report that they are stale.
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

    /// Returns a credential that can be tried without a delegate. The credential of the URL comes first, then the
    /// credential of the storage. A credential that was refused is skipped. Returns nil if there is no other
    /// credential.
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
