import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurCredentials

@Suite("OAuth 2 device authorization", .timeLimit(.minutes(5)))
struct DeviceTests {
    private static let code = """
        {"device_code": "dev1ce-c0de", "user_code": "WDJB-MJHT", "verification_uri": "https://id.test/device",
         "verification_uri_complete": "https://id.test/device?user_code=WDJB-MJHT", "expires_in": 900, "interval": 5}
        """
    private static let token = #"{"access_token": "a1", "refresh_token": "r1"}"#

    private func error(_ code: String, status: Int = 400) -> LoopbackServer.Response {
        .json(#"{"error": "\#(code)"}"#, status: status)
    }

    @Test(
        "The client shows the code, and asks in the server's interval until there is a token",
        arguments: TestTransport.allCases
    )
    func token(_ transport: TestTransport) async throws {
        let fake = try AuthorizationServer(transport)
        let clock = TestClock()
        fake.manager.clock = clock
        fake.loopback.route("/device", .json(Self.code))
        fake.loopback.route(
            "/token",
            error("authorization_pending"),
            error("slow_down"),
            error("authorization_pending", status: 200),
            .status(503),
            error("temporarily_unavailable", status: 500),
            .json(Self.token)
        )
        let codes = Recorder<OAuth2DeviceCode>()
        var client = fake.client()
        client.date = { Date(timeIntervalSince1970: 1000) }
        let task = Task { [client] in
            try await client.authorizeDevice(scope: "read", parameters: ["audience": "api"]) { codes.record($0) }
        }
        try await AuthorizationServer.advance(clock, sleeps: 6)
        let credential = try await task.value

        #expect(credential == OAuth2Credential(accessToken: "a1", refreshToken: "r1"))
        #expect(clock.sleeps == [5, 5, 10, 10, 20, 40].map { .seconds($0) })
        let code = try #require(codes.values.first)
        #expect(codes.values.count == 1 && code.userCode == "WDJB-MJHT")
        #expect(code.verificationURL.absoluteString == "https://id.test/device")
        #expect(code.completeVerificationURL?.query() == "user_code=WDJB-MJHT")
        #expect(code.expirationDate == Date(timeIntervalSince1970: 1900))
        #expect(fake.forms(to: "/device") == [["client_id": "app: 1", "scope": "read", "audience": "api"]])
        let form = [
            "client_id": "app: 1", "device_code": "dev1ce-c0de",
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
        ]
        #expect(fake.forms(to: "/token") == Array(repeating: form, count: 6))
    }

    @Test("A refusal ends the questions", arguments: ["access_denied", "expired_token", "invalid_grant"])
    func refusal(_ reason: String) async throws {
        let fake = try AuthorizationServer()
        let clock = TestClock()
        fake.manager.clock = clock
        fake.loopback.route("/device", .json(Self.code))
        fake.loopback.route("/token") { request in
            .json(#"{"error": "\#(reason)", "error_description": "No: \#(request.text)"}"#, status: 400)
        }
        let task = Task { try await fake.client(secret: "c1ient-secret").authorizeDevice { _ in } }
        try await AuthorizationServer.advance(clock, sleeps: 1)
        let error = try await #require(throws: LarkspurError.self) { try await task.value }
        #expect(error.code == .authorizationFailed && error.oauth2Failure?.code == reason)
        #expect(printed(error).contains("redacted") && !printed(error).contains("dev1ce-c0de"))
        #expect(!printed(error).contains("c1ient-secret"))
        #expect(clock.sleeps.count == 1)
    }

    @Test("The client asks no more when the code has expired")
    func expiry() async throws {
        let fake = try AuthorizationServer()
        let clock = TestClock()
        fake.manager.clock = clock
        fake.loopback.route("/device", .json(Self.code.replacing("900", with: "12")))
        fake.loopback.route("/token", error("authorization_pending"))
        let task = Task { try await fake.client().authorizeDevice { _ in } }
        try await AuthorizationServer.advance(clock, sleeps: 2)
        let error = await #expect(throws: LarkspurError.self) { try await task.value }
        #expect(error?.oauth2Failure?.code == "expired_token" && fake.loopback.requests(to: "/token").count == 2)
    }

    @Test("A request that times out doubles the interval, and a dead server is an error")
    func timeouts() async throws {
        let stub = StubTransport()
        let clock = TestClock()
        let manager = SessionManager(baseURL: "https://id.test", transport: stub.transport)
        manager.clock = clock
        stub.route("/device", .json(Self.code))
        stub.route(
            "/token",
            .fail(.timedOut),
            .fail(.networkConnectionLost),
            .json(Self.token),
            .fail(.cannotConnectToHost)
        )
        let server = OAuth2Server(
            tokenEndpoint: try #require(URL(string: "https://id.test/token")),
            deviceAuthorizationEndpoint: URL(string: "https://id.test/device")
        )
        let client = OAuth2Client("app", server: server, manager: manager)
        let first = Task { try await client.authorizeDevice { _ in } }
        try await AuthorizationServer.advance(clock, sleeps: 3)
        #expect(try await first.value.accessToken == "a1")
        #expect(clock.sleeps == [5, 10, 20].map { .seconds($0) })

        let second = Task { try await client.authorizeDevice { _ in } }
        try await clock.waitForSleeps(4)
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: LarkspurError.self) { try await second.value }
        #expect(error?.code == .cannotConnectToHost)
    }

    @Test("A cancelled task stops asking")
    func cancellation() async throws {
        let fake = try AuthorizationServer()
        let clock = TestClock()
        fake.manager.clock = clock
        fake.loopback.route("/device", .json(Self.code))
        let task = Task { try await fake.client().authorizeDevice { _ in } }
        try await clock.waitForSleepers(1)
        task.cancel()
        let error = await #expect(throws: LarkspurError.self) { try await task.value }
        #expect(error?.code == .cancelled && fake.loopback.requests(to: "/token").isEmpty && clock.sleeperCount == 0)
    }

    @Test("The error of the closure is the reason, and without an endpoint nothing is sent")
    func failures() async throws {
        let fake = try AuthorizationServer()
        fake.loopback.route("/device", .json(Self.code))
        let error = await #expect(throws: LarkspurError.self) {
            try await fake.client().authorizeDevice { _ in throw POSIXError(.EIO) }
        }
        #expect(error?.code == .authorizationFailed && (error?.underlyingError as? POSIXError)?.code == .EIO)

        let server = OAuth2Server(tokenEndpoint: fake.server.tokenEndpoint)
        let client = OAuth2Client("app", server: server, manager: fake.manager)
        let missing = await #expect(throws: LarkspurError.self) { try await client.authorizeDevice { _ in } }
        #expect(missing?.code == .unsupported && fake.loopback.requests.count == 1)
    }

    @Test(
        "A response without a valid code is an error",
        arguments: [
            (#"{"error": "invalid_client"}"#, 401, "invalid_client"), ("oops", 503, "status 503"),
            ("{}", 200, "no device code"), (code.replacing("WDJB-MJHT", with: "\\u001B[2J"), 200, "code for the user"),
            (code.replacing("WDJB-MJHT", with: "A\\u202EB"), 200, "code for the user"),
            (code.replacing("WDJB-MJHT", with: "A\\nB"), 200, "code for the user"),
            (code.replacing("WDJB-MJHT", with: String(repeating: "A", count: 161)), 200, "code for the user"),
            (code.replacing("https://id.test/device\"", with: "file:///etc\""), 200, "URL for the user"),
            (code.replacing("verification_uri\"", with: "other\""), 200, "URL for the user"),
        ]
    )
    func invalid(_ answer: String, _ status: Int, _ reason: String) async throws {
        let fake = try AuthorizationServer()
        fake.loopback.route("/device", .json(answer, status: status))
        let shown = Recorder<OAuth2DeviceCode>()
        let error = await #expect(throws: LarkspurError.self) {
            try await fake.client().authorizeDevice { shown.record($0) }
        }
        #expect(error?.code == .authorizationFailed && error?.message.contains(reason) == true)
        #expect(shown.values.isEmpty)
    }

    // MARK: The schedule

    @Test("The schedule keeps the interval, makes it longer, and ends with the code")
    func schedule() {
        var polling = DevicePolling(interval: nil, lifetime: 60)
        #expect(polling.step(after: nil, elapsed: .zero) == .ask(after: .seconds(5)))
        #expect(polling.step(after: .pending, elapsed: .seconds(5)) == .ask(after: .seconds(5)))
        #expect(polling.step(after: .slowDown, elapsed: .seconds(10)) == .ask(after: .seconds(10)))
        #expect(polling.step(after: .unavailable, elapsed: .seconds(20)) == .ask(after: .seconds(20)))
        #expect(polling.step(after: .pending, elapsed: .seconds(40)) == .ask(after: .seconds(20)))
        #expect(polling.step(after: .pending, elapsed: .seconds(41)) == .end)
    }

    @Test("Intervals are between a second and a day, and doubled to a minute at most")
    func limits() {
        #expect(DevicePolling(interval: 0, lifetime: nil).interval == .seconds(1))
        #expect(DevicePolling(interval: 1e300, lifetime: 1e300).interval == .seconds(86_400))
        var polling = DevicePolling(interval: 40, lifetime: nil)
        #expect(polling.step(after: .unavailable, elapsed: .zero) == .ask(after: .seconds(60)))
        #expect(polling.step(after: .unavailable, elapsed: .zero) == .ask(after: .seconds(60)))
        #expect(polling.step(after: .slowDown, elapsed: .zero) == .ask(after: .seconds(65)))
        #expect(polling.step(after: .unavailable, elapsed: .seconds(80_000)) == .ask(after: .seconds(65)))
    }

    @Test("The questions end after a day, whatever lifetime the server names", arguments: [nil, 1e300])
    func endless(_ lifetime: Double?) {
        var polling = DevicePolling(interval: 60, lifetime: lifetime)
        #expect(polling.step(after: .pending, elapsed: .seconds(86_300)) == .ask(after: .seconds(60)))
        #expect(polling.step(after: .pending, elapsed: .seconds(86_350)) == .end)
    }
}
