extension OAuth2Authenticator {
    /// Creates an authenticator that sends its requests for tokens with a session manager.
    ///
    ///     let authenticator = OAuth2Authenticator(tokenEndpoint: tokenURL, clientID: "app", manager: manager)
    ///     manager.interceptors.call = [.authentication(credential, authenticator: authenticator, for: baseURL)]
    ///
    /// The session manager may be the one whose calls get the token. The requests for tokens pass through no
    /// interceptors, and follow no redirect, because a redirect would send the refresh token to another server. If a
    /// token cannot be renewed, the error has the server's reason, or the reason why there was no response.
    /// - Parameters:
    ///   - tokenEndpoint: The URL of the token endpoint. It should be https.
    ///   - clientID: The identifier of the client.
    ///   - clientSecret: The secret of the client. Default: none, for a public client.
    ///   - scope: The scopes to request, separated by spaces. Default: the scopes of the first token.
    ///   - manager: The session manager. The authenticator makes a copy, with the settings of this moment and without
    ///     the interceptors.
    public init(
        tokenEndpoint: URL,
        clientID: String,
        clientSecret: String? = nil,
        scope: String? = nil,
        manager: SessionManager
    ) {
        self.init(
            tokenEndpoint: tokenEndpoint,
            clientID: clientID,
            clientSecret: clientSecret,
            scope: scope,
            send: manager.tokenSender()
        )
    }
}

extension SessionManager {
    /// The maximum number of bytes of a response of an authorization server.
    private static var maximumTokenResponse: Int { 1 << 20 }

    /// Returns a closure that sends requests to an authorization server. They pass through no interceptors and follow
    /// no redirect, and responses of any status are returned.
    package func tokenSender() -> OAuth2Requests.Send {
        // The closure owns a copy. With the manager itself there would be a reference cycle, because the interceptors
        // of the manager own the closure.
        let tokens = copy()
        tokens.interceptors = RequestInterceptors()
        tokens.maximumContentSize = min(tokens.maximumContentSize, Self.maximumTokenResponse)
        return { request in
            let response = await tokens.dataTask(with: request)
                .redirect { _, _, _ in nil }
                // The caller reads the reason from the content of a refusal.
                .validate(statusCode: 100..<600)
                .response()
            if let error = response.error { throw error }
            guard let head = response.response else {
                throw LarkspurError(.emptyResponse, "The token endpoint sent no HTTP response.", request: request)
            }
            return (response.data, head)
        }
    }
}
