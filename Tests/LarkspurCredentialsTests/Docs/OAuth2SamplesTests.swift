import LarkspurCredentials
import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

/// Runs the samples about OAuth 2.
@Suite("Samples about OAuth 2", .timeLimit(.minutes(5)))
struct OAuth2SamplesTests {
    private let server: LoopbackServer
    private let stub = StubTransport()
    private let samples: OAuth2Samples

    init() throws {
        server = try LoopbackServer()
        stub.route("/token", method: .get, .json(#"{"token": "t1"}"#))
        samples = OAuth2Samples(
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
}
