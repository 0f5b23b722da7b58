#if canImport(FoundationNetworking)
/// The authentication of one task: the credential in use, and how often credentials were refused.
struct AuthenticationState {
    /// A challenge of a server's, and what it is to its delegate.
    struct Challenge {
        let challenge: AnswerableChallenge
        let space: ProtectionSpace
        let urlChallenge: URLAuthenticationChallenge
    }

    enum Demand {
        /// The same credential serves, with what the server sent anew.
        case renewal
        /// The delegate has to be asked.
        case challenge(Challenge)
    }

    private var authentication: HTTPAuthentication?
    private var space: ProtectionSpace?
    private var failures = 0

    /// The value of the Authorization field; nil for none, or that of the request itself.
    mutating func field(for request: URLRequest) -> String? {
        guard authentication != nil, let space, let url = request.url,
            ProtectionSpace.Server(url: url) == space.server
        else { return nil }
        return authentication?.authorization(method: request.httpMethod ?? "GET", target: url.requestTarget)
    }

    /// What the server demands with this response; nil if nothing that can be given.
    mutating func demand(of head: ResponseHead, _ response: HTTPURLResponse, to request: URLRequest) -> Demand? {
        guard head.status == 401 else {
            authentication?.wasAccepted(authenticationInfo: head["Authentication-Info"].map { [$0] } ?? [])
            return nil
        }
        guard let url = request.url, let server = ProtectionSpace.Server(url: url),
            let challenge = AuthenticationChallenges.strongest(of: AuthenticationChallenges.parse(head.challenges))
        else { return nil }
        if authentication?.renew(with: challenge) == true { return .renewal }
        if authentication != nil { failures += 1 }
        let space = ProtectionSpace(server: server, challenge: challenge)
        let urlChallenge = URLAuthenticationChallenge.http(
            space,
            proposedCredential: failures == 0 ? url.credential : nil,
            failureCount: failures,
            response: response,
            // The delegate answers by its completion handler.
            answer: { _, _ in }
        )
        return .challenge(Challenge(challenge: challenge, space: space, urlChallenge: urlChallenge))
    }

    /// Uses a credential from now on; false if it has no password.
    mutating func use(_ credential: URLCredential, for challenge: Challenge) -> Bool {
        guard let next = HTTPAuthentication(challenge: challenge.challenge, credential: credential) else {
            return false
        }
        authentication = next
        space = challenge.space
        return true
    }
}

extension URL {
    /// What the URL itself says of who asks.
    fileprivate var credential: URLCredential? {
        guard let user = user(percentEncoded: false), !user.isEmpty else { return nil }
        return URLCredential(user: user, password: password(percentEncoded: false) ?? "", persistence: .none)
    }

    /// Path and query as they stand in the first line of a request.
    fileprivate var requestTarget: String {
        let path = path(percentEncoded: true)
        return (path.isEmpty ? "/" : path) + (query(percentEncoded: true).map { "?" + $0 } ?? "")
    }
}
#endif
