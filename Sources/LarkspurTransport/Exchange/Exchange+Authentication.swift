#if canImport(FoundationNetworking)
internal import HTTPBasics

/// Who asks: what goes with a request, and what follows from a refusal.
extension Exchange {
    private var credentials: CredentialStore { reactor.settings.credentials }

    // MARK: Sending

    /// What the request proves itself with.
    func makeProof() -> RequestProof {
        var proof = RequestProof(
            request: request,
            additionalFields: reactor.settings.additionalFields(for: request, of: task)
        )
        if proxy != nil { proof.proxyAuthorization = proof.take("Proxy-Authorization") }
        guard !authentication.isIdle || !credentials.known.isEmpty else {
            authentication.server.sendNothing()
            authentication.proxy.sendNothing()
            return proof
        }
        // What a request brings itself is not added to, unless its party has asked.
        let brings = [proof.has("Authorization"), proof.proxyAuthorization != nil]
        for (party, bringsOwn) in zip([AuthenticationState.Party.server, .proxy], brings) {
            guard let request = request(to: party) else {
                authentication[party].sendNothing()
                continue
            }
            proof.add(authentication[party].proof(for: request, credentials, usesKnown: !bringsOwn), for: party)
        }
        return proof
    }

    /// Who the request will be sent to its server for, by a credential that is not its own.
    var login: Login? {
        guard !authentication.isIdle || !credentials.known.isEmpty, let seen = request(to: .server) else { return nil }
        let fields = reactor.settings.additionalFields(for: request, of: task)
        let bringsOwn = RequestProof(request: request, additionalFields: fields).has("Authorization")
        return authentication.server.login(for: seen, credentials, usesKnown: !bringsOwn)
    }

    /// The request as its server or its proxy sees it; nil without a proxy that could ask.
    private func request(to party: AuthenticationState.Party) -> PartyAuthentication.Request? {
        guard let url = request.url else { return nil }
        let method = request.httpMethod ?? "GET"
        switch party {
        case .server:
            guard let server = ProtectionSpace.Server(url: url) else { return nil }
            let path = url.path(percentEncoded: true)
            return PartyAuthentication.Request(
                server: server,
                path: path.isEmpty ? "/" : path,
                method: method,
                target: url.requestTarget,
                login: Login(url)
            )
        case .proxy:
            guard let proxy, proxy.kind != .socks5 else { return nil }
            return PartyAuthentication.Request(
                server: ProtectionSpace.Server(
                    scheme: proxy.kind.rawValue,
                    host: proxy.host,
                    port: proxy.port,
                    isProxy: true
                ),
                path: "/",
                method: isTunnelled ? "CONNECT" : method,
                target: isTunnelled ? url.authorityWithPort : url.requestTarget,
                login: proxy.user.map { Login(user: $0, password: proxy.password ?? "") }
            )
        }
    }

    /// Whether a proxy is to pass on what it cannot read.
    var isTunnelled: Bool {
        proxy != nil && proxy?.kind != .socks5 && request.url?.scheme?.lowercased() == "https"
    }

    // MARK: Responses

    /// What follows from a response as to who asks; nil if nothing does.
    func demand(of head: ResponseHead, _ response: HTTPURLResponse) -> PendingQuestion? {
        switch head.status {
        case 401:
            // Some proxies say so of credentials that they refuse, without a challenge.
            if !head.challenges.isEmpty { noteAcceptance(by: .proxy, head) }
            // libcurl may be about to answer; if it is not, this is the last response.
            if authentication.server.isOnConnection { return .refusal(.server, head) }
            return demand(of: head.challenges, by: .server, response)
        // What comes through a tunnel is the server's, which has no business with who the proxy is told.
        case 407 where proxy != nil && !isTunnelled:
            if authentication.proxy.isOnConnection { return .refusal(.proxy, head) }
            return demand(of: head.proxyChallenges, by: .proxy, response)
        // Whoever failed may not have come to look at credentials.
        case 500...: return nil
        default:
            noteAcceptance(by: .server, head)
            noteAcceptance(by: .proxy, head)
            return nil
        }
    }

    private func noteAcceptance(by party: AuthenticationState.Party, _ head: ResponseHead) {
        guard authentication[party].hasProof, let request = request(to: party) else { return }
        let name = party == .server ? "Authentication-Info" : "Proxy-Authentication-Info"
        authentication[party].noteAcceptance(of: request, info: head[name].map { [$0] } ?? [], credentials)
    }

    private func demand(
        of fields: [String],
        by party: AuthenticationState.Party,
        _ response: HTTPURLResponse
    ) -> PendingQuestion? {
        guard let request = request(to: party) else { return nil }
        switch authentication[party].demand(of: fields, to: request, credentials) {
        case .nothing: return nil
        case .renewal: return .renewal
        case .credential(let demand): return .challenge(party, demand, demand.challenge(with: response))
        }
    }

    /// Does what a response demands, instead of delivering it.
    func follow(_ demand: PendingQuestion) {
        if case .challenge(_, _, let challenge) = demand { return ask(demand, .challenge(challenge)) }
        question = demand
        fate = .kept
        if case .renewal = demand { fate = .discarded }
    }

    /// Takes a response for a refusal that libcurl could have answered and has not: it would have kept the content to
    /// itself.
    func settleRefusal() {
        guard case .refusal(let party, let head) = question, let response else { return }
        question = nil
        let fields = party == .server ? head.challenges : head.proxyChallenges
        if let demand = demand(of: fields, by: party, response) {
            follow(demand)
        } else if !deliver(response) {
            fate = .discarded
        }
    }

    // MARK: Answers

    func receive(
        _ disposition: URLSession.AuthChallengeDisposition,
        _ credential: URLCredential?,
        to demand: CredentialDemand,
        by party: AuthenticationState.Party
    ) {
        var chosen: URLCredential?
        switch disposition {
        case .cancelAuthenticationChallenge:
            return finish(.engine(.cancelled, "The authentication challenge was cancelled.", url: request.url))
        case .rejectProtectionSpace:
            if let response, let request = request(to: party),
                let next = authentication[party].demand(after: demand, to: request, credentials)
            {
                let challenge = next.challenge(with: response)
                question = .challenge(party, next, challenge)
                return reactor.deliver(.challenge(challenge), to: task)
            }
        case .performDefaultHandling: chosen = demand.untried
        case .useCredential: chosen = credential
        @unknown default: break
        }
        if let chosen, let request = request(to: party), authentication[party].use(chosen, for: demand, of: request) {
            beginNext(self.request, body: body)
        } else {
            acceptResponse()
        }
    }
}

extension URL {
    /// Path and query as they stand in the first line of a request.
    fileprivate var requestTarget: String {
        let path = path(percentEncoded: true)
        return (path.isEmpty ? "/" : path) + (query(percentEncoded: true).map { "?" + $0 } ?? "")
    }

    /// Host and port as they stand in the first line of a CONNECT request.
    fileprivate var authorityWithPort: String {
        let host = host(percentEncoded: true) ?? ""
        let isBare = host.utf8.contains(UInt8(ascii: ":")) && host.utf8.first != UInt8(ascii: "[")
        return (isBare ? "[\(host)]" : host) + ":\(port ?? 443)"
    }
}
#endif
