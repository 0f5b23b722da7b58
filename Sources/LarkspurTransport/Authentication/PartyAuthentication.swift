#if canImport(FoundationNetworking)
/// What one task tries to be let in by one party: the server of its requests, or their proxy.
///
/// A value without I/O: it is told what is sent and what comes back, and says what follows.
struct PartyAuthentication {
    /// The number of refusals that are reported, after which the response is final. A delegate that returns one
    /// credential for ever would keep its task.
    static let failureLimit = 20
    /// The number of times that a request is sent again because another task has replaced the credentials that it was
    /// sent with.
    static let replacementLimit = 3

    /// A request as the party sees it.
    struct Request {
        let server: ProtectionSpace.Server
        /// The path of the URL, percent-encoded; of a proxy, a slash.
        let path: String
        let method: String
        /// The request-target as it is sent: path and query, or the authority for `CONNECT`.
        let target: String
        /// Who the URL, or the proxy's address, says that asks.
        let login: Login?
    }

    /// What a request proves itself with.
    enum Proof: Equatable {
        case nothing
        /// The value of the field.
        case field(String)
        /// libcurl does it.
        case connection(ConnectionScheme, Login)
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
        let login: Login
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
    private var refused: [Login] = []
    private var replacements = 0

    /// Whether a request need not be taken apart for this party, as nothing was chosen.
    var isIdle: Bool { choice == nil }

    /// Whether the last request has proved anything to the party.
    var hasProof: Bool {
        if case .nothing = sent { return false }
        return true
    }

    /// Who the last request was sent for; nil if it has proved nothing.
    var sentLogin: Login? {
        switch sent {
        case .nothing: nil
        case .choice: choice?.login
        case .known(let use): use.login
        }
    }

    /// Whether libcurl is answering the party's challenge on its own.
    var isOnConnection: Bool {
        if case .choice = sent, case .connection = choice?.means { return true }
        return false
    }

    // MARK: Sending

    /// A request is sent of which nobody asked what it proves itself with.
    mutating func sendNothing() { sent = .nothing }

    /// What the next request is to prove itself with.
    /// - Parameter usesKnown: Whether what is known may be used without being asked for.
    mutating func proof(for request: Request, _ store: CredentialStore, usesKnown: Bool) -> Proof {
        sent = .nothing
        if var choice, choice.space.server == request.server {
            sent = .choice
            switch choice.means {
            case .connection(let scheme): return .connection(scheme, choice.login)
            case .field(var authentication):
                let field = authentication.authorization(method: request.method, target: request.target)
                choice.means = .field(authentication)
                self.choice = choice
                return .field(field)
            }
        }
        guard usesKnown, !store.known.isEmpty, let use = store.known.use(for: request) else { return .nothing }
        if use.owner == .session, store.hasLost(use.login, of: use.space) {
            store.known.remove(use)
            return .nothing
        }
        sent = .known(use)
        return .field(use.field)
    }

    /// Who the next request will be sent for, if that has been chosen or is known.
    /// - Parameter usesKnown: Whether what is known may be used without being asked for.
    func login(for request: Request, _ store: CredentialStore, usesKnown: Bool) -> Login? {
        if let choice, choice.space.server == request.server { return choice.login }
        return usesKnown && !store.known.isEmpty ? store.known.login(for: request) : nil
    }

    // MARK: Responses

    /// Takes note that the party let the request pass.
    /// - Parameter info: The values of `Authentication-Info`, or of `Proxy-Authentication-Info`.
    mutating func noteAcceptance(of request: Request, info: [String], _ store: CredentialStore) {
        switch sent {
        case .nothing: return
        case .known(let use): store.known.wasAccepted(use, authenticationInfo: info)
        case .choice: acceptChoice(for: request, info: info, store)
        }
        sent = .nothing
        forgetRefusals()
    }

    private mutating func acceptChoice(for request: Request, info: [String], _ store: CredentialStore) {
        guard var choice else { return }
        if let credential = choice.credential.take() { store.keep(credential, for: choice.space) }
        self.choice = choice
        guard case .field(var authentication) = choice.means else { return }
        authentication.wasAccepted(authenticationInfo: info)
        choice.means = .field(authentication)
        guard let owner = choice.owner else {
            self.choice = choice
            return
        }
        // From here on the uses of a nonce are counted in one place.
        store.known.store(authentication, server: request.server, path: request.path, owner: owner)
        self.choice = nil
    }

    /// What follows from a refusal.
    /// - Parameters:
    ///   - fields: The values of `WWW-Authenticate`, or of `Proxy-Authenticate`.
    ///   - schemes: What libcurl can do.
    mutating func demand(
        of fields: [String],
        to request: Request,
        _ store: CredentialStore,
        schemes: Set<ConnectionScheme> = ConnectionScheme.available
    ) -> Demand {
        let offers = AuthenticationChallenges.offers(in: AuthenticationChallenges.parse(fields), schemes: schemes)
        if server != request.server { forgetRefusals() }
        server = request.server
        let isRenewed = isRenewed(by: offers, store)
        sent = .nothing
        if isRenewed { return .renewal }
        guard failures < Self.failureLimit, let demand = credentialDemand(offers, request, store) else {
            return .nothing
        }
        return .credential(demand)
    }

    /// What follows from the refusal of a protection space: the next one, if the party has offered another.
    func demand(after demand: CredentialDemand, to request: Request, _ store: CredentialStore) -> CredentialDemand? {
        let others = demand.offers.filter { ProtectionSpace(server: request.server, offer: $0) != demand.space }
        // Those before it were refused already.
        return credentialDemand(others, request, store)
    }

    /// Uses a credential from now on; false if it cannot answer the challenge.
    mutating func use(_ credential: URLCredential, for demand: CredentialDemand, of request: Request) -> Bool {
        guard let login = Login(credential) else { return false }
        let isOwn = login == request.login
        let means: Choice.Means
        switch demand.offer {
        case .field(let challenge):
            guard challenge.accepts(login) else { return false }
            means = .field(HTTPAuthentication(challenge: challenge, user: login.user, password: login.password))
        case .connection(let scheme):
            guard scheme.accepts(login) else { return false }
            means = .connection(scheme)
        }
        choice = Choice(
            means: means,
            space: demand.space,
            login: login,
            credential: isOwn ? nil : credential,
            owner: isOwn ? .login(login) : credential.persistence == .none ? nil : .session
        )
        return true
    }

    // MARK: Refusals

    /// Whether the same credential serves with what the party sent anew; if not, its refusal is noted.
    private mutating func isRenewed(by offers: [ChallengeOffer], _ store: CredentialStore) -> Bool {
        switch sent {
        case .nothing: return false
        case .choice:
            guard var choice else { return false }
            self.choice = nil
            if case .field(var authentication) = choice.means,
                authentication.renew(with: offers, isExpected: false)
            {
                choice.means = .field(authentication)
                self.choice = choice
                return true
            }
            if let use = choice.renewed { store.known.remove(use) }
            note(refusalOf: choice.login)
        case .known(let use):
            guard var authentication = store.known.authentication(of: use) else {
                // Another task was faster; what it has found out is used, or missed, by the next request.
                guard replacements < Self.replacementLimit else { return false }
                replacements += 1
                return true
            }
            // A server that has forgotten its nonces, as after a restart, may not say so.
            if authentication.renew(with: offers, isExpected: true) {
                choice = Choice(
                    means: .field(authentication),
                    space: use.space,
                    login: use.login,
                    credential: nil,
                    owner: use.owner,
                    renewed: use
                )
                return true
            }
            store.known.remove(use)
            note(refusalOf: use.login)
        }
        return false
    }

    private mutating func note(refusalOf login: Login) {
        failures += 1
        refused.append(login)
    }

    private mutating func forgetRefusals() {
        failures = 0
        refused = []
        replacements = 0
    }

    private func credentialDemand(
        _ offers: [ChallengeOffer],
        _ request: Request,
        _ store: CredentialStore
    ) -> CredentialDemand? {
        guard let offer = offers.first else { return nil }
        let space = ProtectionSpace(server: request.server, offer: offer)
        return CredentialDemand(
            space: space,
            offers: offers,
            offer: offer,
            untried: untried(request, space, store),
            refused: refused.last?.credential,
            failureCount: failures
        )
    }

    /// The credential that nobody need be asked for and that was not refused yet: that of the URL, then that of the
    /// storage.
    private func untried(_ request: Request, _ space: ProtectionSpace, _ store: CredentialStore) -> URLCredential? {
        if let login = request.login, !refused.contains(login) { return login.credential }
        guard let stored = store.defaultCredential(for: space), let login = Login(stored), !refused.contains(login)
        else { return nil }
        return stored
    }
}
#endif
