import Foundation
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

@Suite("The standard interceptors", .timeLimit(.minutes(5)))
struct StandardInterceptorsTests {
    let server: LoopbackServer
    let clock = TestClock()
    let gate = LoopbackServer.Gate()

    init() throws {
        server = try LoopbackServer()
        server.route("/held", .text("late").held(until: gate))
        server.route("/x", .text("done"))
    }

    private func manager(_ transport: TestTransport, _ interceptors: RequestInterceptors) -> SessionManager {
        let manager = transport.makeManager(for: server)
        manager.clock = clock
        manager.interceptors = interceptors
        return manager
    }

    private func limits(of manager: SessionManager) -> Recorder<InterceptorLimit?> {
        let limits = Recorder<InterceptorLimit?>()
        manager.observe([.limitReached]) { limits.record($0.limit) }
        return limits
    }

    /// A policy without random delays.
    private var prompt: RetryPolicy {
        var policy = RetryPolicy(maximumAttempts: 4, baseDelay: .seconds(2), deadline: nil)
        policy.random = { 1 }
        return policy
    }

    @Test(
        "A temporary failure is followed by up to three attempts, and the limit is named",
        arguments: TestTransport.allCases
    )
    func retries(_ transport: TestTransport) async throws {
        server.route("/down", .status(503))
        let manager = manager(transport, .standard(retry: prompt))
        let limits = limits(of: manager)
        async let response = manager.get("down").response()
        for (count, delay) in [(1, 2), (2, 4), (3, 8)] {
            try await server.waitForRequests(count)
            // The limit of the call, and the delay.
            try await eventually { clock.sleeps.contains(.seconds(delay)) && clock.sleeperCount == 2 }
            clock.advance(by: .seconds(delay))
        }
        #expect(await response.error?.statusCode == 503)
        #expect(server.requests.count == 4)
        #expect(limits.values == [.attempts])
    }

    @Test("A request that must not be sent twice is sent once", arguments: TestTransport.allCases)
    func repeatability(_ transport: TestTransport) async throws {
        server.route("/down", .status(503))
        let manager = manager(transport, .standard(retry: prompt))
        let limits = limits(of: manager)
        #expect(await manager.post("down").response().error?.statusCode == 503)
        #expect(server.requests.count == 1)
        #expect(limits.values == [.repeatability])
    }

    @Test("Attempts end after 10 seconds, and the call after 30 seconds", arguments: TestTransport.allCases)
    func times(_ transport: TestTransport) async throws {
        let manager = manager(transport, .standard(retry: prompt))
        let limits = limits(of: manager)
        async let response = manager.get("held").response()
        // The attempts begin after 0, 12 and 26 seconds.
        for (count, delay) in [(1, 2), (2, 4)] {
            try await server.waitForRequests(count)
            try await clock.waitForSleepers(2)
            clock.advance(by: .seconds(10))
            try await eventually { clock.sleeps.contains(.seconds(delay)) && clock.sleeperCount == 2 }
            clock.advance(by: .seconds(delay))
        }
        try await server.waitForRequests(3)
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(4))
        let error = try #require(await response.error)
        #expect(error.code == .timedOut && error.message == "The call took longer than 30.0 seconds.")
        #expect(limits.values == [.attemptTime, .attemptTime, .callTime])
        gate.open()
        try await manager.finishAll()
        #expect(manager.tasks.isEmpty && clock.sleeperCount == 0)
    }

    @Test("A call beyond the maximum fails immediately", arguments: TestTransport.allCases)
    func calls(_ transport: TestTransport) async throws {
        let manager = manager(transport, .standard(maximumCalls: 2))
        let limits = limits(of: manager)
        async let first = manager.get("held").response()
        async let second = manager.get("held").response()
        try await server.waitForRequests(2)
        let refused = try #require(await manager.get("x").response().error)
        #expect(refused.code == .tooManyCalls && refused.message.contains("2 of 2 are under way to the server"))
        #expect(limits.values == [.concurrentCalls])
        gate.open()
        #expect(await first.error == nil)
        #expect(await second.error == nil)
        #expect(await manager.get("x").response().error == nil)
    }

    @Test("A tenth of failures opens the circuit for five seconds", arguments: TestTransport.allCases)
    func circuit(_ transport: TestTransport) async throws {
        server.route("/down", .status(500))
        let manager = manager(transport, .standard(retry: nil))
        let limits = limits(of: manager)
        for number in 1...100 { _ = await manager.get(number % 10 == 0 ? "down" : "x").response() }
        let refused = try #require(await manager.get("x").response().error)
        #expect(refused.code == .circuitOpen && refused.message.contains("10.0 % of the attempts failed within 30 s"))
        #expect(limits.values == [.circuit] && server.requests.count == 100)
        clock.advance(by: .seconds(5))
        #expect(await manager.get("x").response().error == nil)
    }

    @Test("A part that is left out has no limit")
    func parts() {
        let none = RequestInterceptors.standard(
            maximumCalls: nil,
            total: nil,
            retry: nil,
            circuitBreaker: nil,
            attempt: nil
        )
        #expect(none.isEmpty)
        let all = RequestInterceptors.standard()
        #expect(all.call.count == 3 && all.attempt.count == 2)
        #expect(all.call.compactMap { ($0 as? RetryPolicy)?.deadline } == [.seconds(30)])
        let early = RequestInterceptors.standard(total: .seconds(90), retry: .retry(deadline: .seconds(7)))
        #expect(early.call.compactMap { ($0 as? RetryPolicy)?.deadline } == [.seconds(7)])
    }

    #if canImport(FoundationNetworking)
    @Test("The handshake of a WebSocket has the limits of time")
    func webSocket() async throws {
        let manager = manager(.curl, .standard(retry: nil))
        let socket = manager.webSocket("held")
        let opening = Task { try await socket.open() }
        try await server.waitForRequests(1)
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(10))
        let error = await #expect(throws: LarkspurError.self) { try await opening.value }
        #expect(error?.code == .timedOut)
        gate.open()
    }
    #endif

    // MARK: Keys

    @Test("All attempts of a call have the same key, and each call has another", arguments: TestTransport.allCases)
    func keys(_ transport: TestTransport) async throws {
        server.route("/orders", .status(503), .text("done"), .text("done"))
        var policy = prompt
        policy.baseDelay = .zero
        policy.idempotencyKey = .bare
        let manager = manager(transport, .standard(retry: policy))
        for _ in 0..<2 { #expect(try await manager.post("orders").string == "done") }
        #expect(try await manager.get("x").string == "done")

        let keys = server.requests.map { $0.headers["Idempotency-Key"] }
        let first = try #require(keys[0])
        #expect(UUID(uuidString: first) != nil && keys[1] == first)
        #expect(keys[2] != nil && keys[2] != first)
        #expect(keys[3] == nil)
    }

    @Test("A key can be quoted, and the caller's own key is kept")
    func keyForms() throws {
        var policy = RetryPolicy()
        var request = URLRequest(url: server.url("/x"))
        request.httpMethod = "POST"
        #expect(policy.addingKey(to: request) == request)
        policy.idempotencyKey = .quoted
        let quoted = try #require(policy.addingKey(to: request).value(forHTTPHeaderField: "Idempotency-Key"))
        #expect(quoted.hasPrefix("\"") && quoted.hasSuffix("\"") && quoted.count == 38)
        request.setValue("own", forHTTPHeaderField: "Idempotency-Key")
        #expect(policy.addingKey(to: request) == request)
    }
}
