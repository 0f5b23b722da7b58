#if canImport(FoundationNetworking)
internal import HTTPBasics

/// Adds credentials to requests, and handles 401 and 407 responses.
extension Exchange {
    private var credentials: CredentialStore { reactor.settings.credentials }

    // MARK: Sending

    /// What the request proves itself with.
    func makeProof() -> RequestProof {
        var proof = RequestProof(
            request: request,
            additionalFields: reactor.settings.additionalFields(for: request, of: task)
        )
        if transfer.proxy != nil { proof.proxyAuthorization = proof.take("Proxy-Authorization") }
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
            guard let proxy = transfer.proxy, proxy.kind != .socks5 else { return nil }
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
        transfer.proxy != nil && transfer.proxy?.kind != .socks5 && request.url?.scheme?.lowercased() == "https"
    }

    // MARK: Responses

    /// The consequence of a response that wants credentials; nil for others. Accepted credentials are noted.
    func demand(of head: ResponseHead, _ response: HTTPURLResponse) -> Transaction.Consequence? {
        switch head.status {
        case 401:
            // Some proxies answer so to credentials that they refuse, without a challenge.
            if !head.challenges.isEmpty { noteAcceptance(by: .proxy, head) }
            // libcurl may be about to answer; if it is not, this is the last response.
            if authentication.server.isOnConnection { return .awaitAnswer(.init(party: .server, head: head)) }
            return demand(of: head.challenges, by: .server, response)
        // The response comes through a tunnel from the server, which must not learn the proxy's credentials.
        case 407 where transfer.proxy != nil && !isTunnelled:
            if authentication.proxy.isOnConnection { return .awaitAnswer(.init(party: .proxy, head: head)) }
            return demand(of: head.proxyChallenges, by: .proxy, response)
        // A server that fails may not have looked at the credentials.
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
    ) -> Transaction.Consequence? {
        guard let request = request(to: party) else { return nil }
        switch authentication[party].demand(of: fields, to: request, credentials) {
        case .nothing: return nil
        case .renewal: return .sendAgain(readsContent: true)
        case .credential(let demand): return .ask(.challenge(party, demand, demand.challenge(with: response)))
        }
    }

    /// The consequence of a refusal that libcurl could have answered and has not: it would have kept the content to
    /// itself.
    func settlement(of refusal: Transaction.Refusal) -> Transaction.Consequence {
        guard let response = transfer.response else { return .deliver }
        let fields = refusal.party == .server ? refusal.head.challenges : refusal.head.proxyChallenges
        return demand(of: fields, by: refusal.party, response) ?? .deliver
    }

    // MARK: Answers

    /// The decision of a delegate that was asked for a credential.
    func decision(
        _ disposition: URLSession.AuthChallengeDisposition,
        _ credential: URLCredential?,
        on demand: CredentialDemand,
        by party: AuthenticationState.Party
    ) -> Transaction.Decision {
        var chosen: URLCredential?
        switch disposition {
        case .cancelAuthenticationChallenge:
            return .fail(.engine(.cancelled, "The authentication challenge was cancelled.", url: request.url))
        case .rejectProtectionSpace:
            if let response = transfer.response, let request = request(to: party),
                let next = authentication[party].demand(after: demand, to: request, credentials)
            {
                return .ask(.challenge(party, next, next.challenge(with: response)))
            }
        case .performDefaultHandling: chosen = demand.untried
        case .useCredential: chosen = credential
        @unknown default: break
        }
        guard let chosen, let request = request(to: party),
            authentication[party].use(chosen, for: demand, of: request)
        else { return .accept }
        return .sendAgain
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
