internal import HTTPSyntax

/// A program that is registered at an authorization server, and obtains its tokens (RFC 6749).
///
///     let client = OAuth2Client("app", server: server, manager: manager)
///     let credential = try await client.authorizeDevice { code in
///         print("Open \(code.verificationURL) and enter \(code.userCode).")
///     }
///     manager.interceptors.call = [.authentication(credential, authenticator: client.authenticator(), for: baseURL)]
///
/// - ``authorizeClient(scope:parameters:)`` obtains a token for the program itself.
///   The interceptor `.clientCredentials(_:scope:parameters:for:_:)` does this whenever a token is needed.
/// - ``authorizeDevice(scope:parameters:show:)`` obtains a token for a user who logs in on another device.
/// - ``authorizeInBrowser(scope:parameters:redirectPath:port:timeLimit:open:)`` obtains a token for a user who logs in
///   with the browser of this device.
///
/// ``authenticator(scope:)`` renews the tokens. The requests pass through no interceptors and follow no redirect. If
/// the server refuses one, `oauth2Failure` of the error has its reason. Descriptions and mirrors of a client do not
/// contain its secret.
public struct OAuth2Client: Sendable {
    /// The identifier of the client.
    public let id: String
    /// The authorization server.
    public let server: OAuth2Server
    /// The way in which the client authenticates itself: its secret in a field or in the content, or a signed
    /// assertion. A client that has neither sends its identifier in the content. Default: the secret in the field
    /// `Authorization`.
    public var authentication = OAuth2Authenticator.ClientAuthentication.basic
    private let secret: String?
    let clock: any Clock<Duration>
    private let send: OAuth2Requests.Send
    /// The source of the present date.
    var date: @Sendable () -> Date = { Date() }

    /// Creates a client.
    /// - Parameters:
    ///   - id: The identifier of the client.
    ///   - secret: The secret of the client. Default: none, for a public client.
    ///   - server: The authorization server.
    ///   - manager: The session manager that sends the requests, whose clock measures the waits. The client makes a
    ///     copy, with the settings of this moment and without the interceptors.
    public init(_ id: String, secret: String? = nil, server: OAuth2Server, manager: SessionManager) {
        self.id = id
        self.secret = secret
        self.server = server
        clock = manager.clock
        send = manager.tokenSender()
    }

    /// Returns the rules of the client's tokens, which renew a token with its refresh token.
    ///
    /// Set its `didRefresh` to store new credentials.
    /// - Parameter scope: The scopes to request, separated by spaces. Default: the scopes of the first token.
    public func authenticator(scope: String? = nil) -> OAuth2Authenticator {
        var authenticator = OAuth2Authenticator(
            tokenEndpoint: server.tokenEndpoint,
            clientID: id,
            clientSecret: secret,
            scope: scope,
            send: send
        )
        authenticator.clientAuthentication = authentication
        return authenticator
    }

    /// The client's requests.
    var requests: OAuth2Requests {
        OAuth2Requests(
            tokenEndpoint: server.tokenEndpoint,
            clientID: id,
            clientSecret: secret,
            clientAuthentication: authentication,
            errorCode: .authorizationFailed,
            date: date,
            send: send
        )
    }

    /// Returns the parameters of a request. Own parameters replace those of the program.
    func parameters(_ additional: [String: String], scope: String?, _ own: [String: String]) -> [String: String] {
        var parameters = additional
        for (name, value) in own { parameters[name] = value }
        if let scope { parameters["scope"] = scope }
        return parameters
    }
}

extension OAuth2Client: CustomStringConvertible, CustomReflectable {
    /// The identifier and the token endpoint, without the secret.
    public var description: String { "OAuth2Client(\(id) at \(Redaction.standard.text(of: server.tokenEndpoint)))" }
    /// A mirror without the secret.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
