import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import Larkspur

/// A clock that records how deep in the stack it is read.
private final class StackClock: Clock, Sendable {
    private let addresses = Mutex<[UInt]>([])

    var now: TestClock.Instant {
        var local = 0
        let address = withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
        addresses.withLock { $0.append(address) }
        return TestClock.Instant()
    }

    var minimumResolution: Duration { .zero }

    func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {}

    /// Returns the addresses that were recorded since the last call of the method.
    func takeAddresses() -> [UInt] { addresses.withLock { exchange(&$0, with: []) } }
}

@Suite("Stopwatches of interceptors", .timeLimit(.minutes(2)))
struct StopwatchTests {
    @Test("Reading a shared stopwatch repeatedly does not wrap its closure")
    func constantDepth() {
        let clock = StackClock()
        let context = RequestContext(clock: clock)
        let stopwatch = SharedStopwatch()
        _ = stopwatch.elapsed(by: context)
        _ = clock.takeAddresses()
        for _ in 0..<1000 { _ = stopwatch.elapsed(by: context) }
        // All reads come from the line above. Each further frame would take stack.
        #expect(Set(clock.takeAddresses()).count == 1)
    }

    @Test("A shared stopwatch counts from its first use, with the clock of that use")
    func firstUse() {
        let clock = TestClock()
        let stopwatch = SharedStopwatch()
        clock.advance(by: .seconds(5))
        #expect(stopwatch.elapsed(by: RequestContext(clock: clock)) == .zero)
        clock.advance(by: .seconds(2))
        #expect(stopwatch.elapsed(by: RequestContext(clock: TestClock())) == .seconds(2))
    }
}
