#if canImport(FoundationNetworking)
/// The two timers of a task: for the time without a byte, and for the task as a whole.
struct TaskTimers {
    private let resourceDeadline: LoopTime
    private let resourceTimeout: TimeInterval
    /// The limit of the time without a byte, in seconds.
    var idleTimeout: TimeInterval
    private var lastActivity: LoopTime

    /// - Parameters:
    ///   - start: The start of the timer for the task as a whole.
    ///   - resourceTimeout: The limit for the task as a whole, in seconds.
    ///   - idleTimeout: The limit of the time without a byte, in seconds.
    init(now: LoopTime, start: LoopTime, resourceTimeout: TimeInterval, idleTimeout: TimeInterval) {
        lastActivity = now
        self.resourceTimeout = resourceTimeout
        resourceDeadline = start.adding(resourceTimeout)
        self.idleTimeout = idleTimeout
    }

    /// Records that a byte was sent or received.
    mutating func touch(at now: LoopTime) { lastActivity = now }

    /// Returns the time at which the task fails if nothing happens.
    /// - Parameter isIdleTimed: Whether the time without a byte counts.
    func deadline(isIdleTimed: Bool) -> LoopTime {
        isIdleTimed ? min(lastActivity.adding(idleTimeout), resourceDeadline) : resourceDeadline
    }

    /// Returns the failure of a task whose deadline has passed.
    /// - Parameters:
    ///   - peer: The server or proxy to which there is no connection yet; nil if there is a connection.
    ///   - wait: The wait for a place at the host; nil if the task has its place.
    func failure(at now: LoopTime, url: URL?, unconnected peer: Peer?, wait: ConnectionWait? = nil) -> URLError {
        if now >= resourceDeadline { return .resourceTimedOut(after: resourceTimeout, url: url, wait: wait) }
        let sentence =
            peer.map { "No connection to the \($0) was made within \(idleTimeout) seconds." }
            ?? "Not a byte was sent or received for \(idleTimeout) seconds."
        return .engine(.timedOut, sentence, url: url)
    }
}
#endif
