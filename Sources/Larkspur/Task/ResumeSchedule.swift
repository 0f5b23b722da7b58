/// How often a download that has lost its connection goes on by itself, and after which pauses.
struct ResumeSchedule: Equatable, Sendable {
    /// The longest pause, in seconds.
    static let longestPause: TimeInterval = 30
    /// The shortest one, in seconds.
    static let shortestPause: TimeInterval = 0.25

    private var remaining: Int
    private var pause = shortestPause
    private var received: Int64 = 0

    /// - Parameter limit: How often it goes on in all.
    init(limit: Int) { remaining = max(0, limit) }

    /// The pause before the next attempt, in seconds; nil if there are to be no more. Each is twice as long as the one
    /// before, until something has come again.
    /// - Parameter received: How many bytes there are by now.
    mutating func next(received: Int64) -> TimeInterval? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        if received > self.received { pause = Self.shortestPause }
        self.received = received
        defer { pause = min(pause * 2, Self.longestPause) }
        return pause
    }
}
