import LarkspurCredentials
import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

/// Runs the samples about OAuth 2.
@Suite("Samples about credentials", .timeLimit(.minutes(5)))
struct CredentialsSamplesTests {
    private let server: LoopbackServer
    private let stub = StubTransport()
    private let samples: CredentialsSamples

    init() throws {
        server = try LoopbackServer()
        stub.route("/token", method: .get, .json(#"{"token": "t1"}"#))
        samples = CredentialsSamples(
            manager: TestTransport.allCases[0].makeManager(for: server),
            tokens: SessionManager(transport: stub.transport),
            registry: server.baseURL
        )
    }

    private func route(_ challenge: String) {
        server.route("/v2/tea/manifests/latest") { request in
            request.headers["Authorization"] == "Bearer t1"
                ? .text("tea") : .status(401, headers: ["WWW-Authenticate": challenge])
        }
    }

    private static let realm = #"realm="https://auth.example.com/token",service="r.test",scope="repository:tea:pull""#

    @Test("A registry's challenge is answered once for all calls")
    func registryToken() async throws {
        route("Basic realm=x, Bearer \(Self.realm)")
        try await samples.registryToken()
        #expect(samples.output.values == ["tea"])
        #expect(stub.requests.map { $0.query("scope") } == ["repository:tea:pull"])
        #expect(stub.requests.map { $0.query("service") } == ["r.test"])
        #expect(server.requests.map { $0.headers["Authorization"] } == [nil, "Bearer t1"])

        for _ in 0..<5 { _ = try await samples.manager.get("v2/tea/manifests/latest").string }
        #expect(stub.requests.count == 1)
    }

    @Test("Calls that are refused at the same time share one request for a token")
    func sharing() async throws {
        let gate = LoopbackServer.Gate()
        let refusal = LoopbackServer.Response.status(401, headers: ["WWW-Authenticate": "Bearer \(Self.realm)"])
        server.route("/v2/tea/manifests/latest") { request in
            request.headers["Authorization"] == "Bearer t1" ? .text("tea") : refusal.held(until: gate)
        }
        let first = Task { try await samples.registryToken() }
        // The sample has set the interceptor when its request has arrived.
        try await server.waitForRequests(1)
        let others = (0..<4).map { _ in Task { try await samples.manager.get("v2/tea/manifests/latest").string } }
        try await server.waitForRequests(5)
        gate.open()
        try await first.value
        for call in others {
            let text = try await call.value
            #expect(text == "tea")
        }
        #expect(server.requests.count == 10 && stub.requests.count == 1)
    }

    @Test("A realm that the program does not know gets no request, and the call fails")
    func unknownRealm() async throws {
        route(#"Bearer realm="https://evil.test/token""#)
        let error = await #expect(throws: LarkspurError.self) { try await samples.registryToken() }
        #expect(error?.code == .credentialRefreshFailed && stub.requests.isEmpty)
    }

    @Test("A refusal without a Bearer challenge is the response")
    func otherScheme() async throws {
        route("Basic realm=x")
        let error = await #expect(throws: LarkspurError.self) { try await samples.registryToken() }
        #expect(error?.statusCode == 401 && error?.code == .unacceptableStatusCode && server.requests.count == 1)
    }

    // MARK: Grants

    private static let id = "https://id.example.com"
    private static let api = "https://api.example.com"

    /// Returns samples whose API and authorization server are the stub.
    private func stubbed(clock: any Clock<Duration> = ContinuousClock()) throws -> CredentialsSamples {
        let manager = SessionManager(baseURL: Self.api, transport: stub.transport)
        manager.clock = clock
        for path in ["/report", "/notes"] {
            stub.route(path) { request in
                request.headers["Authorization"] == "Bearer a1" ? .text("tea") : .status(401)
            }
        }
        stub.route("/token", method: .post, .json(#"{"access_token": "a1"}"#))
        return CredentialsSamples(manager: manager, tokens: manager, registry: try #require(URL(string: Self.api)))
    }

    private func client(_ samples: CredentialsSamples) throws -> OAuth2Client {
        let server = OAuth2Server(
            tokenEndpoint: try #require(URL(string: "\(Self.id)/token")),
            authorizationEndpoint: URL(string: "\(Self.id)/authorize"),
            deviceAuthorizationEndpoint: URL(string: "\(Self.id)/device")
        )
        return OAuth2Client("app", server: server, manager: samples.manager)
    }

    @Test("The program's own token is obtained from the server that describes itself")
    func clientCredentials() async throws {
        let samples = try stubbed()
        let metadata = #"{"issuer": "\#(Self.id)", "token_endpoint": "\#(Self.id)/token"}"#
        stub.route("/.well-known/oauth-authorization-server", .json(metadata))
        try await samples.clientCredentials("s3cret")
        #expect(samples.output.values == ["tea"])
        let paths = stub.requests.map(\.path)
        #expect(paths == ["/.well-known/oauth-authorization-server", "/token", "/report"])
    }

    private static let canEncrypt = (try? InMemorySharedStore().encrypted(with: Data(count: 32))) != nil

    @Test(
        "Two processes share one refresh of an encrypted credential",
        .enabled(if: canEncrypt, "There is no OpenSSL.")
    )
    func shared() async throws {
        let samples = try stubbed()
        let (store, client) = (InMemorySharedStore(), try client(samples))
        let credential = OAuth2Credential(accessToken: "a0", refreshToken: "r0")
        for _ in 0..<2 {
            let login = try samples.shared(credential, client, store, Data(count: 32))
            samples.manager.interceptors.call = [login]
            let notes = try await samples.manager.get("notes").string
            #expect(notes == "tea" && login.credential?.refreshToken == "r0")
        }
        #expect(stub.requests.map(\.path) == ["/notes", "/token", "/notes", "/notes"])
        let stored = try #require(try await store.value(for: "login/ada")).data
        #expect(stored.range(of: Data("format".utf8)) == nil)
    }

    @Test("The code for another device is printed, and the token is used")
    func device() async throws {
        let clock = TestClock()
        let samples = try stubbed(clock: clock)
        stub.route(
            "/device",
            .json(#"{"device_code": "d", "user_code": "WDJB", "verification_uri": "\#(Self.id)/login", "interval": 5}"#)
        )
        let client = try client(samples)
        let login = Task { try await samples.device(client) }
        let sleeps = try await clock.waitForSleeps(1)
        clock.advance(by: sleeps[0])
        try await login.value
        #expect(samples.output.values == ["Open \(Self.id)/login and enter WDJB."])
        let notes = try await samples.manager.get("notes").string
        #expect(notes == "tea")
    }

    @Test("The URL for the browser is printed, and the redirect leads to a token")
    func browser() async throws {
        let samples = try stubbed()
        let client = try client(samples)
        let login = Task { try await samples.browser(client) }
        let line = try await samples.output.first()
        let url = try #require(URL(string: String(line.dropFirst("Open ".count))))
        let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
        let redirect = try #require(items.first { $0.name == "redirect_uri" }?.value)
        let state = try #require(items.first { $0.name == "state" }?.value)
        let browser = SessionManager(configuration: .testing)
        let page = await browser.get(redirect, parameters: ["code": "c", "state": state]).response()
        #expect(page.statusCode == 200)
        let credential = try await login.value
        #expect(credential.accessToken == "a1")
    }
}
