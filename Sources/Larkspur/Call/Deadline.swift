/// The time by which the calls within a closure have to end.
struct Deadline: Sendable {
    @TaskLocal static var current: Deadline?

    /// The time from its beginning to the deadline, as the caller has set it.
    let limit: Duration
    /// Returns the time that is left, negative after the deadline.
    let remaining: @Sendable () -> Duration

    init(in limit: Duration, of clock: some Clock<Duration>) {
        self.limit = limit
        let end = clock.now.advanced(by: limit.bounded)
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
///   - isolation: The actor on which the closure runs. Default: that of the caller.
///   - body: The closure.
/// - Returns: The result of the closure.
/// - Throws: The error of the closure, and of its type: ``LarkspurError`` for a closure that begins with
///   `() async throws(LarkspurError) in`.
public func withDeadline<Value, Failure: Error>(
    _ limit: Duration,
    clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let deadline = Deadline(in: limit, of: clock)
    if let outer = Deadline.current, outer.remaining() <= deadline.remaining() { return try await body() }
    // The function for task-local values throws without a type.
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
    private let timers: [Task<Void, Never>]

    /// Starts the timers of a call.
    /// - Parameters:
    ///   - limits: The limits of the call.
    ///   - clock: The clock that measures them.
    ///   - deadline: The whole time to the deadline that is the limit of the call; nil if it has a limit of its own.
    ///   - task: The task that a timer ends.
    init(_ limits: Timeouts, until deadline: Duration?, on clock: any Clock<Duration>, for task: SessionTask) {
        var timers: [Task<Void, Never>] = []
        if let queue = limits.queue {
            timers.append(
                Self.timer(queue, clock) { [weak task] in
                    guard let task, task.waitsForConnection else { return }
                    task.fail(with: Self.error("The call waited longer than \(queue) for a connection."))
                }
            )
        }
        if let total = limits.total {
            timers.append(
                Self.timer(total, clock) { [weak task] in
                    let sentence =
                        deadline.map { "The deadline of \($0) was over before the call ended." }
                        ?? "The call took longer than \(total) in all."
                    task?.fail(with: Self.error(sentence))
                }
            )
        }
        if let firstByte = limits.firstByte {
            timers.append(
                Self.timer(firstByte, clock) { [weak task] in
                    // The first byte of a download is that of its content.
                    guard let task, task.timeline.firstResponseByte == nil, task.response == nil else { return }
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
        _ clock: some Clock<Duration>,
        _ action: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
        // The limit counts from now on, and not from the time at which a thread is free for the timer.
        let end = clock.now.advanced(by: limit.bounded)
        return Task {
            // A cancelled sleep throws: the call has ended.
            guard (try? await clock.sleep(until: end, tolerance: nil)) != nil else { return }
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
    ///   - connect: The longest time for making a connection. Default: nil, that of the manager. The transport
    ///     `.foundation` refuses it.
    ///   - queue: The longest time until the request may connect to its host. Default: nil, that of the manager. The
    ///     transport `.foundation` refuses it.
    /// - Returns: The task.
    public func timeout(
        total: Duration? = nil,
        firstByte: Duration? = nil,
        idle: Duration? = nil,
        connect: Duration? = nil,
        queue: Duration? = nil
    ) -> Self {
        configure("timeout(total:firstByte:idle:connect:queue:)") { settings, _ in
            settings.timeouts = Timeouts(
                queue: queue,
                connect: connect,
                idle: idle,
                firstByte: firstByte,
                total: total
            ).filled(from: settings.timeouts)
        }
    }
}
