internal import HTTPSyntax

/// The endpoints of an authorization server, and the facts about it that a client needs.
///
///     let server = try await OAuth2Server(discovering: "https://id.example.com", manager: manager)
public struct OAuth2Server: Sendable, Hashable {
    /// The issuer identifier of the server (RFC 8414, section 2); nil if it is unknown. Issuers are compared byte by
    /// byte.
    public var issuer: String?
    /// The URL of the token endpoint.
    public var tokenEndpoint: URL
    /// The URL of the page at which users log in; nil if there is none.
    public var authorizationEndpoint: URL?
    /// The URL of the device authorization endpoint (RFC 8628); nil if there is none.
    public var deviceAuthorizationEndpoint: URL?
    /// Whether the server names itself in its redirects, with the parameter `iss` (RFC 9207). If true, a redirect
    /// without the parameter is refused. Default: false.
    public var sendsIssuer = false
    /// Whether the server supports the method S256 of PKCE, as far as it is known.
    var supportsS256 = true

    /// Creates the description of a server from its documentation.
    /// - Parameters:
    ///   - issuer: The issuer identifier. Default: unknown.
    ///   - tokenEndpoint: The URL of the token endpoint. It should be https.
    ///   - authorizationEndpoint: The URL of the page at which users log in. Default: none.
    ///   - deviceAuthorizationEndpoint: The URL of the device authorization endpoint. Default: none.
    public init(
        issuer: String? = nil,
        tokenEndpoint: URL,
        authorizationEndpoint: URL? = nil,
        deviceAuthorizationEndpoint: URL? = nil
    ) {
        self.issuer = issuer
        self.tokenEndpoint = tokenEndpoint
        self.authorizationEndpoint = authorizationEndpoint
        self.deviceAuthorizationEndpoint = deviceAuthorizationEndpoint
    }

    /// The document in which a server describes itself.
    ///
    /// It is a struct and not an enum, so that a new document does not break existing `switch` statements.
    public struct Metadata: Sendable, Hashable {
        enum Kind: Sendable {
            case oauth
            case openID
        }

        let kind: Kind

        /// `/.well-known/oauth-authorization-server`, between the host and the path of the issuer (RFC 8414,
        /// section 3).
        public static let oauth = Self(kind: .oauth)
        /// `/.well-known/openid-configuration`, after the path of the issuer (OpenID Connect Discovery 1.0, section 4).
        public static let openID = Self(kind: .openID)
    }

    /// Loads the description of a server from the server itself (RFC 8414).
    ///
    /// The request passes through no interceptors, and follows no redirect.
    /// - Parameters:
    ///   - issuer: The issuer identifier, an http or https URL without a query and a fragment. It should be https. If
    ///     it is https, all endpoints have to be https too.
    ///   - metadata: The document to load. Default: `.oauth`.
    ///   - manager: The session manager, whose settings of this moment apply.
    /// - Throws: `invalidURL` if the issuer is invalid; `authorizationFailed` if there is no document, if it is the
    ///   document of another issuer, or if it has no valid token endpoint; otherwise the error of the transport.
    public init(
        discovering issuer: String,
        metadata: Metadata = .oauth,
        manager: SessionManager
    ) async throws(LarkspurError) {
        let location = try Self.location(of: metadata, for: issuer)
        var request = URLRequest(url: location)
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        let answer: OAuth2Answer
        do {
            let (data, response) = try await manager.tokenSender()(request)
            answer = OAuth2Answer(data, response, .authorizationFailed, hiding: [])
        } catch {
            throw LarkspurError(authorization: error)
        }
        guard answer.isSuccessful else {
            let reason = answer.failure.map { "\($0)" } ?? "status \(answer.status)"
            throw Self.error(location, "could not be loaded: \(reason)", answer.failure)
        }
        try self.init(answer, issuer: issuer, location: location)
    }

    /// Reads the metadata of a server.
    init(_ answer: OAuth2Answer, issuer: String, location: URL) throws(LarkspurError) {
        guard let named = answer.text("issuer") else { throw Self.error(location, "names no issuer") }
        // The comparison is exact (RFC 8414, section 3.3).
        guard named == issuer else {
            throw Self.error(location, "is the description of another issuer, \(named.excerpt)")
        }
        guard let tokenEndpoint = try Self.endpoint("token_endpoint", answer, location) else {
            throw Self.error(location, "has no token endpoint")
        }
        self.init(
            issuer: issuer,
            tokenEndpoint: tokenEndpoint,
            authorizationEndpoint: try Self.endpoint("authorization_endpoint", answer, location),
            deviceAuthorizationEndpoint: try Self.endpoint("device_authorization_endpoint", answer, location)
        )
        sendsIssuer = answer.isTrue("authorization_response_iss_parameter_supported")
        supportsS256 = answer.texts("code_challenge_methods_supported")?.contains("S256") ?? true
    }

    /// Returns the URL of the document of an issuer.
    static func location(of metadata: Metadata, for issuer: String) throws(LarkspurError) -> URL {
        guard let components = URLComponents(string: issuer),
            ["http", "https"].contains(components.scheme?.inLowercase ?? ""),
            components.host?.isEmpty == false, components.percentEncodedQuery == nil,
            components.percentEncodedFragment == nil, components.user == nil, components.password == nil
        else {
            throw LarkspurError(
                .invalidURL,
                "The issuer of an authorization server is an http or https URL without a query and a fragment."
            )
        }
        var path = components.percentEncodedPath
        if path.ends(with: "/") { path.removeLast() }
        var location = components
        switch metadata.kind {
        case .oauth: location.percentEncodedPath = "/.well-known/oauth-authorization-server" + path
        case .openID: location.percentEncodedPath = path + "/.well-known/openid-configuration"
        }
        guard let url = location.url else {
            throw LarkspurError(.invalidURL, "The issuer of the authorization server has an invalid path.")
        }
        return url
    }

    private static func endpoint(
        _ name: String,
        _ answer: OAuth2Answer,
        _ location: URL
    ) throws(LarkspurError) -> URL? {
        guard let text = answer.text(name) else { return nil }
        guard let url = URL(string: text), let scheme = url.scheme?.inLowercase, url.host()?.isEmpty == false,
            // Secrets that the program sends over TLS must not be sent without it.
            scheme == "https" || scheme == "http" && location.scheme?.inLowercase == "http"
        else {
            throw error(location, "has an invalid \(name), or one that is not https")
        }
        return url
    }

    private static func error(_ location: URL, _ reason: String, _ failure: OAuth2Failure? = nil) -> LarkspurError {
        LarkspurError(
            .authorizationFailed,
            "The description of the authorization server \(reason).",
            underlyingError: failure,
            failingURL: location
        )
    }
}

extension LarkspurError {
    /// Creates the error of a grant that has failed with any error.
    init(authorization error: any Error) {
        switch error {
        case let error as LarkspurError: self = error
        case is CancellationError: self.init(.cancelled, "The authorization was cancelled.")
        default:
            self.init(
                .authorizationFailed,
                "The authorization failed: \(SerializationFailure.reason(error).withoutFullStop).",
                underlyingError: error
            )
        }
    }
}
