internal import HTTPSyntax

/// The limits of the time that a call may take. If a limit is reached, the call ends with the error `timedOut`.
///
///     manager.timeouts.total = .seconds(30)
///     let text = try await manager.get("slow").timeout(total: .seconds(5)).string
///
/// All limits but ``connect`` and ``idle`` are measured on ``SessionManager/clock``; ``connectionWait``, ``response``
/// and ``total`` from the start of the call. The limits ``idle`` and ``total`` of a manager do not apply to event
/// streams (``EventSource``), which may be silent and have no end.
///
/// ``connectionWait`` and ``connect`` need the transport `.curl`. With `.foundation` a call with one of them ends with
/// the error `unsupported`. A custom transport ignores them.
public struct Timeouts: Sendable, Hashable {
    /// The maximum time until the request may connect to its host. The request may connect when the interceptors that
    /// limit calls have passed it on, and one of the `httpMaximumConnectionsPerHost` connections is free. Only the
    /// first attempt counts. The transport `.foundation` refuses this limit. Default: nil, for no limit.
    public var connectionWait: Duration?
    /// The maximum time for making a connection, including the resolution of the host's name and the TLS handshake. It
    /// applies to each new connection. The transport `.foundation` refuses this limit. Default: nil, for no limit
    /// except ``idle``.
    public var connect: Duration?
    /// The maximum time without a byte sent or received. Default: nil, so that the request's `timeoutInterval` applies,
    /// which ``RequestSettings/timeoutInterval`` can set.
    public var idle: Duration?
    /// The maximum time until the head of a response that is not a redirect has arrived. If there are several attempts,
    /// the first response counts. Default: nil, for no limit.
    public var response: Duration?
    /// The maximum time for the whole call, with all attempts, redirects and delays. Default: nil, for no limit except
    /// `timeoutIntervalForResource` of the configuration.
    public var total: Duration?
    /// The maximum time of each attempt, without the delays of the interceptors that run once for each call, such as
    /// ``RetryPolicy``. An attempt that reaches the limit fails with `timedOut`, and another attempt may follow. For a
    /// download or a stream, the limit ends when the head of the response has arrived; the transport `.foundation` on
    /// Linux reports the head of a download only at its end. For an upload of a file or a stream, the limit begins
    /// again while content is sent. The time that interceptors of attempts wait counts. Default: nil, for no limit.
    public var attempt: Duration?

    /// Creates limits.
    /// - Parameters:
    ///   - total: The maximum time for the whole call. Default: nil, for no limit.
    ///   - response: The maximum time until the head of a response has arrived. Default: nil, for no limit.
    ///   - idle: The maximum time without a byte sent or received. Default: nil, so that the request's
    ///     `timeoutInterval` applies.
    ///   - connect: The maximum time for making a connection. Default: nil, for no limit.
    ///   - connectionWait: The maximum time until the request may connect to its host. Default: nil, for no limit.
    ///   - attempt: The maximum time of each attempt. Default: nil, for no limit.
    public init(
        total: Duration? = nil,
        response: Duration? = nil,
        idle: Duration? = nil,
        connect: Duration? = nil,
        connectionWait: Duration? = nil,
        attempt: Duration? = nil
    ) {
        self.total = total
        self.response = response
        self.idle = idle
        self.connect = connect
        self.connectionWait = connectionWait
        self.attempt = attempt
    }

    /// Whether there is no limit.
    var isEmpty: Bool { self == Timeouts() }

    /// Returns these limits. A limit that is nil here is taken from other limits.
    func filled(from others: Timeouts) -> Timeouts {
        Timeouts(
            total: total ?? others.total,
            response: response ?? others.response,
            idle: idle ?? others.idle,
            connect: connect ?? others.connect,
            connectionWait: connectionWait ?? others.connectionWait,
            attempt: attempt ?? others.attempt
        )
    }

    /// The limits of a manager that apply to event streams, which may be silent and have no end.
    var forEventStreams: Timeouts {
        Timeouts(response: response, connect: connect, connectionWait: connectionWait, attempt: attempt)
    }

    /// Throws `unsupported` if there is a limit for connections. Only a transport that reports its connections can
    /// enforce it.
    func validateWithoutConnections() throws(LarkspurError) {
        guard connectionWait != nil || connect != nil else { return }
        throw LarkspurError(
            .unsupported,
            "The limits of time connectionWait and connect need the transport .curl: this one does not say when it has a "
                + "connection."
        )
    }

    /// Returns a request whose `timeoutInterval` is the idle limit, if there is one.
    func applied(to request: URLRequest) -> URLRequest {
        guard let idle else { return request }
        var request = request
        request.timeoutInterval = max(idle.timeInterval, 0.001)
        return request
    }
}
