/// The time, and the passing of it, for a ``Throttle``.
protocol ThrottleClock: Sendable {
    /// The time since some moment.
    var now: Duration { get }

    /// Holds the thread up.
    func sleep(for duration: Duration)
}

/// The system's clock.
struct SystemThrottleClock: ThrottleClock {
    private static let start = ContinuousClock.now

    var now: Duration { Self.start.duration(to: .now) }

    func sleep(for duration: Duration) { Thread.sleep(forTimeInterval: duration / .seconds(1)) }
}
