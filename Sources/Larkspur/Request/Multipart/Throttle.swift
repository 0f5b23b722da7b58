/// A limit on the number of bytes that are read per second.
struct Throttle {
    private let bytesPerSecond: Int
    private let clock: any ThrottleClock
    /// The time at which the next chunk may be read.
    private var turn: Duration

    /// - Parameter bytesPerSecond: The number of bytes per second. A value below 1 counts as 1.
    init(bytesPerSecond: Int, clock: any ThrottleClock) {
        self.bytesPerSecond = max(1, bytesPerSecond)
        self.clock = clock
        turn = clock.now
    }

    /// The number of bytes to read at once: the bytes of a tenth of a second. So waits are short and bytes are sent
    /// evenly.
    var chunkSize: Int { max(1, bytesPerSecond / 10) }

    func waitForTurn() {
        let now = clock.now
        if now < turn { clock.sleep(for: turn - now) }
    }

    /// Records a number of bytes that were read. Time without a read does not allow a faster rate later.
    mutating func note(_ count: Int) {
        turn = max(turn, clock.now) + .seconds(Double(count) / Double(bytesPerSecond))
    }
}

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
