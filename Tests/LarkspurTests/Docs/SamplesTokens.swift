import Larkspur

/// The samples of `Docs/Interceptors.md` about tokens, each between two markers; what they print is noted.
struct TokensSamples: Sendable {
    let manager: SessionManager
    let baseURL: URL
    let tokenURL: URL
    let output = Recorder<String>()

    private func print(_ item: Any) { output.record("\(item)") }

    private func store(_ credential: OAuth2Credential) async { output.record("stored") }

    func oauth(_ accessToken: String, _ refreshToken: String) async throws {
        // sample: oauth 2
        let credential = OAuth2Credential(accessToken: accessToken, refreshToken: refreshToken)
        var authenticator = OAuth2Authenticator(tokenEndpoint: tokenURL, clientID: "app", manager: manager)
        authenticator.didRefresh = { credential in
            await store(credential)
        }
        let login = AuthenticationInterceptor(credential, authenticator: authenticator, for: baseURL)
        manager.interceptors.call = [login, .retry()]

        let text = try await manager.get("account").string
        print(text)
        // end
    }
}
