import Synchronization

@testable import Larkspur

/// The clocks of a machine, which a test sets.
final class StoreClock: Sendable {
    private let state = Mutex(StoreTime(start: "first", uptime: 1_000_000_000, wall: 1_700_000_000_000_000))

    var now: StoreTime { state.withLock { $0 } }

    func advance(_ duration: Duration) {
        state.withLock {
            $0.uptime += duration.nanoseconds
            $0.wall += duration.nanoseconds / 1000
        }
    }

    /// Sets the wall clock, as users and servers do.
    func setWall(_ change: Duration) { state.withLock { $0.wall += change.nanoseconds / 1000 } }

    func restart(_ name: String) {
        state.withLock {
            $0.start = name
            $0.uptime = 0
        }
    }
}
