internal import HTTPSyntax

extension OAuth2Client {
    /// Obtains a token for a user who logs in with a browser on this device: the grant "authorization code" with PKCE
    /// (RFC 6749, section 4.1; RFC 7636; RFC 8252, section 7.3).
    ///
    ///     let credential = try await client.authorizeInBrowser(scope: "notes") { url in
    ///         print("Open \(url.absoluteString)")
    ///     }
    ///
    /// The method listens on 127.0.0.1, and the closure opens the server's page in a browser. After the login, the
    /// browser is redirected to `http://127.0.0.1:PORT/callback`. The first request with the right random `state` ends
    /// the method; all others get a 404. If the server names its issuer (RFC 9207), or has announced that it does, the
    /// issuer must be the one of ``OAuth2Client/server``. Cancel the Swift task to end the method; the port is then
    /// closed before the method returns.
    /// - Parameters:
    ///   - scope: The scopes to request, separated by spaces. Default: those that the server chooses.
    ///   - parameters: Further parameters of the URL for the browser, such as `prompt`. Default: none.
    ///   - redirectPath: The path of the redirect, as it is registered at the server. Default: `/callback`.
    ///   - port: The port of the redirect; 0 for a free one, which servers accept for programs (RFC 8252, section 7.3).
    ///     Default: 0.
    ///   - timeLimit: The time in which the user has to log in, by the session manager's clock. Default: 10 minutes.
    ///   - open: A closure that opens the URL in a browser. It is called once, on an arbitrary thread, while the method
    ///     listens. If it still runs when the redirect arrives, it is cancelled, and the method waits for its end.
    /// - Throws: `authorizationFailed` if the server refuses the request, if the user declines (`access_denied`), or if
    ///   a response is invalid; `oauth2Failure` of the error has the server's reason. If the closure throws an error,
    ///   `authorizationFailed` with this error. `unsupported` if the server has no page for users, or does not support
    ///   the method S256. `timedOut` after the time limit. Otherwise the error of the transport or of the system, or
    ///   `cancelled`.
    public func authorizeInBrowser(
        scope: String? = nil,
        parameters: [String: String] = [:],
        redirectPath: String = "/callback",
        port: UInt16 = 0,
        timeLimit: Duration = .seconds(600),
        open: @escaping @Sendable (URL) async throws -> Void
    ) async throws(LarkspurError) -> OAuth2Credential {
        let endpoint = try authorizationEndpoint()
        guard redirectPath.begins(with: "/"),
            redirectPath.utf8.allSatisfy({ PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "/") })
        else { throw LarkspurError(.invalidURL, "The path of a redirect begins with a slash, and has no escapes.") }
        do {
            let listener = try LoopbackListener(port: port)
            let challenge = CodeChallenge()
            let state = RandomText.make()
            let redirectURL = "http://127.0.0.1:\(listener.port)\(redirectPath)"
            let url = try Self.url(
                of: endpoint,
                self.parameters(
                    parameters,
                    scope: scope,
                    [
                        "response_type": "code", "client_id": id, "redirect_uri": redirectURL, "state": state,
                        "code_challenge": challenge.challenge, "code_challenge_method": "S256",
                    ]
                )
            )
            let redirect = try await self.redirect(to: listener, timeLimit) { target in
                AuthorizationRedirect(target: target, path: redirectPath, state: state)
            } opening: {
                try await open(url)
            }
            let code = try redirect.code(from: server)
            return try await requests.credential(
                [
                    "grant_type": "authorization_code", "code": code, "redirect_uri": redirectURL,
                    "code_verifier": challenge.verifier,
                ],
                secrets: [code, challenge.verifier]
            )
        } catch {
            throw LarkspurError(authorization: error)
        }
    }

    private func authorizationEndpoint() throws(LarkspurError) -> URL {
        guard let endpoint = server.authorizationEndpoint else {
            throw LarkspurError(.unsupported, "The authorization server has no page at which users log in.")
        }
        guard server.supportsS256 else {
            throw LarkspurError(.unsupported, "The authorization server does not support the method S256 of PKCE.")
        }
        return endpoint
    }

    /// Waits for the browser's request, while a closure opens the page.
    private func redirect(
        to listener: LoopbackListener,
        _ timeLimit: Duration,
        reading read: @escaping @Sendable (String) -> AuthorizationRedirect?,
        opening open: @escaping @Sendable () async throws -> Void
    ) async throws -> AuthorizationRedirect {
        try await withThrowingTaskGroup(of: AuthorizationRedirect?.self) { [clock] group in
            group.addTask { try await listener.request(read) }
            group.addTask {
                try await open()
                return nil
            }
            group.addTask {
                try await clock.sleep(for: timeLimit)
                throw LarkspurError(.timedOut, "The user has not logged in within the time limit.")
            }
            defer { group.cancelAll() }
            while let redirect = try await group.next() {
                if let redirect { return redirect }
            }
            throw CancellationError()
        }
    }

    /// Returns the URL of a page with parameters behind those that it has (RFC 6749, section 3.1).
    static func url(of endpoint: URL, _ parameters: [String: String]) throws(LarkspurError) -> URL {
        var components = URLComponents(url: endpoint, resolvingAgainstBaseURL: true)
        components?.fragment = nil
        let query = components?.percentEncodedQuery.flatMap { $0.isEmpty ? nil : $0 + "&" } ?? ""
        components?.percentEncodedQuery = query + OAuth2Requests.text(of: parameters)
        guard let url = components?.url else {
            throw LarkspurError(.invalidURL, "The URL of the page at which users log in is invalid.")
        }
        return url
    }
}
