import Synchronization

extension RequestContext {
    /// Starts to measure time by the context's clock, and returns a closure that returns the time since.
    func stopwatch() -> @Sendable () -> Duration { clock.stopwatch() }
}

extension Clock<Duration> {
    fileprivate func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }
}

/// The time since the first call of an interceptor that many calls share, by the clock of that first call.
final class SharedStopwatch: Sendable {
    private let start = Mutex<(@Sendable () -> Duration)?>(nil)

    /// Returns the time since the first call.
    func elapsed(by context: RequestContext) -> Duration {
        // Clocks are callers' code, and run outside the lock.
        let new = context.stopwatch()
        let shared = start.withLock { start in
            let shared = start ?? new
            start = shared
            return shared
        }
        return shared()
    }
}
