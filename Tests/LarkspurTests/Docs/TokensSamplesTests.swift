import LarkspurTesting
import Testing

@testable import Larkspur

/// Runs the samples of `Docs/Tokens.md`.
@Suite("Samples about tokens", .timeLimit(.minutes(5)))
struct TokensSamplesTests {
    let server: LoopbackServer
    let samples: TokensSamples

    init() throws {
        server = try LoopbackServer()
        server.route("/token", .json(#"{"access_token": "secret", "expires_in": 3600}"#))
        server.route("/account") { request in
            ["Bearer secret", "Session secret"].contains(request.headers["Authorization"])
                ? .text("Ada") : .status(request.headers["Authorization"] == "Session old" ? 419 : 401)
        }
        samples = TokensSamples(
            manager: TestTransport.allCases[0].makeManager(for: server),
            baseURL: server.baseURL,
            tokenURL: server.url("/token")
        )
    }

    @Test func oauth() async throws {
        try await samples.oauth(OAuth2Credential(accessToken: "old", refreshToken: "r"))
        #expect(samples.output.values == ["stored", "Ada"])
        #expect(server.requests.map(\.path) == ["/account", "/token", "/account"])
    }

    @Test("The refresh token goes to no other server", arguments: [302, 307, 308])
    func redirectedRefresh(status: Int) async throws {
        let other = try LoopbackServer()
        other.route("/token", .json(#"{"access_token": "secret"}"#))
        server.route("/token", .redirect(to: other.url("/token").absoluteString, status: status))
        let error = await #expect(throws: LarkspurError.self) {
            try await samples.oauth(OAuth2Credential(accessToken: "old", refreshToken: "r"))
        }
        #expect(error?.code == .credentialRefreshFailed && error?.message.contains("status \(status)") == true)
        #expect(other.requests.isEmpty)
    }

    @Test func login() async throws {
        let authenticator = OAuth2Authenticator(tokenEndpoint: server.url("/token"), clientID: "app") { _ in
            throw URLError(.cancelled)
        }
        try await samples.login(authenticator)
        #expect(samples.output.values == ["Ada"])
    }

    @Test func ownToken() async throws {
        let manager = samples.manager
        manager.interceptors.call = [
            .authentication("old", authenticator: TokensSamples.SessionToken { "secret" }, for: server.baseURL)
        ]
        #expect(try await manager.get("account").string == "Ada")
        #expect(server.requests.count == 2)
    }
}
