import Larkspur
import LarkspurLifecycle
import LarkspurTesting
import Logging
import ServiceLifecycle
import Testing

@Suite("A session manager as a service", .timeLimit(.minutes(5)))
struct LifecycleTests {
    let server: LoopbackServer
    let manager: SessionManager
    let gate = LoopbackServer.Gate()
    let clock = TestClock()

    init() throws {
        server = try LoopbackServer()
        server.route("/slow", .text("done").held(until: gate))
        manager = SessionManager(baseURL: server.baseURL, configuration: .ephemeral)
        manager.clock = clock
    }

    private func makeGroup() -> ServiceGroup {
        ServiceGroup(
            services: [SessionService(manager)],
            logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    @Test("A shutdown waits for the calls under way, and refuses new ones")
    func gracefulShutdown() async throws {
        let group = makeGroup()
        async let services: Void = group.run()
        async let slow = manager.get("slow").string
        try await server.waitForRequests(1, to: "/slow")

        await group.triggerGracefulShutdown()
        try await clock.waitForSleepers(1)
        #expect(await manager.get("anything").response().error?.code == .sessionInvalidated)
        gate.open()

        #expect(try await slow == "done")
        try await services
        #expect(manager.tasks.isEmpty)
    }

    @Test("Calls that take too long are cancelled")
    func limit() async throws {
        let group = makeGroup()
        async let services: Void = group.run()
        async let slow = manager.get("slow").response()
        try await server.waitForRequests(1, to: "/slow")

        await group.triggerGracefulShutdown()
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))

        #expect(await slow.error?.code == .cancelled)
        try await services
    }

    @Test("A cancellation of the service cancels the calls")
    func cancellation() async throws {
        let service = SessionService(manager)
        let running = Task { try await service.run() }
        async let slow = manager.get("slow").response()
        try await server.waitForRequests(1, to: "/slow")

        running.cancel()

        #expect(await slow.error?.code == .cancelled)
        await #expect(throws: CancellationError.self) { try await running.value }
    }
}
