import Synchronization

extension RequestContext {
    /// Starts to measure time with the context's clock. Returns a closure that returns the elapsed time.
    func stopwatch() -> @Sendable () -> Duration { clock.stopwatch() }
}

extension Clock<Duration> {
    fileprivate func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }
}

/// The time since an interceptor handled its first call, measured with the clock of that call. Later calls use the same
/// clock.
final class SharedStopwatch: Sendable {
    private let start = Mutex<(@Sendable () -> Duration)?>(nil)

    /// Returns the time since the first call of the method.
    func elapsed(by context: RequestContext) -> Duration {
        // A clock may be the caller's code, so it runs outside the lock.
        let new = context.stopwatch()
        let shared = start.withLock { start in
            let shared = start ?? new
            start = shared
            return shared
        }
        return shared()
    }
}
