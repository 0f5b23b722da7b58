/// The limits of the time that a call may take. A limit that is reached ends the call with the error `timedOut`.
///
///     manager.timeouts.total = .seconds(30)
///     let text = try await manager.get("slow").timeout(total: .seconds(5)).string
///
/// All limits but ``idle`` are measured on ``SessionManager/clock``, from the start of the call. Of the limits of a
/// manager only ``firstByte`` applies to event streams (``EventSource``), which may be silent and have no end.
public struct Timeouts: Sendable, Hashable {
    /// The longest time without a byte sent or received. Default: nil, the time in
    /// ``RequestSettings/timeoutInterval`` or of the request.
    public var idle: Duration?
    /// The longest time until the head of a response has arrived; the first response of all attempts and redirects
    /// counts. Default: nil, no limit.
    public var firstByte: Duration?
    /// The longest time for the call as a whole, with all attempts, redirects and delays. Default: nil, no limit but
    /// `timeoutIntervalForResource` of the configuration.
    public var total: Duration?

    /// Creates limits.
    /// - Parameters:
    ///   - idle: The longest time without a byte sent or received. Default: nil, that of the request.
    ///   - firstByte: The longest time until the head of a response has arrived. Default: nil, no limit.
    ///   - total: The longest time for the call as a whole. Default: nil, no limit.
    public init(idle: Duration? = nil, firstByte: Duration? = nil, total: Duration? = nil) {
        self.idle = idle
        self.firstByte = firstByte
        self.total = total
    }

    /// Whether there is no limit.
    var isEmpty: Bool { self == Timeouts() }

    /// Returns these limits, with those of others where these have none.
    func filled(from others: Timeouts) -> Timeouts {
        Timeouts(
            idle: idle ?? others.idle,
            firstByte: firstByte ?? others.firstByte,
            total: total ?? others.total
        )
    }

    /// The limits of a manager that apply to event streams, which may be silent and have no end.
    var forEventStreams: Timeouts { Timeouts(firstByte: firstByte) }

    /// Returns a request with the idle limit.
    func applied(to request: URLRequest) -> URLRequest {
        guard let idle else { return request }
        var request = request
        request.timeoutInterval = max(idle / .seconds(1), 0.001)
        return request
    }
}

/// The time by which the calls within a closure have to end.
struct Deadline: Sendable {
    @TaskLocal static var current: Deadline?

    /// Returns the time that is left, negative after the deadline.
    let remaining: @Sendable () -> Duration

    init(in limit: Duration, of clock: some Clock<Duration>) {
        let end = clock.now.advanced(by: limit)
        remaining = { clock.now.duration(to: end) }
    }
}

/// Runs a closure whose calls all have to end by one deadline.
///
///     let (user, text) = try await withDeadline(.seconds(2)) {
///         let user = try await manager.get("users/1").value(as: User.self)
///         return (user, try await manager.get("notes").string)
///     }
///
/// A call that is under way at the deadline ends with the error `timedOut`, and one that is made later sends nothing
/// and ends with the same error. Within another deadline the earlier one counts. The closure itself is not ended.
/// - Parameters:
///   - limit: The time from now to the deadline.
///   - clock: The clock that measures it; pass the manager's clock if that is not the continuous one. Default: the
///     continuous clock.
///   - body: The closure.
/// - Returns: The result of the closure.
/// - Throws: The error of the closure.
public func withDeadline<Result>(
    _ limit: Duration,
    clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
) async rethrows -> Result {
    let deadline = Deadline(in: limit, of: clock)
    if let outer = Deadline.current, outer.remaining() <= deadline.remaining() { return try await body() }
    return try await Deadline.$current.withValue(deadline, operation: body, isolation: isolation)
}

/// The timers of one call.
struct CallTimers: Sendable {
    private let timers: [Task<Void, Never>]

    /// Starts the timers of a call.
    /// - Parameters:
    ///   - limits: The limits of the call.
    ///   - clock: The clock that measures them.
    ///   - task: The task that a timer ends.
    init(_ limits: Timeouts, on clock: any Clock<Duration>, for task: SessionTask) {
        var timers: [Task<Void, Never>] = []
        if let total = limits.total {
            timers.append(
                Self.timer(total, clock) { [weak task] in
                    task?.fail(with: Self.error("The call took longer than \(total) in all."))
                }
            )
        }
        if let firstByte = limits.firstByte {
            timers.append(
                Self.timer(firstByte, clock) { [weak task] in
                    guard let task, task.timeline.firstResponseByte == nil else { return }
                    task.fail(with: Self.error("No response arrived for \(firstByte)."))
                }
            )
        }
        self.timers = timers
    }

    /// Ends the timers.
    func cancel() {
        for timer in timers { timer.cancel() }
    }

    /// The error of a call that has reached its limit.
    static func error(_ message: String) -> LarkspurError { LarkspurError(.timedOut, message) }

    private static func timer(
        _ limit: Duration,
        _ clock: any Clock<Duration>,
        _ action: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
        Task {
            // A cancelled sleep throws: the call has ended.
            guard (try? await clock.sleep(for: limit)) != nil else { return }
            action()
        }
    }
}

extension SessionTask {
    /// Limits the time that the call may take. A limit of the call replaces the same one of
    /// ``SessionManager/timeouts``.
    /// - Parameters:
    ///   - total: The longest time for the call as a whole, with all attempts, redirects and delays. Default: nil, that
    ///     of the manager.
    ///   - firstByte: The longest time until the head of a response has arrived. Default: nil, that of the manager.
    ///   - idle: The longest time without a byte sent or received. Default: nil, that of the manager or the request.
    /// - Returns: The task.
    public func timeout(total: Duration? = nil, firstByte: Duration? = nil, idle: Duration? = nil) -> Self {
        configure("timeout(total:firstByte:idle:)") { settings, _ in
            settings.timeouts = Timeouts(idle: idle, firstByte: firstByte, total: total).filled(from: settings.timeouts)
        }
    }
}
