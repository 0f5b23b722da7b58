/// The times at which a client asks whether the user has logged in (RFC 8628, section 3.5).
struct DevicePolling: Equatable, Sendable {
    /// The result of one question.
    enum Event: Sendable {
        /// The user has not decided yet.
        case pending
        /// The server asks for longer intervals.
        case slowDown
        /// There was no response, or the server is busy.
        case unavailable
    }

    enum Step: Equatable, Sendable {
        /// The next question follows after a time.
        case ask(after: Duration)
        /// The code has expired.
        case end
    }

    /// The time between two questions.
    private(set) var interval: Duration
    /// The time until the code expires.
    let lifetime: Duration

    /// - Parameters:
    ///   - interval: The server's interval in seconds. Default: 5. It is at least 1 second, so that a wrong value does
    ///     not lead to a loop without waits.
    ///   - lifetime: The lifetime of the code in seconds; nil if it is unknown. It is at most a day, so that a server
    ///     that never decides does not lead to an endless loop.
    init(interval: TimeInterval?, lifetime: TimeInterval?) {
        // Very long durations cannot be added to a date.
        let day = 86_400.0
        self.interval = .seconds(min(max(interval ?? 5, 1), day))
        self.lifetime = .seconds(min(lifetime ?? day, day))
    }

    /// Returns the next step.
    /// - Parameters:
    ///   - event: The result of the last question; nil before the first one.
    ///   - elapsed: The time since the code was issued.
    mutating func step(after event: Event?, elapsed: Duration) -> Step {
        switch event {
        case nil, .pending: break
        case .slowDown: interval += .seconds(5)
        case .unavailable: interval = min(interval * 2, max(interval, .seconds(60)))
        }
        if elapsed + interval > lifetime { return .end }
        return .ask(after: interval)
    }
}
