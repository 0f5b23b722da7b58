/// The time by which the calls within a closure have to end.
struct Deadline: Sendable {
    @TaskLocal static var current: Deadline?

    /// The duration from the creation of this value to the deadline, as the caller has set it.
    let limit: Duration
    /// The closure that returns the remaining time, which is negative after the deadline.
    let remaining: @Sendable () -> Duration

    init(in limit: Duration, of clock: some Clock<Duration>) {
        self.limit = limit
        let end = clock.now.advanced(by: limit.bounded)
        remaining = { clock.now.duration(to: end) }
    }
}

/// Runs a closure with a deadline. All calls that the closure makes have to end by this deadline.
///
///     let (user, text) = try await withTimeout(total: .seconds(2)) {
///         let user = try await manager.get("users/1").value(as: User.self)
///         return (user, try await manager.get("notes").string)
///     }
///
/// A call that is under way at the deadline ends with the error `timedOut`. A call that starts later sends nothing, and
/// ends with the same error. If deadlines are nested, the earlier one applies. The closure itself is not cancelled.
/// - Parameters:
///   - limit: The maximum time for all of the calls.
///   - clock: The clock that measures the time. If the manager has another clock than the continuous clock, pass that
///     clock. Default: the continuous clock.
///   - isolation: The actor on which the closure runs. Default: the actor of the caller.
///   - body: The closure.
/// - Returns: The result of the closure.
/// - Throws: The error of the closure. It has the type that the closure throws: ``LarkspurError`` for a closure that
///   begins with `() async throws(LarkspurError) in`.
public func withTimeout<Value, Failure: Error>(
    total limit: Duration,
    clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let deadline = Deadline(in: limit, of: clock)
    if let outer = Deadline.current, outer.remaining() <= deadline.remaining() { return try await body() }
    // `withValue` does not throw typed errors, so the error is returned in a `Result`.
    let result = await Deadline.$current.withValue(
        deadline,
        operation: { () async -> Result<Value, Failure> in
            do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
        },
        isolation: isolation
    )
    return try result.get()
}

/// The timers of one call.
struct CallTimers: Sendable {
    /// The closures that cancel the timers.
    private let timers: [@Sendable () -> Void]

    /// Starts the timers of a call.
    /// - Parameters:
    ///   - limits: The limits of the call.
    ///   - clock: The clock that measures them.
    ///   - deadline: The limit of the surrounding deadline, if this deadline sets the total limit of the call;
    ///     otherwise nil.
    ///   - task: The task that a timer ends.
    init(_ limits: Timeouts, until deadline: Duration?, on clock: any Clock<Duration>, for task: SessionTask) {
        var timers: [@Sendable () -> Void] = []
        if let wait = limits.connectionWait {
            timers.append(
                Self.timer(wait, clock) { [weak task] in
                    guard let task, task.waitsForConnection else { return }
                    let reason = task.connectionWait.map { ", because \($0.reason)" } ?? ""
                    task.fail(with: Self.error("The call waited longer than \(wait) for a connection\(reason)."))
                }
            )
        }
        if let total = limits.total {
            timers.append(
                Self.timer(total, clock) { [weak task] in
                    let sentence =
                        deadline.map { "The deadline of \($0) was over before the call ended." }
                        ?? "The call took longer than \(total) in all."
                    task?.fail(with: Self.error(sentence, of: task))
                }
            )
        }
        if let response = limits.response {
            timers.append(
                Self.timer(response, clock) { [weak task] in
                    // For a download, `responseReceived` is set only when content arrives, but `response` is set when
                    // the head arrives.
                    guard let task, task.timeline.responseReceived == nil, task.response == nil else { return }
                    task.fail(with: Self.error("No response arrived for \(response).", of: task))
                }
            )
        }
        self.timers = timers
    }

    /// Ends the timers.
    func cancel() {
        for cancel in timers { cancel() }
    }

    /// Returns the error of a call that has reached a limit. If the call waits for a place at its host, the message
    /// states the reason of the wait.
    static func error(_ message: String, of task: SessionTask? = nil) -> LarkspurError {
        guard let wait = task?.connectionWait else { return LarkspurError(.timedOut, message) }
        return LarkspurError(.timedOut, "\(message.withoutFullStop): \(wait.clause).")
    }

    /// Starts a timer. Returns the closure that cancels it.
    private static func timer(
        _ limit: Duration,
        _ clock: some Clock<Duration>,
        _ action: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        // The end is computed here, because the task below may begin late.
        let end = clock.now.advanced(by: limit.bounded)
        if clock is ContinuousClock, let end = end as? ContinuousClock.Instant {
            let alarm = Alarm()
            alarm.set(for: end) { isTime in if isTime { action() } }
            return { alarm.cancel() }
        }
        let task = Task {
            // A cancelled sleep throws: the call has ended.
            guard (try? await clock.sleep(until: end, tolerance: nil)) != nil else { return }
            action()
        }
        return { task.cancel() }
    }
}

extension SessionTask {
    /// Limits the time that the call may take. A limit of the call replaces the corresponding limit of
    /// ``SessionManager/timeouts``.
    /// - Parameters:
    ///   - total: The maximum time for the whole call, with all attempts, redirects and delays. Default: nil, for the
    ///     manager's limit.
    ///   - response: The maximum time until the head of a response has arrived. Default: nil, for the manager's limit.
    ///   - idle: The maximum time without a byte sent or received. Default: nil, for the limit of the manager or the
    ///     request.
    ///   - connect: The maximum time for making a connection. The transport `.foundation` refuses this limit. Default:
    ///     nil, for the manager's limit.
    ///   - connectionWait: The maximum time until the request may connect to its host. The transport
    ///     `.foundation` refuses this limit. Default: nil, for the manager's limit.
    ///   - attempt: The maximum time of each attempt. Default: nil, for the manager's limit.
    /// - Returns: The task.
    public func timeout(
        total: Duration? = nil,
        response: Duration? = nil,
        idle: Duration? = nil,
        connect: Duration? = nil,
        connectionWait: Duration? = nil,
        attempt: Duration? = nil
    ) -> Self {
        configure("timeout(total:response:idle:connect:connectionWait:attempt:)") { options in
            options.timeouts = Timeouts(
                total: total,
                response: response,
                idle: idle,
                connect: connect,
                connectionWait: connectionWait,
                attempt: attempt
            ).filled(from: options.timeouts)
        }
    }
}
