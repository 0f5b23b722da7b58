#if canImport(FoundationNetworking)
import HTTPSyntax

/// Adds credentials to requests, and handles 401 and 407 responses.
extension Exchange {
    // MARK: Sending

    /// Creates the credentials for the request.
    func makeCredentials() -> RequestCredentials {
        var credentials = RequestCredentials(
            request: request,
            additionalFields: group.settings.additionalFields(for: request, after: firstRequest)
        )
        if task.plan.opensConnection { credentials.keepCredentialsOfProxy() }
        if transfer.route.proxy != nil { credentials.proxyAuthorization = credentials.take("Proxy-Authorization") }
        guard history.authentication != nil || !group.settings.credentials.known.isEmpty else { return credentials }
        var authentication = history.authentication ?? AuthenticationState()
        defer { history.authentication = authentication }
        // The request's own credentials are replaced only after a challenge from their recipient.
        let brings = [credentials.has("Authorization"), credentials.proxyAuthorization != nil]
        for (recipient, bringsOwn) in zip([AuthenticationState.Recipient.origin, .proxy], brings) {
            guard let request = request(to: recipient), recipient == .proxy || !task.plan.opensConnection else {
                authentication[recipient].sendNothing()
                continue
            }
            let authorization = authentication[recipient].authorization(for: request) {
                bringsOwn ? nil : group.settings.credentials.use(for: request)
            }
            credentials.add(authorization, for: recipient)
        }
        return credentials
    }

    /// The user credential that the request sends to the origin; nil if there is none. If the request has its own
    /// authorization, only a credential that was chosen after a challenge counts.
    var userCredential: UserCredential? {
        guard history.authentication != nil || !group.settings.credentials.known.isEmpty,
            let seen = request(to: .origin)
        else { return nil }
        let fields = group.settings.additionalFields(for: request, after: firstRequest)
        let bringsOwn = RequestCredentials(request: request, additionalFields: fields).has("Authorization")
        return history.authentication?.origin.chosenCredential(for: seen)
            ?? (bringsOwn ? nil : group.settings.credentials.known.userCredential(for: seen))
    }

    /// Returns the request as its recipient sees it; nil for a proxy that cannot challenge.
    private func request(to recipient: AuthenticationState.Recipient) -> RecipientAuthentication.Request? {
        guard let url = destination.url else { return nil }
        let method = request.httpMethod ?? "GET"
        switch recipient {
        case .origin:
            guard let server = ProtectionSpace.Server(url: url) else { return nil }
            let path = url.path(percentEncoded: true)
            return RecipientAuthentication.Request(
                server: server,
                path: path.isEmpty ? "/" : path,
                method: method,
                target: url.requestTarget,
                userCredential: UserCredential(url)
            )
        case .proxy:
            guard let proxy = transfer.route.proxy, proxy.kind != .socks5 else { return nil }
            return RecipientAuthentication.Request(
                server: ProtectionSpace.Server(
                    scheme: proxy.kind.description,
                    host: proxy.host,
                    port: proxy.port,
                    isProxy: true
                ),
                path: "/",
                method: transfer.route.isTunnelled ? "CONNECT" : method,
                target: transfer.route.isTunnelled ? url.authorityWithPort : url.requestTarget,
                userCredential: proxy.user.map { UserCredential(user: $0, password: proxy.password ?? "") }
            )
        }
    }

    // MARK: Responses

    /// Returns the consequence of a response that asks for credentials; nil for other responses. Records accepted
    /// credentials.
    func demand(of head: ResponseHead, _ response: ReceivedResponse) -> Transaction.Consequence? {
        switch head.status {
        case 401:
            // A 401 without a challenge may come from a proxy, because some proxies refuse credentials in this way.
            if !head.challenges.isEmpty { noteAcceptance(by: .proxy, head) }
            // libcurl may still handle the challenge. If it does not, this response is the last one.
            if history.authentication?.origin.isOnConnection == true {
                return .awaitAnswer(.init(recipient: .origin, head: head))
            }
            return demand(of: head.challenges, by: .origin, response)
        // In a tunnel, the response comes from the server, which must not receive the proxy's credentials.
        case 407 where transfer.route.proxy != nil && !transfer.route.isTunnelled:
            if history.authentication?.proxy.isOnConnection == true {
                return .awaitAnswer(.init(recipient: .proxy, head: head))
            }
            return demand(of: head.proxyChallenges, by: .proxy, response)
        // A server that fails may not have checked the credentials.
        case _ where history.authentication == nil, 500...: return nil
        default:
            noteAcceptance(by: .origin, head)
            noteAcceptance(by: .proxy, head)
            return nil
        }
    }

    private func noteAcceptance(by recipient: AuthenticationState.Recipient, _ head: ResponseHead) {
        guard var authentication = history.authentication, authentication[recipient].hasSentCredentials,
            let request = request(to: recipient)
        else { return }
        let name = recipient == .origin ? "Authentication-Info" : "Proxy-Authentication-Info"
        group.settings.credentials.apply(
            authentication[recipient].noteAcceptance(of: request, info: head[name].map { [$0] } ?? [])
        )
        history.authentication = authentication
    }

    private func demand(
        of fields: [String],
        by recipient: AuthenticationState.Recipient,
        _ response: ReceivedResponse
    ) -> Transaction.Consequence? {
        guard let request = request(to: recipient) else { return nil }
        var authentication = history.authentication ?? AuthenticationState()
        let (demand, changes) = authentication[recipient].demand(
            of: fields,
            to: request,
            from: group.settings.credentials,
            schemes: ConnectionScheme.available
        )
        history.authentication = authentication
        group.settings.credentials.apply(changes)
        switch demand {
        case .nothing: return nil
        case .renewal: return .sendAgain(readsContent: true)
        case .credential(let demand):
            return .ask(.challenge(recipient, demand, demand.challenge(with: response.object)))
        }
    }

    /// Returns the consequence of a refusal after which libcurl has not sent the request again. If libcurl sends it
    /// again, it does not report the content of the refusal.
    func settlement(of refusal: Transaction.Refusal) -> Transaction.Consequence {
        guard let response = transfer.response else { return .deliver }
        let fields = refusal.recipient == .origin ? refusal.head.challenges : refusal.head.proxyChallenges
        return demand(of: fields, by: refusal.recipient, response) ?? .deliver
    }

    // MARK: Decisions

    /// Returns the decision that follows from a delegate's disposition of a challenge.
    func decision(
        _ disposition: URLSession.AuthChallengeDisposition,
        _ credential: URLCredential?,
        on demand: CredentialDemand,
        by recipient: AuthenticationState.Recipient
    ) -> Transaction.Decision {
        var chosen: URLCredential?
        switch disposition {
        case .cancelAuthenticationChallenge:
            return .fail(engineError(.cancelled, "The authentication challenge was cancelled."))
        case .rejectProtectionSpace:
            if let response = transfer.response, let request = request(to: recipient),
                let next = history.authentication?[recipient].demand(
                    after: demand,
                    to: request,
                    from: group.settings.credentials
                )
            {
                return .ask(.challenge(recipient, next, next.challenge(with: response.object)))
            }
        case .performDefaultHandling: chosen = demand.untried
        case .useCredential: chosen = credential
        @unknown default: break
        }
        guard let chosen, let request = request(to: recipient),
            history.authentication?[recipient].use(chosen, for: demand, of: request) == true
        else { return .accept }
        return .sendAgain
    }
}

extension RequestCredentials {
    /// Returns the credentials that libcurl adds itself, apart from the fields of the request; nil if there are none.
    /// - Parameter watchesTunnel: Whether libcurl reports the responses to `CONNECT`.
    func ofConnection(watchesTunnel: Bool) throws(RequestHead.Failure) -> EasyHandle.Credentials? {
        guard watchesTunnel || proxyAuthorization != nil || server != nil || proxy != nil else { return nil }
        if proxyAuthorization?.breaksLine == true { throw .invalidFieldValue(name: "Proxy-Authorization") }
        return EasyHandle.Credentials(
            proxyField: proxyAuthorization.map { "Proxy-Authorization: " + $0 },
            server: server,
            proxy: proxy,
            watchesTunnel: watchesTunnel
        )
    }
}

extension URL {
    /// The path and query as they appear in the first line of a request.
    fileprivate var requestTarget: String {
        let path = path(percentEncoded: true)
        return (path.isEmpty ? "/" : path) + (query(percentEncoded: true).map { "?" + $0 } ?? "")
    }

    /// The host and port as they appear in the first line of a CONNECT request.
    fileprivate var authorityWithPort: String {
        ((try? CanonicalHost(of: self))?.fieldText ?? "") + ":\(port ?? 443)"
    }
}
#endif
