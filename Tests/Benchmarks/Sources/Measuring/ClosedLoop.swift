import Synchronization

/// Hands out requests until there are enough of them or the time is over, and counts how they end.
package final class ClosedLoop: Sendable {
    private struct Count {
        var unclaimed: Int
        var finished = 0
        var failure: String?
    }

    private let deadline: ContinuousClock.Instant?
    private let count: Mutex<Count>

    package init(requests: Int, seconds: Double? = nil) {
        deadline = seconds.map { ContinuousClock.now + .seconds($0) }
        count = Mutex(Count(unclaimed: requests))
    }

    /// Whether another request is to be made.
    package func claim() -> Bool {
        if let deadline, ContinuousClock.now >= deadline { return false }
        return count.withLock {
            guard $0.unclaimed > 0 else { return false }
            $0.unclaimed -= 1
            return true
        }
    }

    /// Counts a request that has ended; with a sentence if it failed.
    package func finish(_ failure: String?) {
        count.withLock {
            $0.finished += 1
            if $0.failure == nil { $0.failure = failure }
        }
    }

    package var finished: Int { count.withLock { $0.finished } }

    /// What the first request that failed said.
    package var failure: String? { count.withLock { $0.failure } }
}
