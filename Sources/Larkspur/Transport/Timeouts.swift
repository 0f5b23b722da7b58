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
    /// counts again for each new connection. Default: nil, no limit but ``idle``. The transport `.foundation` refuses
    /// it.
    public var connect: Duration?
    /// The longest time without a byte sent or received. Default: nil, the time in
    /// ``RequestSettings/timeoutInterval`` or of the request.
    public var idle: Duration?
    /// The longest time until the head of a response has arrived that is no redirect; with several attempts, that of
    /// the first response. Default: nil, no limit.
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
