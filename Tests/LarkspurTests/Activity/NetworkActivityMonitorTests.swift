import LarkspurTesting
import Testing

@testable import Larkspur
@testable import LarkspurActivity

@Suite("Network activity", .timeLimit(.minutes(5)))
struct NetworkActivityMonitorTests {
    let server: LoopbackServer
    private let clock = TestClock()
    private let heard = Recorder<Bool>()

    init() throws { server = try LoopbackServer() }

    /// A monitor of the tasks of this test.
    private func makeMonitor(activation: Duration = .zero, completion: Duration = .zero) -> NetworkActivityMonitor {
        let port = server.baseURL.port
        let monitor = NetworkActivityMonitor(activationDelay: activation, completionDelay: completion, clock: clock) {
            $0.originalRequest?.url?.port == port
        }
        monitor.setActivityHandler { [heard] in heard.record($0) }
        monitor.isEnabled = true
        return monitor
    }

    @Test("A successful request turns the activity on, then off", arguments: TestTransport.allCases)
    func success(_ transport: TestTransport) async throws {
        let monitor = makeMonitor()
        let call = try await transport.makeManager(for: server).call(.get, "get")
        #expect(call.isSuccess)
        #expect(try await heard.wait(for: 2) == [true, false])
        #expect(!monitor.isActive)
    }

    @Test("A failed request turns the activity on, then off", arguments: TestTransport.allCases)
    func failure(_ transport: TestTransport) async throws {
        let monitor = makeMonitor()
        let call = try await transport.makeManager(for: server).call(.get, "status/404")
        #expect(call.error?.code == .unacceptableStatusCode)
        #expect(try await heard.wait(for: 2) == [true, false])
        #expect(!monitor.isActive)
    }

    @Test(
        "The activity turns on after the activation delay, and off after the completion delay",
        arguments: TestTransport.allCases
    )
    func delays(_ transport: TestTransport) async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .json("[]").held(until: gate))
        let monitor = makeMonitor(activation: .seconds(1), completion: .milliseconds(170))
        let manager = transport.makeManager(for: server)
        manager.get("held", success: { _, _ in })

        try await clock.waitForSleeps()
        clock.advance(by: .milliseconds(999))
        #expect(!monitor.isActive)
        clock.advance(by: .milliseconds(1))
        try await heard.wait()
        #expect(monitor.isActive)

        gate.open()
        try await manager.finishAll()
        try await clock.waitForSleeps(2)
        clock.advance(by: .milliseconds(169))
        #expect(monitor.isActive)
        clock.advance(by: .milliseconds(1))
        #expect(try await heard.wait(for: 2) == [true, false])
        #expect(clock.sleeps == [.seconds(1), .milliseconds(170)])
    }

    @Test("Overlapping requests turn the activity on once, and off once", arguments: TestTransport.allCases)
    func overlapping(_ transport: TestTransport) async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .json("[]").held(until: gate))
        let monitor = makeMonitor()
        let managers = [transport.makeManager(for: server), transport.makeManager(for: server)]
        for manager in managers {
            for _ in 0..<2 { manager.get("held", success: { _, _ in }) }
        }
        try await heard.wait()
        // One that is over in the meantime makes no difference.
        _ = try await managers[0].call(.get, "get")
        gate.open()
        for manager in managers { try await manager.finishAll() }
        #expect(try await heard.wait(for: 2) == [true, false])
        #expect(!monitor.isActive)
    }

    @Test("Suspended and cancelled tasks do not count", arguments: TestTransport.allCases)
    func suspension(_ transport: TestTransport) async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .json("[]").held(until: gate))
        let monitor = makeMonitor()
        let manager = transport.makeManager(for: server)
        let task = manager.get("held", success: { _, _ in })
        try await heard.wait(for: 1)
        task.suspend()
        try await heard.wait(for: 2)
        task.resume()
        try await heard.wait(for: 3)
        task.cancel()
        try await heard.wait(for: 4)
        gate.open()
        #expect(heard.values == [true, false, true, false])
        #expect(!monitor.isActive)
    }

    @Test("A counted task stops counting at its end, even if the filter no longer accepts it")
    func changingFilter() async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .json("[]").held(until: gate))
        let port = server.baseURL.port
        let monitor = NetworkActivityMonitor(activationDelay: .zero, completionDelay: .zero, clock: clock) {
            $0.originalRequest?.url?.port == port && $0.state == .running
        }
        monitor.setActivityHandler { [heard] in heard.record($0) }
        monitor.isEnabled = true
        let manager = TestTransport.curl.makeManager(for: server)
        manager.get("held", success: { _, _ in })
        #expect(try await heard.first())

        gate.open()
        try await manager.finishAll()

        #expect(!monitor.isActive)
    }

    @Test("A released handler may replace the next handler")
    func releasedHandler() {
        let monitor = makeMonitor()
        let ends = Recorder<Void>()
        func farewell() -> Farewell {
            Farewell { [weak monitor] in
                monitor?.setActivityHandler(nil)
                ends.record(())
            }
        }
        monitor.setActivityHandler { [farewell = farewell()] _ in withExtendedLifetime(farewell) {} }

        monitor.setActivityHandler(nil)

        #expect(ends.values.count == 1)
    }

    @Test("With notifications in any order on a concurrent completion queue, the activity ends")
    func concurrentQueue() async throws {
        let monitor = makeMonitor()
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let manager = TestTransport.curl.makeManager(for: server, completionQueue: queue)
        for _ in 0..<200 { manager.get("get", success: { _, _ in }) }
        try await manager.finishAll()
        try await eventually { !monitor.isActive }
    }

    @Test("Enabling a monitor reports the tasks under way, and disabling it turns the activity off at once")
    func enabling() async throws {
        let monitor = makeMonitor()
        monitor.isEnabled = false
        monitor.incrementActivityCount()
        #expect(!monitor.isActive && !monitor.isEnabled)
        monitor.isEnabled = true
        #expect(monitor.isActive)
        monitor.isEnabled = false
        #expect(!monitor.isActive)
        #expect(try await heard.wait(for: 2) == [true, false])
    }

    @Test("A cancelled delay has no effect, and the next delay has the length that was set last")
    func staleDelay() async throws {
        let monitor = makeMonitor(completion: .seconds(5))
        monitor.incrementActivityCount()
        monitor.decrementActivityCount()
        try await clock.waitForSleeps()
        monitor.incrementActivityCount()
        clock.advance(by: .seconds(5))
        #expect(monitor.isActive)
        monitor.completionDelay = .seconds(7)
        monitor.activationDelay = .seconds(3)
        #expect((monitor.activationDelay, monitor.completionDelay) == (.seconds(3), .seconds(7)))
        monitor.decrementActivityCount()
        try await clock.waitForSleeps(2)
        #expect(clock.sleeps == [.seconds(5), .seconds(7)])
        clock.advance(by: .seconds(7))
        #expect(try await heard.wait(for: 2) == [true, false])
    }

    @Test("By default the delays are a second and 170 milliseconds, and the monitor is disabled")
    func defaults() {
        let monitor = NetworkActivityMonitor()
        #expect(monitor.activationDelay == .seconds(1))
        #expect(monitor.completionDelay == .milliseconds(170))
        #expect(!monitor.isEnabled && !monitor.isActive)
        #expect(NetworkActivityMonitor.shared === NetworkActivityMonitor.shared)
    }

    @Test("A stream begins with the current value, delivers every change, and ends with the monitor")
    func stream() async {
        var monitor: NetworkActivityMonitor? = makeMonitor()
        let updates = monitor?.activityUpdates
        monitor?.incrementActivityCount()
        monitor?.incrementActivityCount()
        monitor?.decrementActivityCount()
        monitor?.decrementActivityCount()
        monitor = nil
        var values: [Bool] = []
        for await value in updates ?? AsyncStream(unfolding: { nil }) { values.append(value) }
        #expect(values == [false, true, false])
    }

    @Test("The handler runs on the chosen queue")
    func queue() async throws {
        let monitor = makeMonitor()
        let queues = Recorder<String?>()
        monitor.setActivityHandler(queue: TestQueue.make("chosen")) { _ in queues.record(TestQueue.current) }
        monitor.incrementActivityCount()
        #expect(try await queues.first() == "chosen")
    }
}
