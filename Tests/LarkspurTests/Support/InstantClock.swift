import LarkspurTesting
import Synchronization

/// A clock whose sleeps end at once.
final class InstantClock: Clock, Sendable {
    private struct State {
        var now = TestClock.Instant()
        var sleeps: [Duration] = []
    }

    private let state = Mutex(State())

    var now: TestClock.Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }
    /// The length of each sleep.
    var sleeps: [Duration] { state.withLock { $0.sleeps } }

    func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        state.withLock { state in
            state.sleeps.append(state.now.duration(to: deadline))
            state.now = max(state.now, deadline)
        }
    }
}
