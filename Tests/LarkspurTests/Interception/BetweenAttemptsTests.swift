import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Calls before, between and after attempts", .timeLimit(.minutes(5)))
struct BetweenAttemptsTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/x", .text("first"), .text("second"))
    }

    @Test("A call that is cancelled between two attempts sends no more requests", arguments: TestTransport.allCases)
    func cancellation(_ transport: TestTransport) async throws {
        let (manager, clock) = makeDelayed(transport)
        let task = manager.get("x")
        let call = Task { await task.response() }
        try await clock.waitForSleeps(1)

        task.cancel()

        #expect(await call.value.error?.code == .cancelled)
        try await manager.finishAll()
        #expect(server.requests.count == 1 && task.state == .completed && clock.sleeperCount == 0)
    }

    @Test(
        "A call that is suspended between two attempts continues when it is resumed",
        arguments: TestTransport.allCases
    )
    func suspension(_ transport: TestTransport) async throws {
        let (manager, clock) = makeDelayed(transport)
        let task = manager.get("x")
        let call = Task { await task.response(as: StringResponseSerializer()) }
        try await clock.waitForSleeps(1)
        let first = task.urlSessionTask

        task.suspend()
        clock.advance(by: .seconds(1))
        try await eventually { task.urlSessionTask !== first }
        #expect(task.state == .suspended && server.requests.count == 1)
        task.resume()

        #expect(await call.value.value == "second")
    }

    @Test("A manager without references lives until its call has ended", arguments: TestTransport.allCases)
    func release(_ transport: TestTransport) async throws {
        let clock: TestClock
        let call: Task<DataResponse<String>, Never>
        weak var released: SessionManager?
        do {
            let (manager, manualClock) = makeDelayed(transport)
            clock = manualClock
            released = manager
            let task = manager.get("x")
            call = Task { await task.response(as: StringResponseSerializer()) }
        }
        try await clock.waitForSleeps(1)
        clock.advance(by: .seconds(1))

        #expect(await call.value.value == "second")
        try await eventually { released == nil }
    }

    @Test(
        "An invalidation between two attempts ends the call, at once if it cancels tasks",
        arguments: TestTransport.allCases,
        [true, false]
    )
    func invalidation(_ transport: TestTransport, cancels: Bool) async throws {
        let (manager, clock) = makeDelayed(transport)
        let task = manager.get("x")
        let call = Task { await task.response() }
        try await clock.waitForSleeps(1)
        #expect(manager.tasks.map(ObjectIdentifier.init) == [ObjectIdentifier(task)])

        manager.invalidate(cancelingTasks: cancels)
        if !cancels { clock.advance(by: .seconds(1)) }

        #expect(await call.value.error?.code == (cancels ? .cancelled : .sessionInvalidated))
        try await manager.finishAll()
        #expect(server.requests.count == 1 && manager.tasks.isEmpty)
    }

    @Test(
        "An invalidation that cancels tasks cancels a call that waits before its first attempt",
        arguments: TestTransport.allCases
    )
    func cancelAll(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let clock = TestClock()
        manager.clock = clock
        manager.interceptors.call = [
            .custom { request, context, next in
                try await context.clock.sleep(for: .seconds(1))
                return try await next(request)
            }
        ]
        let calls = (0..<2).map { _ in Task { await manager.get("x").response() } }
        try await clock.waitForSleeps(2)
        manager.invalidate(cancelingTasks: true, resettingSession: true)
        for call in calls { #expect(await call.value.error?.code == .cancelled) }
        #expect(server.requests.isEmpty && clock.sleeperCount == 0)
    }

    // FoundationNetworking does not time out while a redirect is decided about.
    @Test("A late completion of an ended attempt's redirect does not affect the next attempt")
    func lateAnswer() async throws {
        let gate = LoopbackServer.Gate()
        let asked = Recorder<Void>()
        server.route("/moved", .redirect(to: "/get"), .text("second").held(until: gate))
        let manager = TestTransport.curl.makeManager(for: server)
        let answer = LoopbackServer.Gate()
        let task = manager.get("moved")
            .timeout(idle: .seconds(1))
            .redirect { _, _, _ in
                asked.record(())
                answer.wait()
                var malformed = URLRequest(url: URL(fileURLWithPath: "/"))
                malformed.httpMethod = "NO METHOD"
                return malformed
            }
            .intercept(with: .retry(baseDelay: .zero, budget: nil))
        let call = Task { await task.response(as: StringResponseSerializer()) }
        try await asked.first()
        try await server.waitForRequests(2)
        answer.open()
        gate.open()
        #expect(await call.value.value == "second")
    }

    @Test("The priority that is set before the start applies to each attempt")
    func priority() async throws {
        let task = TestTransport.curl.makeManager(for: server).get("get")
        task.priority = 0.9
        _ = await task.response()
        #expect(task.urlSessionTask?.priority == 0.9)
    }

    /// A manager whose calls consist of two attempts, with a second between them.
    private func makeDelayed(_ transport: TestTransport) -> (SessionManager, TestClock) {
        let clock = TestClock()
        let manager = transport.makeManager(for: server)
        manager.clock = clock
        manager.interceptors.call = [
            ClosureInterceptor { request, context, next in
                _ = try await next(request)
                try await context.clock.sleep(for: .seconds(1))
                return try await next(request)
            }
        ]
        return (manager, clock)
    }
}
