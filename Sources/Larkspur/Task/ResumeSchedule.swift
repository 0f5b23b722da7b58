/// The number of automatic resumptions of a download that has lost its connection, and the pauses before them.
struct ResumeSchedule: Equatable, Sendable {
    /// The longest pause, in seconds.
    static let longestPause: TimeInterval = 30
    /// The shortest pause, in seconds.
    static let shortestPause: TimeInterval = 0.25

    private var remaining: Int
    private var pause = shortestPause
    private var received: Int64 = 0

    /// - Parameter limit: The maximum number of resumptions in total.
    init(limit: Int) { remaining = max(0, limit) }

    /// Returns the pause before the next attempt, in seconds; nil if the limit is reached. Each pause is twice as long
    /// as the one before, up to the longest. After new content has arrived, the next pause is the shortest again.
    /// - Parameter received: The number of bytes received so far.
    mutating func next(received: Int64) -> TimeInterval? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        if received > self.received { pause = Self.shortestPause }
        self.received = received
        defer { pause = min(pause * 2, Self.longestPause) }
        return pause
    }
}
