extension OAuth2Client {
    /// Obtains a token for the program itself, with the grant "client credentials" (RFC 6749, section 4.4).
    /// - Parameters:
    ///   - scope: The scopes to request, separated by spaces. Default: those that the server chooses.
    ///   - parameters: Further parameters that the server needs, such as `audience`. Default: none.
    /// - Returns: The token. Servers send no refresh token with it: obtain another one when it has expired, or use
    ///   the interceptor `.clientCredentials(_:scope:parameters:for:_:)`.
    /// - Throws: `authorizationFailed` if the server refuses the request, or if the response has no valid Bearer token;
    ///   otherwise the error of the transport, or `cancelled`.
    public func authorizeClient(
        scope: String? = nil,
        parameters: [String: String] = [:]
    ) async throws(LarkspurError) -> OAuth2Credential {
        let all = self.parameters(parameters, scope: scope, ["grant_type": "client_credentials"])
        do {
            return try await requests.credential(all)
        } catch {
            throw LarkspurError(authorization: error)
        }
    }
}

/// The rules of tokens for the program itself: an expired token is replaced by a new one, without a refresh token.
struct ClientCredentialsAuthenticator: RequestAuthenticator {
    let client: OAuth2Client
    let scope: String?
    let parameters: [String: String]

    /// A credential in place of the first token. It has expired, so that the first call obtains a token.
    static let missing = OAuth2Credential(accessToken: "", expirationDate: .distantPast)

    func apply(_ credential: OAuth2Credential, to request: inout URLRequest) {
        request.headers.set(.authorization(bearerToken: credential.accessToken))
    }

    func expirationDate(of credential: OAuth2Credential) -> Date? { credential.expirationDate }

    /// A request for a token does not use the old token.
    var allowsRepeatedRefresh: Bool { true }

    func refresh(
        _ credential: OAuth2Credential,
        after refusal: InterceptedResponse?
    ) async throws -> OAuth2Credential {
        try await client.authorizeClient(scope: scope, parameters: parameters)
    }
}

extension RequestInterceptor where Self == AuthenticationInterceptor<OAuth2Credential> {
    /// Returns an interceptor of calls that sends the program's own token, with the grant "client credentials" (RFC
    /// 6749, section 4.4).
    ///
    ///     manager.interceptors.call = [.clientCredentials(client, scope: "read", for: baseURL)]
    ///
    /// The first call obtains the token. Another token is obtained 30 seconds before the token expires, or at half of
    /// its lifetime if this is later, and after a 401. All calls that wait share one request to the server. If there is
    /// no token, they fail with `credentialRefreshFailed`, and `oauth2Failure` of the error has the server's reason.
    /// - Parameters:
    ///   - client: The client.
    ///   - scope: The scopes to request, separated by spaces. Default: those that the server chooses.
    ///   - parameters: Further parameters that the server needs, such as `audience`. Default: none.
    ///   - url: The URL to whose origin the token is sent, such as the base URL of the session manager.
    ///   - others: Further URLs to whose origins the token is sent.
    public static func clientCredentials(
        _ client: OAuth2Client,
        scope: String? = nil,
        parameters: [String: String] = [:],
        for url: URL,
        _ others: URL...
    ) -> Self {
        AuthenticationInterceptor(
            ClientCredentialsAuthenticator.missing,
            authenticator: ClientCredentialsAuthenticator(client: client, scope: scope, parameters: parameters),
            refreshWindow: .seconds(30),
            urls: [url] + others,
            date: client.date
        )
    }
}
