@testable import LarkspurActivity
import Larkspur
import LarkspurTesting
import Synchronization
import Testing

/// Closures and clocks of callers', each of which uses what it was given to: on its own thread, and on another one for
/// which it waits. A lock that is held meanwhile ends the process or hangs the test.
@Suite("Activity closures that call back", .timeLimit(.minutes(5)))
struct ActivityReentranceTests {
    private let poke = Poke()

    private final class Poke: Sendable {
        private let use = Mutex<(@Sendable () -> Void)?>(nil)
        private let isStarted = Atomic(false)
        private let isDone = Atomic(false)

        func attach(_ use: @escaping @Sendable () -> Void) { self.use.withLock { $0 = use } }

        /// Whether it was called, and got through.
        var hasRun: Bool { isDone.load(ordering: .sequentiallyConsistent) }

        func callAsFunction() {
            guard let use = use.withLock({ $0 }) else { return }
            // Once: its own doings call it again.
            guard !isStarted.exchange(true, ordering: .sequentiallyConsistent) else { return }
            use()
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                use()
                done.signal()
            }
            done.wait()
            isDone.store(true, ordering: .sequentiallyConsistent)
        }
    }

    /// A clock that stands still, and calls when a sleep begins and when one is cancelled.
    private struct CallingClock: Clock {
        let clock = TestClock()
        var began: @Sendable () -> Void = {}
        var cancelled: @Sendable () -> Void = {}

        var now: TestClock.Instant { clock.now }
        var minimumResolution: Duration { clock.minimumResolution }

        func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
            began()
            try await withTaskCancellationHandler {
                try await clock.sleep(until: deadline, tolerance: tolerance)
            } onCancel: {
                cancelled()
            }
        }
    }

    /// Calls when it is released.
    private final class Last: Sendable {
        private let poke: Poke

        init(_ poke: Poke) { self.poke = poke }

        deinit { poke() }
    }

    enum Kind: CaseIterable, Sendable {
        case filter, handler, releasedHandler, sleep, cancelledSleep
    }

    @Test("Each closure that a monitor calls may use the monitor", arguments: Kind.allCases)
    func monitor(kind: Kind) async throws {
        var clock = CallingClock()
        if kind == .sleep { clock.began = { [poke] in poke() } }
        if kind == .cancelledSleep { clock.cancelled = { [poke] in poke() } }
        let monitor = NetworkActivityMonitor(
            activationDelay: kind == .handler ? .zero : .seconds(1),
            completionDelay: .seconds(1),
            clock: clock
        ) { [poke] _ in
            if kind == .filter { poke() }
            return true
        }
        poke.attach { [weak monitor] in
            guard let monitor else { return }
            monitor.activationDelay = monitor.activationDelay
            monitor.completionDelay = monitor.completionDelay
            monitor.incrementActivityCount()
            monitor.decrementActivityCount()
            monitor.isEnabled = monitor.isEnabled
            _ = (monitor.isActive, monitor.activityUpdates)
        }
        switch kind {
        case .filter: SessionManager.stubbed().get("/", success: { _, _ in })
        case .handler: monitor.setActivityHandler { [poke] _ in poke() }
        case .releasedHandler:
            monitor.setActivityHandler { [last = Last(poke)] _ in withExtendedLifetime(last) {} }
            monitor.setActivityHandler(nil)
        case .sleep, .cancelledSleep: break
        }
        monitor.isEnabled = true
        monitor.incrementActivityCount()
        if kind == .cancelledSleep {
            try await clock.clock.waitForSleeps()
            monitor.isEnabled = false
        }
        try await eventually { poke.hasRun }
    }

    @Test("The clock of a spinner may use the spinner", arguments: [true, false])
    func spinner(isCancelled: Bool) async throws {
        var clock = CallingClock()
        if isCancelled {
            clock.cancelled = { [poke] in poke() }
        } else {
            clock.began = { [poke] in poke() }
        }
        let terminal = try PseudoTerminal(columns: 20)
        let spinner = Spinner(on: terminal.file, clock: clock)
        poke.attach { [weak spinner] in
            spinner?.label = spinner?.label ?? ""
            spinner?.stop()
            spinner?.start()
        }
        spinner.start()
        if isCancelled {
            try await clock.clock.waitForSleeps()
            spinner.stop()
        }
        try await eventually { poke.hasRun }
    }
}
