import HTTPSyntax
import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurCredentials

/// Sends a word as each secret of each grant, and looks for it wherever a program prints or stores something, and at
/// another origin.
@Suite("No secret of a grant leaks", .timeLimit(.minutes(5)))
struct GrantSecretTests {
    enum Grant: String, CaseIterable {
        case clientByField, clientByContent, device, browser, refresh
    }

    private static let clientSecret = "c1ient-canary"
    private static let issued = [
        "access_token": "acce55-canary", "refresh_token": "refre5h-canary", "id_token": "1dentity-canary",
    ]
    private static let deviceCode = "dev1ce-canary"
    private static let code = "c0de-canary"
    private static let old = OAuth2Credential(accessToken: "f0rmer-canary", refreshToken: "f1rst-canary")

    let server: LoopbackServer
    let other: LoopbackServer
    let folder = TemporaryFolder()

    init() throws { (server, other) = (try LoopbackServer(), try LoopbackServer()) }

    /// Sets the responses of the server. A refusal repeats all secrets that the server knows.
    private func prepare(isRefused: Bool) throws {
        let issued = String(decoding: try JSONEncoder().encode(Self.issued), as: UTF8.self)
        let device =
            #"{"device_code": "\#(Self.deviceCode)", "user_code": "AB", "verification_uri": "https://id.test"}"#
        server.route("/device", .json(device))
        server.route("/token") { request in
            guard isRefused else { return .json(issued) }
            let repeated = "\(request.text) \(request.headers["Authorization"] ?? "") \(Self.issued.values.sorted())"
            var members = Self.issued
            members["error"] = "invalid_grant"
            members["error_description"] = repeated
            members["error_uri"] = "https://id.test/?secret=\(Self.clientSecret)"
            let data = (try? JSONEncoder().encode(members)) ?? Data()
            return .json(String(decoding: data, as: UTF8.self), status: 400)
        }
    }

    private func client(_ grant: Grant, _ manager: SessionManager) -> OAuth2Client {
        let endpoints = OAuth2Server(
            tokenEndpoint: server.url("/token"),
            authorizationEndpoint: server.url("/authorize"),
            deviceAuthorizationEndpoint: server.url("/device")
        )
        var client = OAuth2Client("app", secret: Self.clientSecret, server: endpoints, manager: manager)
        client.authentication = grant == .clientByContent ? .content : .basic
        return client
    }

    private func credential(
        _ grant: Grant,
        _ client: OAuth2Client,
        _ clock: TestClock
    ) async throws -> OAuth2Credential {
        switch grant {
        case .clientByField, .clientByContent: return try await client.authorizeClient()
        case .refresh: return try await client.authenticator().refresh(Self.old, after: nil)
        case .device:
            let task = Task { try await client.authorizeDevice { _ in } }
            try await AuthorizationServer.advance(clock, sleeps: 1)
            return try await task.value
        case .browser:
            let browser = SessionManager(configuration: .testing, transport: .curl)
            return try await client.authorizeInBrowser { url in
                let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
                let redirect = items.first { $0.name == "redirect_uri" }?.value ?? ""
                let state = items.first { $0.name == "state" }?.value ?? ""
                // The program cancels its closure when the redirect has arrived.
                await Task { _ = await browser.get("\(redirect)?code=\(Self.code)&state=\(state)").response() }.value
            }
        }
    }

    /// Returns the secrets that a grant must have sent to the token endpoint.
    private func sent(_ grant: Grant) throws -> [String] {
        let request = try #require(server.requests(to: "/token").first)
        let text = request.text + " " + (request.headers["Authorization"] ?? "")
        var secrets = [Self.clientSecret]
        switch grant {
        case .clientByField, .clientByContent: break
        case .refresh: secrets.append("f1rst-canary")
        case .device: secrets.append(Self.deviceCode)
        case .browser:
            secrets.append(Self.code)
            secrets.append(try #require(request.form.first { $0.name == "code_verifier" }?.value))
        }
        for secret in secrets { #expect(SecretSearch.isFound(secret, in: text), "\(secret) was not sent") }
        return secrets
    }

    @Test("A token is obtained, and neither printed nor stored", arguments: Grant.allCases)
    func success(_ grant: Grant) async throws {
        try prepare(isRefused: false)
        let places = try PrintedPlaces(server, in: folder)
        let clock = TestClock()
        places.manager.clock = clock
        let client = client(grant, places.manager)
        let credential = try await credential(grant, client, clock)
        #expect(credential.accessToken == "acce55-canary" && credential.refreshToken == "refre5h-canary")
        let sent = try sent(grant)
        for value in [client, client.authenticator(), credential] as [any Sendable] { places.record("value", value) }

        // The token goes to its own origin, and not to those to which it leads.
        let interceptor = AuthenticationInterceptor(
            credential,
            authenticator: client.authenticator(),
            for: server.baseURL
        )
        places.record("value", interceptor)
        places.manager.interceptors.call = [interceptor]
        server.route("/page", .json("[1]").adding("Link", "<\(other.url("/next"))>; rel=next"))
        server.route("/away", .redirect(to: other.url("/next").absoluteString))
        other.route("/next", .json("[2]"))
        var pages: [[Int]] = []
        for try await page in places.manager.pages("page", as: [Int].self, by: .links) { pages.append(page) }
        let task = places.manager.get("away")
        #expect(await task.response().error == nil && pages == [[1], [2]])
        places.record(task)
        let authorizations = ["/page", "/away"].map { server.requests(to: $0).first?.headers["Authorization"] }
        #expect(authorizations == ["Bearer acce55-canary", "Bearer acce55-canary"])

        let texts = try await places.texts("value", "task")
        #expect(texts.contains { $0.place == "log" && $0.text.contains("/token") })
        let elsewhere = other.requests.map { (place: "another origin", text: "\($0.target) \($0.headers) \($0.text)") }
        #expect(elsewhere.count == 2)
        expectNone(of: sent + Self.issued.values.sorted() + [Self.deviceCode], in: texts + elsewhere)
    }

    @Test("A refusal that repeats all secrets is an error without them", arguments: Grant.allCases)
    func refusal(_ grant: Grant) async throws {
        try prepare(isRefused: true)
        let places = try PrintedPlaces(server, in: folder)
        let clock = TestClock()
        places.manager.clock = clock
        let client = client(grant, places.manager)
        let error = try await #require(throws: LarkspurError.self) { try await credential(grant, client, clock) }
        #expect(error.oauth2Failure?.code == "invalid_grant")
        places.record(error)
        let texts = try await places.texts("error")
        #expect(texts.contains { $0.place == "error" && $0.text.contains("redacted") })
        expectNone(of: try sent(grant) + Self.issued.values.sorted(), in: texts.filter { $0.place == "error" })
    }

    @Test("The type of a token that is a secret is not in the error")
    func type() async throws {
        for secret in [Self.clientSecret, "acce55-canary"] {
            server.route("/token", .json(#"{"access_token": "acce55-canary", "token_type": "x \#(secret)"}"#))
            let places = try PrintedPlaces(server, in: folder)
            let error = try await #require(throws: LarkspurError.self) {
                try await client(.clientByField, places.manager).authorizeClient()
            }
            #expect(error.message.contains("type is x redacted"))
            places.record(error)
            expectNone(of: [secret], in: try await places.texts("error").filter { $0.place == "error" })
        }
    }

    @Test("A redirect of the token endpoint is not followed", arguments: [301, 302, 303, 307, 308])
    func redirect(_ status: Int) async throws {
        server.route("/token", .redirect(to: other.url("/token").absoluteString, status: status))
        let places = try PrintedPlaces(server, in: folder)
        let error = await #expect(throws: LarkspurError.self) {
            try await client(.clientByContent, places.manager).authorizeClient()
        }
        #expect(error?.message.contains("status \(status)") == true)
        #expect(server.requests.count == 1 && other.requests.isEmpty)
    }

    @Test("A lifetime beyond a century, or one that is no number, leads to no impossible date")
    func lifetimes() async throws {
        let manager = SessionManager(configuration: .testing, transport: .curl)
        for (lifetime, expected) in [
            ("1e300", 3_155_760_000), (#""1e300""#, 3_155_760_000), (#""60""#, 60), ("60.5", 60.5), ("-1", nil),
            (#""soon""#, nil), (#""nan""#, nil), ("null", nil), ("[]", nil),
        ] as [(String, Double?)] {
            server.route("/token", .json(#"{"access_token": "a1", "expires_in": \#(lifetime)}"#))
            var client = client(.clientByField, manager)
            client.date = { Date(timeIntervalSinceReferenceDate: 0) }
            let credential = try await client.authorizeClient()
            #expect(credential.expirationDate?.timeIntervalSinceReferenceDate == expected, "\(lifetime)")
        }
    }
}
