import Synchronization

/// A measurement of time that has begun.
///
/// The closure is a property of a structure. A generic container such as `Mutex` would store a bare closure in a
/// wrapper that converts its calling convention. Each time that the closure was read from the container and stored
/// again, another wrapper would be added, and each call would run all of them.
struct Stopwatch: Sendable {
    /// Returns the elapsed time.
    let elapsed: @Sendable () -> Duration
}

extension RequestContext {
    /// Starts to measure time with the context's clock.
    func stopwatch() -> Stopwatch { clock.stopwatch() }
}

extension Clock<Duration> {
    /// Starts to measure time with the clock.
    func stopwatch() -> Stopwatch {
        let start = now
        return Stopwatch { start.duration(to: now) }
    }
}

/// The time since an interceptor handled its first call, measured with the clock of that call. Later calls use the same
/// clock.
final class SharedStopwatch: Sendable {
    private let start = Mutex<Stopwatch?>(nil)

    /// The time since the first call of `elapsed(by:)`; nil if there was none.
    var elapsed: Duration? { start.withLock { $0 }?.elapsed() }

    /// Returns the time since the first call of the method.
    func elapsed(by context: RequestContext) -> Duration {
        if let shared = start.withLock({ $0 }) { return shared.elapsed() }
        // A clock may be the caller's code, so it runs outside the lock.
        let new = context.stopwatch()
        let shared = start.withLock { start in
            if let start { return start }
            start = new
            return new
        }
        return shared.elapsed()
    }
}
