import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Calls with a retry policy", .timeLimit(.minutes(5)))
struct RetryPolicyTests {
    let server: LoopbackServer
    let clock = TestClock()

    init() throws { server = try LoopbackServer() }

    /// A manager whose delays are the longest possible: 0.5 seconds, then 1.
    private func makeManager(_ transport: TestTransport, _ policy: RetryPolicy = .retry()) -> SessionManager {
        let manager = transport.makeManager(for: server)
        manager.clock = clock
        var policy = policy
        policy.random = { 1 }
        manager.interceptors.call = [policy]
        return manager
    }

    @Test("After a temporary failure, another attempt follows the delay", arguments: TestTransport.allCases)
    func success(_ transport: TestTransport) async throws {
        server.route("/x", .fault(.closeBeforeHeader), .status(503), .text("done"))
        let manager = makeManager(transport)

        let call = Task { await manager.get("x").response(as: StringResponseSerializer()) }
        try await clock.waitForSleeps(1)
        #expect(server.requests(to: "/x").count == 1)
        clock.advance(by: .milliseconds(500))
        try await clock.waitForSleeps(2)
        #expect(server.requests(to: "/x").count == 2)
        clock.advance(by: .seconds(1))

        #expect(await call.value.value == "done")
        #expect(clock.sleeps == [.milliseconds(500), .seconds(1)])
    }

    @Test("A request that times out is sent again", arguments: TestTransport.allCases)
    func timeout(_ transport: TestTransport) async throws {
        server.route("/x", .fault(.noResponse), .text("done"))
        let manager = makeManager(transport, .retry(baseDelay: .zero))
        manager.requestSettings.timeoutInterval = 1

        #expect(try await manager.get("x").string == "done")
        #expect(server.requests(to: "/x").count >= 2)
    }

    @Test("The last response or the last error is the result", arguments: TestTransport.allCases)
    func last(_ transport: TestTransport) async throws {
        server.route("/status", .text("first", status: 500), .text("second", status: 503))
        server.route("/error", .status(500), .fault(.closeBeforeHeader))
        let manager = makeManager(transport, .retry(maximumAttempts: 2, baseDelay: .zero))

        let response = await manager.get("status").response()
        let failure = await manager.get("error").response()

        #expect(response.statusCode == 503 && response.error?.code == .unacceptableStatusCode)
        #expect(response.data == Data("second".utf8))
        #expect(failure.error?.code == .connectionLost && failure.statusCode == nil)
        #expect(server.requests(to: "/status").count == 2 && server.requests(to: "/error").count >= 2)
    }

    @Test("The call waits for the time that the server requires", arguments: TestTransport.allCases)
    func retryAfter(_ transport: TestTransport) async throws {
        server.route("/x", .status(429, headers: ["Retry-After": "30"]), .text("done"))
        let manager = makeManager(transport)

        let call = Task { await manager.get("x").response(as: StringResponseSerializer()) }
        try await clock.waitForSleeps(1)
        clock.advance(by: .milliseconds(30_500))

        #expect(await call.value.value == "done")
        #expect(clock.sleeps == [.milliseconds(30_500)])
    }

    @Test(
        "If the required time passes the deadline, the call ends at once, with both in the error",
        arguments: TestTransport.allCases
    )
    func deadline(_ transport: TestTransport) async throws {
        server.route("/x", .text("busy", status: 503).adding("Retry-After", "120"))

        let response = await makeManager(transport).get("x").response()

        let error = try #require(response.error)
        #expect(error.code == .deadlineExceeded && error.statusCode == 503)
        #expect(error.message.contains("120 s") && error.message.contains("60 s"))
        #expect(error.responseData == Data("busy".utf8) && error.request?.url == server.url("/x"))
        #expect(server.requests.count == 1 && clock.sleeps.isEmpty)
    }

    @Test("A cancellation during a delay ends the call at once", arguments: TestTransport.allCases)
    func cancellation(_ transport: TestTransport) async throws {
        server.route("/x", .status(503))
        let manager = makeManager(transport)

        let task = manager.get("x")
        let call = Task { await task.response() }
        try await clock.waitForSleeps(1)
        task.cancel()

        #expect(await call.value.error?.code == .cancelled)
        try await manager.finishAll()
        #expect(server.requests.count == 1 && manager.tasks.isEmpty)
    }

    @Test("A POST is sent once, or again with an Idempotency-Key", arguments: TestTransport.allCases)
    func idempotencyKey(_ transport: TestTransport) async throws {
        server.route("/x", .status(503))
        let manager = makeManager(transport, .retry(maximumAttempts: 2, baseDelay: .zero))

        _ = await manager.post("x", body: .json(["a": 1])).response()
        #expect(server.requests.count == 1)
        _ = await manager.post("x", body: .json(["a": 2]), headers: ["Idempotency-Key": "k"]).response()

        #expect(server.requests.map(\.text) == [#"{"a":1}"#, #"{"a":2}"#, #"{"a":2}"#])
        #expect(server.requests.map { $0.headers["Idempotency-Key"] } == [nil, "k", "k"])
    }

    @Test("A stream of content that can be read once is sent once", arguments: TestTransport.allCases)
    func content(_ transport: TestTransport) async throws {
        server.route("/x", .status(503))
        let manager = makeManager(transport, .retry(maximumAttempts: 2, baseDelay: .zero))
        let once = InputStream(data: Data("abc".utf8))
        let closure = RequestBody.stream(length: 3, contentType: "a/b") { InputStream(data: Data("abc".utf8)) }

        _ = await manager.upload("x", from: closure, method: .put).response()
        #expect(server.requests.map(\.text) == ["abc", "abc"])
        var request = URLRequest(url: server.url("/x"))
        request.httpMethod = "PUT"
        request.httpBodyStream = once
        let done = Recorder<Void>()
        manager.dataTask(with: request) { _ in done.record(()) }.resume()
        try await done.wait()

        #expect(server.requests.count == 3)
    }

    @Test("After a consumer has received content, no other attempt follows", arguments: TestTransport.allCases)
    func delivered(_ transport: TestTransport) async throws {
        server.route("/x", .fault(.shortBody))
        let manager = makeManager(transport, .retry(baseDelay: .zero))

        await #expect(throws: LarkspurError.self) {
            for try await _ in manager.get("x").chunks {}
        }
        #expect(server.requests.count == 1)
    }

    @Test("The retries of one call use up the budget of its server, so that the next call is sent once")
    func budget() async throws {
        server.route("/down", .status(503))
        let manager = makeManager(.curl, .retry(maximumAttempts: 20, baseDelay: .zero))

        _ = await manager.get("down").response()
        #expect(server.requests.count == 5)
        _ = await manager.get("down").response()

        #expect(server.requests.count == 6)
    }

    @Test("The retry policy of a call is written with a leading dot")
    func ofOneCall() async throws {
        server.route("/x", .status(503), .text("done"))
        let manager = TestTransport.curl.makeManager(for: server)

        let text = try await manager.get("x").intercept(with: .retry(baseDelay: .zero)).string

        #expect(text == "done")
    }

    @Test("By default the delays are random within their limit")
    func random() {
        let policy = RetryPolicy()
        let numbers = (0..<100).map { _ in policy.random() }
        #expect(Set(numbers).count > 90 && numbers.allSatisfy { (0...1).contains($0) })
    }
}
