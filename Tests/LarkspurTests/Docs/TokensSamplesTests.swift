import LarkspurTesting
import Testing

@testable import Larkspur

/// Runs the samples of `Docs/Interceptors.md` about tokens.
@Suite("Samples about tokens", .timeLimit(.minutes(5)))
struct TokensSamplesTests {
    let server: LoopbackServer
    let samples: TokensSamples

    init() throws {
        server = try LoopbackServer()
        server.route("/token", .json(#"{"access_token": "secret", "expires_in": 3600}"#))
        server.route("/account") { request in
            request.headers["Authorization"] == "Bearer secret" ? .text("Ada") : .status(401)
        }
        samples = TokensSamples(
            manager: TestTransport.allCases[0].makeManager(for: server),
            baseURL: server.baseURL,
            tokenURL: server.url("/token")
        )
    }

    @Test func oauth() async throws {
        try await samples.oauth("old", "r")
        #expect(samples.output.values == ["stored", "Ada"])
        #expect(server.requests.map(\.path) == ["/account", "/token", "/account"])
    }

    @Test("The refresh token is sent to no other server", arguments: [302, 307, 308])
    func redirectedRefresh(status: Int) async throws {
        let other = try LoopbackServer()
        other.route("/token", .json(#"{"access_token": "secret"}"#))
        server.route("/token", .redirect(to: other.url("/token").absoluteString, status: status))
        let error = await #expect(throws: LarkspurError.self) {
            try await samples.oauth("old", "r")
        }
        #expect(error?.code == .credentialRefreshFailed && error?.message.contains("status \(status)") == true)
        #expect(other.requests.isEmpty)
    }

    @Test("A type of token decides which responses refuse it")
    func ownToken() async throws {
        struct SessionToken: RequestAuthenticator {
            func apply(_ token: String, to request: inout URLRequest) {
                request.headers["Authorization"] = "Session \(token)"
            }

            func isRefused(_ response: InterceptedResponse) -> Bool { response.statusCode == 419 }

            func refresh(_ token: String, after refusal: InterceptedResponse?) async throws -> String { "secret" }
        }
        let manager = samples.manager
        server.route("/session") { request in
            request.headers["Authorization"] == "Session secret" ? .text("Ada") : .status(419)
        }
        manager.interceptors.call = [.authentication("old", authenticator: SessionToken(), for: server.baseURL)]
        #expect(try await manager.get("session").string == "Ada")
        #expect(server.requests.count == 2)
    }
}
