import HTTPSyntax

/// The tokens of OAuth 2. The descriptions and the mirror of a credential do not contain the tokens.
public struct OAuth2Credential: Hashable, Codable, Sendable {
    /// The access token, which requests are sent with.
    public var accessToken: String
    /// The token with which a new access token is requested; nil if the server has issued none.
    public var refreshToken: String?
    /// The date at which the access token expires; nil if it is unknown.
    public var expirationDate: Date?

    /// Creates a credential.
    /// - Parameters:
    ///   - accessToken: The access token, which requests are sent with.
    ///   - refreshToken: The token with which a new access token is requested. Default: none.
    ///   - expirationDate: The date at which the access token expires. Default: unknown.
    public init(accessToken: String, refreshToken: String? = nil, expirationDate: Date? = nil) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expirationDate = expirationDate
    }
}

extension OAuth2Credential: CustomStringConvertible, CustomReflectable {
    /// The expiration date, without the tokens.
    public var description: String {
        "OAuth2Credential(expires \(expirationDate.map { "\($0)" } ?? "at an unknown date"))"
    }
    /// A mirror without the tokens.
    public var customMirror: Mirror { Mirror(self, children: ["expirationDate": expirationDate as Any]) }
}

extension OAuth2Authenticator: CustomStringConvertible, CustomReflectable {
    /// The token endpoint and the client's identifier, without the client's secret.
    public var description: String {
        "OAuth2Authenticator(\(clientID) at \(Redaction.standard.text(of: tokenEndpoint)))"
    }
    /// A mirror without the client's secret.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// The rules of OAuth 2: requests have a Bearer token (RFC 6750), and a refresh token renews it (RFC 6749, section 6).
///
///     let authenticator = OAuth2Authenticator(tokenEndpoint: tokenURL, clientID: "app") { request in
///         try await session.data(for: request)
///     }
///     manager.interceptors.call = [.authentication(credential, authenticator: authenticator, for: baseURL)]
public struct OAuth2Authenticator: RequestAuthenticator {
    /// The way in which a client authenticates itself in the request for a token (RFC 6749, section 2.3).
    ///
    /// It is a struct and not an enum, so that a new way does not break existing `switch` statements. Give every
    /// `switch` a `default`.
    public struct ClientAuthentication: Sendable, Hashable {
        enum Kind: Sendable, Hashable {
            case basic
            case content
            case assertion(OAuth2Assertion)
        }

        let kind: Kind

        /// The secret in the field `Authorization`, with the Basic scheme. Every server must support it.
        public static let basic = Self(kind: .basic)
        /// The secret in the content of the request.
        public static let content = Self(kind: .content)

        /// Returns the authentication by an assertion, which is made for each request. The secret is not sent.
        /// - Parameter make: A closure that makes an assertion. It is called on an arbitrary thread.
        package static func assertion(_ make: @escaping OAuth2Assertion.Make) -> Self {
            Self(kind: .assertion(OAuth2Assertion(make)))
        }
    }

    private let tokenEndpoint: URL
    private let clientID: String
    private let clientSecret: String?
    /// The way in which the client authenticates itself. Default: its secret in the field `Authorization`.
    public var clientAuthentication = ClientAuthentication.basic
    var scope: String?
    /// A closure that is called with each new credential before the credential is used. Store the credential in the
    /// closure, because a server may accept each refresh token only once. The closure is called on an arbitrary thread.
    /// Default: none.
    public var didRefresh: (@Sendable (OAuth2Credential) async -> Void)?
    /// Whether the server accepts a refresh token more than once. Only read for a credential that is shared through a
    /// ``SharedStore``: with true, another process may refresh the credential again if a refresh has no result.
    /// Default: false.
    public var allowsRepeatedRefresh = false
    private let send: @Sendable (URLRequest) async throws -> (Data, URLResponse)
    /// The source of the present date.
    var date: @Sendable () -> Date = { Date() }

    /// Creates the rules.
    /// - Parameters:
    ///   - tokenEndpoint: The URL of the token endpoint. It should be https.
    ///   - clientID: The identifier of the client.
    ///   - clientSecret: The secret of the client. Default: none, for a public client.
    ///   - scope: The scopes to request, separated by spaces. Default: the scopes of the first token.
    ///   - send: A closure that sends the request for a token, and returns the content and the response. It is called
    ///     on an arbitrary thread. The content of the request contains secrets.
    public init(
        tokenEndpoint: URL,
        clientID: String,
        clientSecret: String? = nil,
        scope: String? = nil,
        send: @escaping @Sendable (URLRequest) async throws -> (Data, URLResponse)
    ) {
        self.tokenEndpoint = tokenEndpoint
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scope = scope
        self.send = send
    }

    /// Sets the field `Authorization` to the access token. If the token contains CR, LF or NUL, the request is not
    /// sent, and the call fails with the error `invalidHeaderField`.
    public func apply(_ credential: OAuth2Credential, to request: inout URLRequest) {
        // `URLRequest.setValue` would drop a value with a line break without an error. `headers` reports it.
        request.headers.set(.authorization(bearerToken: credential.accessToken))
    }

    /// Returns the expiration date of the access token; nil if it is unknown.
    public func expirationDate(of credential: OAuth2Credential) -> Date? { credential.expirationDate }

    /// Requests a new access token from the token endpoint. The response that refused the old token is not used.
    /// - Throws: ``LarkspurError`` with the code `credentialRefreshFailed` if there is no refresh token, if the server
    ///   refuses it (``LarkspurError/oauth2Failure`` has the server's reason), or if the response has no valid Bearer
    ///   token. Otherwise the error of the closure that sends the request. A valid token has only printable ASCII
    ///   characters, and no space as its first or last character (RFC 6749, appendix A.12).
    public func refresh(
        _ credential: OAuth2Credential,
        after refusal: InterceptedResponse?
    ) async throws -> OAuth2Credential {
        RefreshProgress.current?.begin()
        guard let refreshToken = credential.refreshToken else {
            throw LarkspurError(.credentialRefreshFailed, "The access token cannot be renewed without a refresh token.")
        }
        var parameters = ["grant_type": "refresh_token", "refresh_token": refreshToken]
        parameters["scope"] = scope
        let requests = OAuth2Requests(
            tokenEndpoint: tokenEndpoint,
            clientID: clientID,
            clientSecret: clientSecret,
            clientAuthentication: clientAuthentication,
            errorCode: .credentialRefreshFailed,
            date: date,
            send: send
        )
        var renewed = try await requests.credential(parameters, secrets: [refreshToken])
        // Without a new refresh token, the old refresh token stays valid (RFC 6749, section 6).
        renewed.refreshToken = renewed.refreshToken ?? refreshToken
        // Called before this method returns, because the server may not accept the old refresh token again.
        await didRefresh?(renewed)
        return renewed
    }
}
