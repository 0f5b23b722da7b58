import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

@Suite("OAuth 2 refresh tokens", .timeLimit(.minutes(5)))
struct OAuth2AuthenticatorTests {
    private let start = Date(timeIntervalSince1970: 1_000_000)
    private let requests = Recorder<URLRequest>()
    private let old = OAuth2Credential(accessToken: "a0", refreshToken: "r&0")

    private func makeAuthenticator(
        _ answer: String,
        status: Int = 200,
        secret: String? = nil
    ) throws -> OAuth2Authenticator {
        let endpoint = try #require(URL(string: "https://id.test/token"))
        let response = try httpResponse(status, "application/json")
        var authenticator = OAuth2Authenticator(tokenEndpoint: endpoint, clientID: "app: 1", clientSecret: secret) {
            [requests] request in
            requests.record(request)
            return (Data(answer.utf8), response)
        }
        authenticator.date = { [start] in start }
        return authenticator
    }

    private func content() async throws -> String {
        String(decoding: try #require(try await requests.first().httpBody), as: UTF8.self)
    }

    @Test("A public client sends its identifier in the form, and gets both tokens and the expiry")
    func publicClient() async throws {
        let answer = #"{"access_token": "a1", "token_type": "bearer", "expires_in": 60, "refresh_token": "r1"}"#

        let new = try await makeAuthenticator(answer).refresh(old, after: nil)

        #expect(new == OAuth2Credential(accessToken: "a1", refreshToken: "r1", expirationDate: start + 60))
        let request = try await requests.first()
        #expect(request.url?.absoluteString == "https://id.test/token" && request.httpMethod == "POST")
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.value(forHTTPHeaderField: "Authorization") == nil)
        #expect(try await content() == "client_id=app%3A%201&grant_type=refresh_token&refresh_token=r%260")
    }

    @Test("A client's secret is sent in the field, escaped, or in the form, and scopes are requested")
    func secret() async throws {
        var authenticator = try makeAuthenticator(#"{"access_token": "a1"}"#, secret: "s:%")
        #expect(authenticator.clientAuthentication == .basic)
        authenticator.scope = "read write"
        _ = try await authenticator.refresh(old, after: nil)
        authenticator.clientAuthentication = .content
        authenticator.scope = nil
        _ = try await authenticator.refresh(old, after: nil)

        let sent = requests.values
        let basic = Data("app%3A%201:s%3A%25".utf8).base64EncodedString()
        #expect(sent.map { $0.value(forHTTPHeaderField: "Authorization") } == ["Basic \(basic)", nil])
        #expect(
            sent.map { String(decoding: $0.httpBody ?? Data(), as: UTF8.self) } == [
                "grant_type=refresh_token&refresh_token=r%260&scope=read%20write",
                "client_id=app%3A%201&client_secret=s%3A%25&grant_type=refresh_token&refresh_token=r%260",
            ]
        )
    }

    @Test("The old refresh token stays if the response has none, and a lifetime may be text or missing")
    func answers() async throws {
        let text = try await makeAuthenticator(#"{"access_token": "a1", "expires_in": "5"}"#).refresh(old, after: nil)
        let bad = try await makeAuthenticator(#"{"access_token": "a1", "expires_in": -5}"#).refresh(old, after: nil)

        #expect(text == OAuth2Credential(accessToken: "a1", refreshToken: "r&0", expirationDate: start + 5))
        #expect(bad.expirationDate == nil)
    }

    @Test(
        "A response without a Bearer token is an error that names the reason",
        arguments: [
            (#"{"error": "invalid_grant", "error_description": "gone"}"#, 400, "status 400, invalid_grant: gone"),
            ("oops", 500, "status 500"), ("oops", 200, "no access token"), (#"{"access_token": ""}"#, 200, "no access"),
            (#"{"access_token": "a", "token_type": "mac"}"#, 200, "type is mac"),
            (#"{"access_token": "a\n"}"#, 200, "no token has"),
            (#"{"access_token": "a\r\nX: y"}"#, 200, "no token has"),
            (#"{"access_token": "\ta"}"#, 200, "no token has"), (#"{"access_token": "é"}"#, 200, "no token has"),
            (#"{"access_token": " a"}"#, 200, "no token has"), (#"{"access_token": "a "}"#, 200, "no token has"),
            (#"{"access_token": "a\u0000b"}"#, 200, "no token has"),
            (#"{"access_token": "a\u007f"}"#, 200, "no token has"), ("", 307, "status 307"),
        ]
    )
    func failures(_ answer: String, _ status: Int, _ reason: String) async throws {
        let authenticator = try makeAuthenticator(answer, status: status)
        let error = await #expect(throws: LarkspurError.self) { try await authenticator.refresh(old, after: nil) }
        #expect(error?.code == .credentialRefreshFailed && error?.message.contains(reason) == true)
        #expect(error?.request == nil)
    }

    @Test("A token may have any visible characters, and spaces between them")
    func characters() async throws {
        let token = "~!\u{22}#$%&'()*+,-./ 0:;<=>?@A[\\]^_`a{|}"
        let text = token.replacing("\\", with: "\\\\").replacing("\u{22}", with: "\\\u{22}")
        let new = try await makeAuthenticator("{\"access_token\": \"\(text)\"}").refresh(old, after: nil)
        #expect(new.accessToken == token)
    }

    @Test(
        "A token with a line break is an error, and no request is sent without the token",
        arguments: TestTransport.allCases,
        ["a\n", "a\r\nX: y", "\0", "\n"]
    )
    func brokenLines(_ transport: TestTransport, _ token: String) async throws {
        let server = try LoopbackServer()
        let manager = transport.makeManager(for: server)
        let broken = OAuth2Credential(accessToken: token, refreshToken: "r")
        let authenticator = try makeAuthenticator("{}")
        manager.interceptors.call = [.authentication(broken, authenticator: authenticator, for: server.baseURL)]
        #expect(await manager.get("text").response().error?.code == .invalidHeaderField)

        manager.interceptors.call = [.adapting { $0.headers["X-Token"] = token }]
        #expect(await manager.get("text").response().error?.code == .invalidHeaderField)
        manager.interceptors.call = []
        let headers: HTTPHeaders = [.authorization(bearerToken: token)]
        #expect(await manager.get("text", headers: headers).response().error?.code == .invalidHeaderField)
        manager.requestSettings.setAuthorization(bearerToken: token)
        #expect(await manager.get("text").response().error?.code == .invalidHeaderField)
        #expect(server.requests.isEmpty && requests.values.isEmpty)
    }

    @Test("Without a refresh token, no request is sent")
    func missing() async throws {
        let authenticator = try makeAuthenticator("{}")
        await #expect(throws: LarkspurError.self) {
            try await authenticator.refresh(OAuth2Credential(accessToken: "a"), after: nil)
        }
        #expect(requests.values.isEmpty)
    }

    @Test("Printing a credential prints no tokens")
    func printing() {
        var text = "\(old) \(String(reflecting: old))"
        dump(old, to: &text)
        #expect(!text.contains("a0") && !text.contains("r&0") && text.contains("expires"))
    }

    @Test("A printed authenticator or interceptor contains no secret of the client")
    func printingAuthenticator() throws {
        let url = try #require(URL(string: "https://ada:t0p@h.test/token?key=t0p"))
        let authenticator = OAuth2Authenticator(tokenEndpoint: url, clientID: "app", clientSecret: "t0p") { _ in
            throw URLError(.badURL)
        }
        let interceptor = AuthenticationInterceptor(old, authenticator: authenticator, for: url)
        var text = "\(authenticator) \(String(reflecting: authenticator)) \(interceptor)"
        dump(authenticator, to: &text)
        dump(interceptor, to: &text)
        #expect(!text.contains("t0p") && !text.contains("a0") && text.contains("app at https://"))
    }

    @Test(
        "A call gets a new token from the server, which is stored before the call uses it",
        arguments: TestTransport.allCases
    )
    func wholeCall(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        server.route("/token", .json(#"{"access_token": "a1", "expires_in": 3600, "refresh_token": "r1"}"#))
        server.route("/api") { $0.headers["Authorization"] == "Bearer a1" ? .text("welcome") : .status(401) }
        let events = Recorder<String>()
        let manager = transport.makeManager(for: server)
        let session = URLSession.larkspurTokens(transport)
        defer { session.invalidateAndCancel() }
        var authenticator = OAuth2Authenticator(tokenEndpoint: server.url("/token"), clientID: "app") {
            try await session.data(for: $0)
        }
        authenticator.didRefresh = { events.record("stored \($0.refreshToken ?? "") after \(server.requests.count)") }
        manager.interceptors.call = [.authentication(old, authenticator: authenticator, for: server.baseURL)]

        #expect(try await manager.get("api").string == "welcome")

        #expect(events.values == ["stored r1 after 2"])
        #expect(server.requests.map(\.path) == ["/api", "/token", "/api"])
        #expect(server.requests(to: "/token").first?.form.contains { $0.value == "r&0" } == true)
    }
}

/// Authenticators that send their requests with a session manager.
@Suite("OAuth 2 refresh tokens, with a session manager", .timeLimit(.minutes(5)))
struct OAuth2ManagerTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/api") { $0.headers["Authorization"] == "Bearer a1" ? .text("welcome") : .status(401) }
    }

    private func makeManager(_ transport: TestTransport, tokenURL: URL? = nil) -> SessionManager {
        let manager = transport.makeManager(for: server)
        let authenticator = OAuth2Authenticator(
            tokenEndpoint: tokenURL ?? server.url("/token"),
            clientID: "app",
            manager: manager
        )
        let old = OAuth2Credential(accessToken: "a0", refreshToken: "r0")
        manager.interceptors.call = [.authentication(old, authenticator: authenticator, for: server.baseURL)]
        return manager
    }

    @Test("The manager whose calls need the token may request it", arguments: TestTransport.allCases)
    func sameManager(_ transport: TestTransport) async throws {
        server.route("/token", .json(#"{"access_token": "a1"}"#))
        #expect(try await makeManager(transport).get("api").string == "welcome")
        #expect(server.requests.map(\.path) == ["/api", "/token", "/api"])
        #expect(server.requests(to: "/token").first?.headers["Authorization"] == nil)
    }

    @Test("The request for a token bypasses the interceptors of its manager", arguments: TestTransport.allCases)
    func interceptors(_ transport: TestTransport) async throws {
        server.route("/token", .json(#"{"access_token": "a1"}"#))
        let paths = Recorder<String?>()
        let manager = transport.makeManager(for: server)
        manager.interceptors.attempt = [
            ClosureInterceptor { request, _, next in
                paths.record(request.url?.path)
                return try await next(request)
            }
        ]
        let authenticator = OAuth2Authenticator(
            tokenEndpoint: server.url("/token"),
            clientID: "app",
            manager: manager
        )
        _ = try await authenticator.refresh(OAuth2Credential(accessToken: "a0", refreshToken: "r0"), after: nil)
        #expect(paths.values.isEmpty)
    }

    @Test("A failure has the server's reason, for any status", arguments: TestTransport.allCases, [400, 401, 500])
    func reason(_ transport: TestTransport, status: Int) async throws {
        let answer = #"{"error": "invalid_grant", "error_description": "The refresh token has expired."}"#
        server.route("/token", .json(answer, status: status))
        let error = await makeManager(transport).get("api").response().error
        #expect(error?.code == .credentialRefreshFailed)
        let words = "status \(status), invalid_grant: The refresh token has expired"
        #expect(error?.message.contains(words) == true)
        #expect(error?.message.contains("(null)") == false)
    }

    @Test("A failure without a response has the transport's reason", arguments: TestTransport.allCases)
    func noResponse(_ transport: TestTransport) async throws {
        let closed = try #require(URL(string: "http://127.0.0.1:1/token"))
        let error = await makeManager(transport, tokenURL: closed).get("api").response().error
        #expect(error?.code == .credentialRefreshFailed)
        #expect(error?.contains(.cannotConnectToHost) == true)
        #expect(error?.message.contains("(null)") == false)
    }

    @Test("A redirect fails the refresh", arguments: TestTransport.allCases, [302, 307, 308])
    func redirect(_ transport: TestTransport, status: Int) async throws {
        let other = try LoopbackServer()
        server.route("/token", .redirect(to: other.url("/token").absoluteString, status: status))
        let error = await makeManager(transport).get("api").response().error
        #expect(error?.code == .credentialRefreshFailed && error?.message.contains("status \(status)") == true)
        #expect(other.requests.isEmpty)
    }

    @Test("The authenticator does not retain its manager")
    func release() async throws {
        server.route("/token", .json(#"{"access_token": "a1"}"#))
        weak var released: SessionManager?
        do {
            let manager = makeManager(.curl)
            released = manager
            _ = try await manager.get("api").string
            try await manager.finishAll()
        }
        try await eventually { released == nil }
    }
}

extension URLSession {
    fileprivate static func larkspurTokens(_ transport: TestTransport) -> URLSession {
        transport != .foundation ? CurlURLSession(configuration: .ephemeral) : URLSession(configuration: .ephemeral)
    }
}
