/// A clock for a ``Throttle``.
protocol ThrottleClock: Sendable {
    /// The time since a fixed moment.
    var now: Duration { get }

    /// Blocks the thread for a duration.
    func sleep(for duration: Duration)
}

/// The system's clock.
struct SystemThrottleClock: ThrottleClock {
    private static let start = ContinuousClock.now

    var now: Duration { Self.start.duration(to: .now) }

    func sleep(for duration: Duration) { Thread.sleep(forTimeInterval: duration / .seconds(1)) }
}
