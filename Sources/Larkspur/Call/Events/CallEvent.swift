internal import HTTPSyntax

/// An event of a call or a WebSocket. Examples are the creation of a call, an attempt, a redirect, a challenge, a
/// retry, and the completion.
///
/// A ``CallObserver`` gets the events of all calls of a session manager (``SessionManager/observers``) or the events of
/// one call (``SessionTask/observe(_:_:)``). The ``kind`` determines which of the properties below have a value; the
/// others are nil.
public struct CallEvent: Sendable {
    /// The facts that depend on the kind of the event. They are stored indirectly, because an event is copied on its
    /// way to the observers.
    indirect enum Detail: Sendable {
        case none
        case request(URLRequest?)
        case redirect(HTTPURLResponse, URLRequest?)
        case challenge(CallEvent.Challenge)
        case response(URLResponse)
        case bytes(count: Int64, total: Int64)
        case transaction(TransactionMetrics)
        case wait(ConnectionWait)
        case retry(delay: Duration?, reason: String)
        case limit(InterceptorLimit, reason: String)
        case attemptEnd(TransferResult)
        case completion(TaskCompletion, TransferResult)
        case message(size: Int, isText: Bool)
        case webSocket(URLRequest, URLResponse?, reason: String?)
    }

    /// An authentication challenge, which requests credentials.
    public struct Challenge: Sendable, Hashable {
        /// The kind of credentials, one of Foundation's `NSURLAuthenticationMethod…` constants.
        public let authenticationMethod: String
        /// The host that requires the credentials.
        public let host: String
        /// The realm that the server names; nil if there is none.
        public let realm: String?
        /// The number of credentials that were refused before.
        public let previousFailureCount: Int
    }

    /// The kind of the event.
    public let kind: Kind
    /// The time of the event as a date.
    public let date = Date()
    /// The time of the event on a clock that never goes back, for measuring durations.
    public let instant = ContinuousClock.now
    /// The task of the call; nil for the events of a WebSocket, which has no task.
    public let task: SessionTask?
    /// The number of the attempt that the event belongs to, from 1; 0 before the first attempt.
    public let attempt: Int

    let detail: Detail
    let identity: CallIdentity

    /// The identifier of the call, which is random and the same for all its events. ``RequestContext/callID`` and the
    /// trace identifier of `.traceContext()` are equal to it.
    public var callID: UUID { identity.id }

    init(_ kind: Kind, of task: SessionTask?, attempt: Int, _ detail: Detail, _ identity: CallIdentity) {
        self.kind = kind
        self.task = task
        self.attempt = attempt
        self.detail = detail
        self.identity = identity
    }
}

// MARK: - Facts

extension CallEvent {
    /// The request of an event of one of these kinds; nil for other kinds:
    /// - `created`: the request that the call was made with.
    /// - `attemptStarted`: the request that the interceptors have passed on.
    /// - `redirected`: the request that follows the redirect; nil if the redirect is not followed.
    /// - `transactionEnded`: the request of the transaction.
    /// - `attemptEnded` and `completed`: the request that was sent last.
    /// - `webSocketOpened` and `webSocketClosed`: the request of the handshake.
    public var request: URLRequest? {
        switch detail {
        case .request(let request), .redirect(_, let request): request
        case .transaction(let metrics): metrics.request
        case .attemptEnd(let result), .completion(_, let result): result.request
        case .webSocket(let request, _, _): request
        default: nil
        }
    }

    /// The response, for `redirected`, `interimResponse`, `responseReceived`, `transactionEnded`, `attemptEnded`,
    /// `completed` and `webSocketOpened`.
    public var response: URLResponse? {
        switch detail {
        case .redirect(let response, _): response
        case .response(let response): response
        case .transaction(let metrics): metrics.response
        case .attemptEnd(let result), .completion(_, let result): result.response
        case .webSocket(_, let response, _): response
        default: nil
        }
    }

    /// The response, if it is an HTTP response.
    public var httpResponse: HTTPURLResponse? { response as? HTTPURLResponse }

    /// The error, for `attemptEnded` and `completed`; nil if there was none.
    ///
    /// An attempt ends with an error only if it has no response. A call may also fail because its response is not
    /// acceptable or cannot be parsed.
    public var error: LarkspurError? {
        switch detail {
        case .attemptEnd(let result): result.error
        case .completion(let completion, _): completion.error
        default: nil
        }
    }

    /// The end of the task, for `completed`.
    public var completion: TaskCompletion? {
        if case .completion(let completion, _) = detail { completion } else { nil }
    }

    /// The durations, sizes and addresses of one request and its response, and the source of the response, for
    /// `transactionEnded`.
    public var transaction: TransactionMetrics? {
        if case .transaction(let metrics) = detail { metrics } else { nil }
    }

    /// The authentication challenge, for `challenged`.
    public var challenge: Challenge? {
        if case .challenge(let challenge) = detail { challenge } else { nil }
    }

    /// The number of bytes. For `contentSent` and `contentReceived`, it is the size of the content since the previous
    /// event of the same kind. For `webSocketSent` and `webSocketReceived`, it is the size of the message.
    public var byteCount: Int64? {
        switch detail {
        case .bytes(let count, _): count
        case .message(let size, _): Int64(size)
        default: nil
        }
    }

    /// The number of bytes of content that the attempt has sent or received so far, for `contentSent` and
    /// `contentReceived`.
    public var totalByteCount: Int64? {
        if case .bytes(_, let total) = detail { total } else { nil }
    }

    /// Whether a message is text, for `webSocketSent` and `webSocketReceived`.
    public var isText: Bool? {
        if case .message(_, let isText) = detail { isText } else { nil }
    }

    /// The delay before the next attempt, for `retryScheduled`.
    public var delay: Duration? {
        if case .retry(let delay, _) = detail { delay } else { nil }
    }

    /// The requests that have the connections for which the call waits, for `waitingForConnection`; the oldest first.
    public var connectionHolders: [URLRequest]? {
        if case .wait(let wait) = detail { wait.holders.map(\.request) } else { nil }
    }

    /// The limit that was reached, for `limitReached`.
    public var limit: InterceptorLimit? {
        if case .limit(let limit, _) = detail { limit } else { nil }
    }

    /// The reason in words. For `retryScheduled` it is the failure, for `coalesced` the rule, for `limitReached` the
    /// limit, for `sharedStoreFailed` the failure of the store, for `waitingForConnection` the limit and the requests
    /// that have the connections, and for `webSocketClosed` the end of the WebSocket.
    public var reason: String? {
        switch detail {
        case .retry(_, let reason), .limit(_, let reason): reason
        case .wait(let wait): wait.reason
        case .webSocket(_, _, let reason): reason
        default: nil
        }
    }

    /// Returns an event that replaces this event and the event directly after it; nil if both are needed.
    func merged(with next: CallEvent) -> CallEvent? {
        guard kind == next.kind, attempt == next.attempt, case .bytes(let count, _) = detail,
            case .bytes(let more, let total) = next.detail
        else { return nil }
        return CallEvent(kind, of: task, attempt: attempt, .bytes(count: count + more, total: total), identity)
    }
}

extension CallEvent: CustomStringConvertible {
    /// The kind and the facts in one line, without secrets.
    public var description: String {
        var parts = ["\(kind)"]
        if attempt > 1 { parts.append("attempt \(attempt)") }
        if let request, let url = request.url {
            parts.append("\(request.httpMethod ?? "GET") \(Redaction.standard.text(of: url).onOneLine)")
        }
        if let status = httpResponse?.statusCode { parts.append("status \(status)") }
        if let transaction { parts.append("from \(transaction.source) in \(transaction.responseEnd)") }
        if let use = transaction?.cacheUse { parts.append("cache: \(use)") }
        if let challenge { parts.append("by \(challenge.host)") }
        if let byteCount { parts.append("\(byteCount) bytes") }
        if let delay { parts.append("in \(delay)") }
        if let limit { parts.append("\(limit)") }
        if let reason { parts.append("because \(reason)") }
        if let error { parts.append("\(error.code.label)") }
        return parts.joined(separator: ", ")
    }
}
