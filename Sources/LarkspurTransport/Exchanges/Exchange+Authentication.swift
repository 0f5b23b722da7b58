#if canImport(FoundationNetworking)
import HTTPSyntax

/// Adds credentials to requests, and handles 401 and 407 responses.
extension Exchange {
    private var credentialStore: CredentialStore { group.settings.credentials }

    // MARK: Sending

    /// Creates the credentials for the request.
    func makeCredentials() -> RequestCredentials {
        var credentials = RequestCredentials(
            request: request,
            additionalFields: group.settings.additionalFields(for: request, after: firstRequest)
        )
        if transfer.route.proxy != nil { credentials.proxyAuthorization = credentials.take("Proxy-Authorization") }
        guard !history.authentication.isIdle || !credentialStore.known.isEmpty else {
            history.authentication.sendNothing()
            return credentials
        }
        // The request's own credentials are replaced only after a challenge from their recipient.
        let brings = [credentials.has("Authorization"), credentials.proxyAuthorization != nil]
        for (recipient, bringsOwn) in zip([AuthenticationState.Recipient.origin, .proxy], brings) {
            guard let request = request(to: recipient) else {
                history.authentication[recipient].sendNothing()
                continue
            }
            let authorization = history.authentication[recipient].authorization(for: request) {
                bringsOwn ? nil : credentialStore.use(for: request)
            }
            credentials.add(authorization, for: recipient)
        }
        return credentials
    }

    /// The user credential for the origin; nil if there is none, or if the request has its own authorization.
    var userCredential: UserCredential? {
        guard !history.authentication.isIdle || !credentialStore.known.isEmpty, let seen = request(to: .origin) else {
            return nil
        }
        let fields = group.settings.additionalFields(for: request, after: firstRequest)
        let bringsOwn = RequestCredentials(request: request, additionalFields: fields).has("Authorization")
        return history.authentication.origin.chosenCredential(for: seen)
            ?? (bringsOwn ? nil : credentialStore.known.userCredential(for: seen))
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
                    scheme: proxy.kind.rawValue,
                    host: proxy.host,
                    port: proxy.port,
                    isProxy: true
                ),
                path: "/",
                method: isTunnelled ? "CONNECT" : method,
                target: isTunnelled ? url.authorityWithPort : url.requestTarget,
                userCredential: proxy.user.map { UserCredential(user: $0, password: proxy.password ?? "") }
            )
        }
    }

    /// Whether the request goes through a tunnel, whose bytes the proxy cannot read.
    var isTunnelled: Bool {
        guard let proxy = transfer.route.proxy, proxy.kind != .socks5 else { return false }
        return destination.url?.scheme?.inLowercase == "https" || task.plan.webSocket != nil
    }

    /// Whether the proxy reads the request and forwards it.
    var isForwarded: Bool { transfer.route.proxy.map { $0.kind != .socks5 } ?? false && !isTunnelled }

    // MARK: Responses

    /// Returns the consequence of a response that asks for credentials; nil for other responses. Records accepted
    /// credentials.
    func demand(of head: ResponseHead, _ response: ReceivedResponse) -> Transaction.Consequence? {
        switch head.status {
        case 401:
            // A 401 without a challenge may come from a proxy, because some proxies refuse credentials in this way.
            if !head.challenges.isEmpty { noteAcceptance(by: .proxy, head) }
            // libcurl may still handle the challenge. If it does not, this response is the last one.
            if history.authentication.origin.isOnConnection {
                return .awaitAnswer(.init(recipient: .origin, head: head))
            }
            return demand(of: head.challenges, by: .origin, response)
        // In a tunnel, the response comes from the server, which must not receive the proxy's credentials.
        case 407 where transfer.route.proxy != nil && !isTunnelled:
            if history.authentication.proxy.isOnConnection { return .awaitAnswer(.init(recipient: .proxy, head: head)) }
            return demand(of: head.proxyChallenges, by: .proxy, response)
        // A server that fails may not have checked the credentials.
        case 500...: return nil
        default:
            noteAcceptance(by: .origin, head)
            noteAcceptance(by: .proxy, head)
            return nil
        }
    }

    private func noteAcceptance(by recipient: AuthenticationState.Recipient, _ head: ResponseHead) {
        guard history.authentication[recipient].hasSentCredentials, let request = request(to: recipient) else { return }
        let name = recipient == .origin ? "Authentication-Info" : "Proxy-Authentication-Info"
        credentialStore.apply(
            history.authentication[recipient].noteAcceptance(of: request, info: head[name].map { [$0] } ?? [])
        )
    }

    private func demand(
        of fields: [String],
        by recipient: AuthenticationState.Recipient,
        _ response: ReceivedResponse
    ) -> Transaction.Consequence? {
        guard let request = request(to: recipient) else { return nil }
        let (demand, changes) = history.authentication[recipient].demand(
            of: fields,
            to: request,
            from: credentialStore,
            schemes: ConnectionScheme.available
        )
        credentialStore.apply(changes)
        switch demand {
        case .nothing: return nil
        case .renewal: return .sendAgain(readsContent: true)
        case .credential(let demand):
            return .ask(.challenge(recipient, demand, demand.challenge(with: response.object)))
        }
    }

    /// Returns the consequence of a refusal to which libcurl has not responded. libcurl reports the content of a
    /// refusal only if it does not respond.
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
            return .fail(.engine(.cancelled, "The authentication challenge was cancelled.", url: destination.url))
        case .rejectProtectionSpace:
            if let response = transfer.response, let request = request(to: recipient),
                let next = history.authentication[recipient].demand(after: demand, to: request, from: credentialStore)
            {
                return .ask(.challenge(recipient, next, next.challenge(with: response.object)))
            }
        case .performDefaultHandling: chosen = demand.untried
        case .useCredential: chosen = credential
        @unknown default: break
        }
        guard let chosen, let request = request(to: recipient),
            history.authentication[recipient].use(chosen, for: demand, of: request)
        else { return .accept }
        return .sendAgain
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
