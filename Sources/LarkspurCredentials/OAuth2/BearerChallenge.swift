internal import HTTPSyntax

/// The rules of tokens that are obtained as the challenge of a 401 says.
struct BearerChallengeAuthenticator: RequestAuthenticator {
    let token: @Sendable (HTTPChallenge) async throws -> String?

    /// The first request is sent without a token.
    static let missing = OAuth2Credential(accessToken: "")

    func apply(_ credential: OAuth2Credential, to request: inout URLRequest) {
        guard !credential.accessToken.isEmpty else { return }
        request.headers.set(.authorization(bearerToken: credential.accessToken))
    }

    func isRefused(_ response: InterceptedResponse) -> Bool {
        response.statusCode == 401 && Self.challenge(of: response) != nil
    }

    func refresh(
        _ credential: OAuth2Credential,
        after refusal: InterceptedResponse?
    ) async throws -> OAuth2Credential {
        guard let challenge = refusal.flatMap(Self.challenge), let token = try await token(challenge) else {
            throw LarkspurError(.credentialRefreshFailed, "The program has no token for the server's challenge.")
        }
        return OAuth2Credential(accessToken: token)
    }

    private static func challenge(of response: InterceptedResponse) -> HTTPChallenge? {
        response.httpResponse?.challenges.first { $0.scheme.inLowercase == "bearer" }
    }
}

extension RequestInterceptor where Self == AuthenticationInterceptor<OAuth2Credential> {
    /// Returns an interceptor of calls that answers `Bearer` challenges (RFC 6750, section 3), as registries of
    /// container images send them: `WWW-Authenticate: Bearer realm="…",service="…",scope="…"`.
    ///
    ///     manager.interceptors.call = [
    ///         .bearerChallenge(for: registry) { challenge in
    ///             guard challenge["realm"] == "https://auth.example.com/token" else { return nil }
    ///             let scope = ["service": challenge["service"], "scope": challenge["scope"]]
    ///             let url = "https://auth.example.com/token"
    ///             return try await tokens.get(url, parameters: .encodable(scope)).value()["token"].string
    ///         }
    ///     ]
    ///
    /// The server chooses the realm, so the program compares it before it sends a secret there.
    ///
    /// The first request is sent without a token. After a 401 with a `Bearer` challenge, the closure obtains a token,
    /// once for all calls that were refused, and they are sent again. All calls of the interceptor share the token. For
    /// several scopes at a time, use several interceptors.
    /// - Parameters:
    ///   - url: The URL to whose origin the token is sent.
    ///   - others: Further URLs to whose origins the token is sent.
    ///   - token: A closure that obtains the token. If it returns nil, the calls fail with `credentialRefreshFailed`,
    ///     and so they do if it throws an error. It is called on an arbitrary thread. Its requests do not get the
    ///     token, even if they have the same interceptor.
    public static func bearerChallenge(
        for url: URL,
        _ others: URL...,
        token: @escaping @Sendable (HTTPChallenge) async throws -> String?
    ) -> Self {
        AuthenticationInterceptor(
            BearerChallengeAuthenticator.missing,
            authenticator: BearerChallengeAuthenticator(token: token),
            refreshWindow: .seconds(30),
            urls: [url] + others,
            date: { Date() }
        )
    }
}
