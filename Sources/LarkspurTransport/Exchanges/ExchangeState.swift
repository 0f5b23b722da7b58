#if canImport(FoundationNetworking)
/// The two timers of a task. One limits the time without a byte, the other limits the duration of the whole task.
struct TaskTimers {
    private let resourceDeadline: LoopTime
    private let resourceTimeout: TimeInterval
    /// The limit of the time without a byte, in seconds.
    var idleTimeout: TimeInterval
    private var lastActivity: LoopTime

    /// - Parameters:
    ///   - start: The start of the timer for the whole task.
    ///   - resourceTimeout: The limit for the whole task, in seconds.
    ///   - idleTimeout: The limit of the time without a byte, in seconds.
    init(now: LoopTime, start: LoopTime, resourceTimeout: TimeInterval, idleTimeout: TimeInterval) {
        lastActivity = now
        self.resourceTimeout = resourceTimeout
        resourceDeadline = start.adding(resourceTimeout)
        self.idleTimeout = idleTimeout
    }

    /// Records that a byte was sent or received.
    mutating func touch(at now: LoopTime) { lastActivity = now }

    /// Returns the time at which the task fails if no byte is transferred.
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

/// The data about a task's earlier requests that affects its next requests.
struct TaskHistory {
    private(set) var redirects = 0
    /// Whether a byte of a request may have been sent.
    private(set) var hasSent = false
    /// Whether a request may be sent without the engine's knowledge: by a `URLProtocol`, or by libcurl before 7.80.
    private(set) var hasUnseenSending = false
    /// The credentials of the task; nil until one is known for a request, or demanded by a response.
    @Boxed var authentication: AuthenticationState?
    /// Whether stored responses are ignored, because a 304 did not match the stored response.
    var ignoresCache = false
    /// Whether a request with long content may have `Expect: 100-continue`. False after a 417.
    var mayExpectContinue = true
    /// The number of times that the engine has sent a request again without a response.
    private(set) var repetitions = 0
    /// Whether the next transfer has to make a new connection.
    var needsNewConnection = false
    /// Whether a task that opens a connection in advance has opened it, and got a response on it.
    var hasOpenedConnection = false
    /// Whether the task has left a connection because of its age. It leaves only one: if a handshake takes as long as
    /// the maximum age, each shared connection would be too old.
    var hasLeftAgedConnection = false
    /// Whether the next transfer has to use HTTP/1.1, because the server requires it.
    var needsHTTP1 = false
    /// The task's first request with the scheme https, if HSTS requires https; nil otherwise.
    @Boxed var securedRequest: URLRequest?

    /// Records that libcurl begins to send a request.
    mutating func noteSending() { hasSent = true }

    /// Records that the engine does not see whether a request is sent.
    mutating func noteUnseenSending() { hasUnseenSending = true }

    /// Returns an error with the knowledge whether a request was sent (``RequestSending``).
    func noted(in error: URLError) -> URLError {
        guard hasSent || !hasUnseenSending else { return error }
        return URLError(error.code, userInfo: error.userInfo.merging([RequestSending.userInfoKey: hasSent]) { $1 })
    }

    /// Returns the failure of a task that has reached the limit of redirects; nil for other tasks.
    func excessOfRedirects(over limit: Int, at url: URL?) -> URLError? {
        guard redirects >= limit else { return nil }
        return .engine(
            .httpTooManyRedirects,
            limit > 0 ? "More than \(limit) redirects followed one another." : "The session follows no redirects.",
            url: url
        )
    }

    mutating func noteRedirect() { redirects += 1 }

    /// The maximum number of times that the engine sends a request again without a response. libcurl has the same
    /// limit.
    static let repetitionLimit = 5

    var mayRepeat: Bool { repetitions < Self.repetitionLimit }

    /// Records that the request is sent again, on a new connection.
    mutating func noteRepetition(overHTTP1: Bool) {
        repetitions += 1
        needsNewConnection = true
        needsHTTP1 = overHTTP1
    }
}

/// A request of an exchange: the parts of its URL, and the state that ends with it.
struct CurrentRequest {
    var request: URLRequest
    let destination: Destination
    /// The addresses that the session's resolver has found; nil before the look-up, and without a resolver.
    @Boxed var resolved: HostAddress?
    /// The state of the cache; nil if the cache is not used for the request.
    var caching: CacheState?
    /// The loading of the request by a `URLProtocol` class of the caller; nil if there is none.
    var loading: ProtocolLoading?
}
#endif
