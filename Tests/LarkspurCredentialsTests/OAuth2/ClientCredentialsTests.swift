import LarkspurTestSupport
import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import LarkspurCredentials

@Suite("OAuth 2 client credentials", .timeLimit(.minutes(5)))
struct ClientCredentialsTests {
    private let token = #"{"access_token": "a1", "token_type": "Bearer", "expires_in": 60}"#

    @Test("A client authenticates in a field or in the content", arguments: TestTransport.allCases)
    func authentication(_ transport: TestTransport) async throws {
        let fake = try AuthorizationServer(transport)
        fake.loopback.route("/token", .json(token))
        var client = fake.client(secret: "s:%")
        client.date = { Date(timeIntervalSince1970: 1000) }
        let credential = try await client.authorizeClient(scope: "read write", parameters: ["audience": "a&b"])
        client.authentication = .content
        _ = try await client.authorizeClient()
        _ = try await fake.client().authorizeClient(parameters: ["grant_type": "other"])

        #expect(credential.accessToken == "a1" && credential.refreshToken == nil)
        #expect(credential.expirationDate == Date(timeIntervalSince1970: 1060))
        let basic = Data("app%3A%201:s%3A%25".utf8).base64EncodedString()
        let fields = fake.loopback.requests.map { $0.headers["Authorization"] }
        #expect(fields == ["Basic \(basic)", nil, nil])
        #expect(
            fake.forms(to: "/token") == [
                ["grant_type": "client_credentials", "scope": "read write", "audience": "a&b"],
                ["grant_type": "client_credentials", "client_id": "app: 1", "client_secret": "s:%"],
                ["grant_type": "client_credentials", "client_id": "app: 1"],
            ]
        )
    }

    @Test("A refusal has the server's reason, whatever the status", arguments: [200, 400, 401, 500])
    func refusal(_ status: Int) async throws {
        let fake = try AuthorizationServer()
        let answer = """
            {"error": "invalid_client", "error_description": "Unknown client.", "error_uri": "https://id.test/help?token=t0p"}
            """
        fake.loopback.route("/token", .json(answer, status: status))
        let error = await #expect(throws: LarkspurError.self) { try await fake.client().authorizeClient() }
        #expect(error?.code == .authorizationFailed)
        #expect(error?.oauth2Failure?.code == "invalid_client" && error?.oauth2Failure?.statusCode == status)
        #expect(error?.oauth2Failure?.explanation == "Unknown client")
        #expect(error?.oauth2Failure?.page?.absoluteString == "https://id.test/help?token=redacted")
        #expect(error?.message.contains("status \(status), invalid_client: Unknown client (https://id.test/") == true)
    }

    @Test(
        "A response without a token is an error without a reason of the server",
        arguments: [
            ("oops", 500, "status 500"), ("oops", 200, "no access token"), ("[]", 200, "no access token"),
            (#"{"access_token": 1}"#, 200, "no access token"),
            (#"{"access_token": "a\r\nX: y"}"#, 200, "no token has"),
            (#"{"access_token": "a", "token_type": "mac"}"#, 200, "type is mac"), ("", 302, "status 302"),
        ]
    )
    func invalid(_ answer: String, _ status: Int, _ reason: String) async throws {
        let fake = try AuthorizationServer()
        let other = try LoopbackServer()
        let response = LoopbackServer.Response.json(answer, status: status)
        fake.loopback.route("/token", response.adding("Location", other.url("/token").absoluteString))
        let error = await #expect(throws: LarkspurError.self) { try await fake.client().authorizeClient() }
        #expect(error?.code == .authorizationFailed && error?.message.contains(reason) == true)
        #expect(error?.oauth2Failure == nil && other.requests.isEmpty)
    }

    @Test("An error contains no secret, even if the server repeats it", arguments: [true, false])
    func secrets(isBasic: Bool) async throws {
        let fake = try AuthorizationServer()
        fake.loopback.route("/token") { request in
            let echo = request.text + (request.headers["Authorization"] ?? "") + " t0p-secret/1 t0p-secret%2F1%20"
            return .json(#"{"error": "invalid_client", "error_description": "\#(echo)"}"#, status: 401)
        }
        var client = fake.client(secret: "t0p-secret/1 ")
        client.authentication = isBasic ? .basic : .content
        let error = try await #require(throws: LarkspurError.self) { try await client.authorizeClient() }
        var text = printed(error) + "\(client) \(String(reflecting: client))"
        dump(client, to: &text)
        #expect(text.contains("redacted") && !text.contains("t0p-secret"))
        #expect(!text.contains(Data("app%3A%201:t0p-secret/1%20".utf8).base64EncodedString()))
    }

    @Test("A dead server, a slow server and a cancellation are errors", arguments: TestTransport.allCases)
    func noResponse(_ transport: TestTransport) async throws {
        let fake = try AuthorizationServer(transport)
        let closed = try #require(URL(string: "http://127.0.0.1:1/token"))
        let client = OAuth2Client("a", server: OAuth2Server(tokenEndpoint: closed), manager: fake.manager)
        let dead = await #expect(throws: LarkspurError.self) { try await client.authorizeClient() }
        #expect(dead?.code == .cannotConnectToHost)

        let gate = LoopbackServer.Gate()
        defer { gate.open() }
        fake.loopback.route("/token", .json(token).held(until: gate))
        let clock = TestClock()
        fake.manager.clock = clock
        fake.manager.timeouts.total = .seconds(10)
        let slow = Task { try await fake.client().authorizeClient() }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(10))
        let late = await #expect(throws: LarkspurError.self) { try await slow.value }
        #expect(late?.code == .timedOut)

        let task = Task { try await fake.client().authorizeClient() }
        try await fake.loopback.waitForRequests(1, to: "/token")
        task.cancel()
        let cancelled = await #expect(throws: LarkspurError.self) { try await task.value }
        #expect(cancelled?.code == .cancelled)
    }

    // MARK: The interceptor

    /// A server whose tokens are `a1`, `a2` and so on, and an API that accepts the tokens that a closure names.
    private func makeAPI(
        _ transport: TestTransport,
        accepting isValid: @escaping @Sendable (String) -> Bool = { _ in true }
    ) throws -> AuthorizationServer {
        let fake = try AuthorizationServer(transport)
        let count = Mutex(0)
        fake.loopback.route("/token") { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .json(#"{"access_token": "a\#(number)", "expires_in": 3600}"#)
        }
        fake.loopback.route("/api") { request in
            let token = request.headers["Authorization"].map { String($0.dropFirst("Bearer ".count)) } ?? ""
            return isValid(token) ? .text(token) : .status(401)
        }
        return fake
    }

    @Test(
        "All calls share one request for a token, before the first call and when it expires",
        arguments: TestTransport.allCases
    )
    func expiry(_ transport: TestTransport) async throws {
        let fake = try makeAPI(transport)
        let now = Mutex(Date(timeIntervalSince1970: 1_000_000))
        var client = fake.client(secret: "s")
        client.date = { now.withLock { $0 } }
        fake.manager.interceptors.call = [.clientCredentials(client, scope: "read", for: fake.loopback.baseURL)]

        for round in 1...2 {
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 { group.addTask { try await fake.manager.get("api").string } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(texts == ["a\(round)"])
            #expect(fake.loopback.requests(to: "/token").count == round)
            #expect(fake.loopback.requests(to: "/api").count == 20 * round)
            now.withLock { $0 += 3580 }
        }
        #expect(fake.forms(to: "/token")[0] == ["grant_type": "client_credentials", "scope": "read"])
    }

    @Test("A refused token is replaced once", arguments: TestTransport.allCases)
    func refused(_ transport: TestTransport) async throws {
        let fake = try makeAPI(transport) { $0 == "a2" }
        fake.manager.interceptors.call = [.clientCredentials(fake.client(), for: fake.loopback.baseURL)]
        #expect(try await fake.manager.get("api").string == "a2")
        #expect(fake.loopback.requests.map(\.path) == ["/token", "/api", "/token", "/api"])
    }

    @Test("Without a token, the call fails with the server's reason, and the API gets no request")
    func failure() async throws {
        let fake = try AuthorizationServer()
        fake.loopback.route("/token", .json(#"{"error": "invalid_scope"}"#, status: 400))
        fake.manager.interceptors.call = [.clientCredentials(fake.client(), for: fake.loopback.baseURL)]
        let error = await fake.manager.get("api").response().error
        #expect(error?.code == .credentialRefreshFailed && error?.oauth2Failure?.code == "invalid_scope")
        #expect(error?.message.contains("invalid_scope") == true)
        #expect(fake.loopback.requests.map(\.path) == ["/token"])
    }

    @Test("A refresh token of a grant goes on with the authenticator of the client", arguments: TestTransport.allCases)
    func refresh(_ transport: TestTransport) async throws {
        let fake = try AuthorizationServer(transport)
        fake.loopback.route(
            "/token",
            .json(#"{"access_token": "a2", "refresh_token": "r2"}"#),
            .json(#"{"error": "invalid_grant"}"#, status: 400)
        )
        var client = fake.client(secret: "s")
        client.authentication = .content
        let authenticator = client.authenticator(scope: "read")
        let first = OAuth2Credential(accessToken: "a1", refreshToken: "r1")
        let second = try await authenticator.refresh(first, after: nil)
        #expect(second.accessToken == "a2" && second.refreshToken == "r2")
        let error = await #expect(throws: LarkspurError.self) { try await authenticator.refresh(second, after: nil) }
        #expect(error?.code == .credentialRefreshFailed && error?.oauth2Failure?.code == "invalid_grant")
        let form = ["grant_type": "refresh_token", "client_id": "app: 1", "client_secret": "s", "scope": "read"]
        #expect(
            fake.forms(to: "/token") == ["r1", "r2"].map { token in form.merging(["refresh_token": token]) { $1 } }
        )
    }
}
