/// The limits of the time that a call may take. A limit that is reached ends the call with the error `timedOut`.
///
///     manager.timeouts.total = .seconds(30)
///     let text = try await manager.get("slow").timeout(total: .seconds(5)).string
///
/// ``queue``, ``firstByte`` and ``total`` are measured on ``SessionManager/clock``, from the start of the call. Of the
/// limits of a manager ``idle`` and ``total`` do not apply to event streams (``EventSource``), which may be silent and
/// have no end.
///
/// ``queue`` and ``connect`` need the transport `.curl`. With `.foundation` a call with one of them ends with the error
/// `unsupported`, and a transport of one's own ignores them.
public struct Timeouts: Sendable, Hashable {
    /// The longest time until the request may connect to its host: until the interceptors that limit calls let it pass,
    /// and one of the `httpMaximumConnectionsPerHost` connections is free. The first attempt counts. Default: nil, no
    /// limit. The transport `.foundation` refuses it.
    public var queue: Duration?
    /// The longest time for making a connection, with the resolution of the host's name and the handshake of TLS; it
    /// counts again for each new connection. Default: nil, no limit but ``idle``. The transport `.foundation` refuses it.
    public var connect: Duration?
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
    ///   - queue: The longest time until the request may connect to its host. Default: nil, no limit.
    ///   - connect: The longest time for making a connection. Default: nil, no limit.
    ///   - idle: The longest time without a byte sent or received. Default: nil, that of the request.
    ///   - firstByte: The longest time until the head of a response has arrived. Default: nil, no limit.
    ///   - total: The longest time for the call as a whole. Default: nil, no limit.
    public init(
        queue: Duration? = nil,
        connect: Duration? = nil,
        idle: Duration? = nil,
        firstByte: Duration? = nil,
        total: Duration? = nil
    ) {
        self.queue = queue
        self.connect = connect
        self.idle = idle
        self.firstByte = firstByte
        self.total = total
    }

    /// Whether there is no limit.
    var isEmpty: Bool { self == Timeouts() }

    /// Returns these limits, with those of others where these have none.
    func filled(from others: Timeouts) -> Timeouts {
        Timeouts(
            queue: queue ?? others.queue,
            connect: connect ?? others.connect,
            idle: idle ?? others.idle,
            firstByte: firstByte ?? others.firstByte,
            total: total ?? others.total
        )
    }

    /// The limits of a manager that apply to event streams, which may be silent and have no end.
    var forEventStreams: Timeouts { Timeouts(queue: queue, connect: connect, firstByte: firstByte) }

    /// Throws `unsupported` if there is a limit that needs a transport that says when it has a connection.
    func validateWithoutConnections() throws(LarkspurError) {
        guard queue != nil || connect != nil else { return }
        throw LarkspurError(
            .unsupported,
            "The limits of time queue and connect need the transport .curl: this one does not say when it has a "
                + "connection."
        )
    }

    /// Returns a request with the idle limit.
    func applied(to request: URLRequest) -> URLRequest {
        guard let idle else { return request }
        var request = request
        request.timeoutInterval = max(idle.timeInterval, 0.001)
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
