internal import HTTPSyntax

/// One thing that has happened in a call: from its creation over its attempts, redirects, challenges and retries to its
/// completion, or in a WebSocket.
///
/// A ``CallObserver`` gets the events of all calls of a session manager (``SessionManager/observers``) or those of one
/// (``SessionTask/observe(_:_:)``). Which of the properties below are set depends on the ``kind``; the others are nil.
public struct CallEvent: Sendable {
    /// The further facts of an event, by its kind. It is behind a reference, as an event is copied on its way.
    indirect enum Detail: Sendable {
        case none
        case request(URLRequest?)
        case redirect(HTTPURLResponse, URLRequest?)
        case challenge(CallEvent.Challenge)
        case response(URLResponse)
        case bytes(count: Int64, total: Int64)
        case transaction(TransferMetrics)
        case retry(delay: Duration?, reason: String)
        case attemptEnd(TransferResult)
        case completion(TaskCompletion, TransferResult)
        case message(size: Int, isText: Bool)
        case webSocket(URLRequest, URLResponse?, reason: String?)
    }

    /// A request for credentials.
    public struct Challenge: Sendable, Hashable {
        /// The kind of credentials, one of Foundation's `NSURLAuthenticationMethod…` constants.
        public let authenticationMethod: String
        /// The host that asks.
        public let host: String
        /// The realm that the server names; nil if there is none.
        public let realm: String?
        /// The number of credentials that were refused before.
        public let previousFailureCount: Int
    }

    /// The kind of the event.
    public let kind: Kind
    /// The time of the event on the clock of dates.
    public let date = Date()
    /// The time of the event on a clock that never goes back, for durations.
    public let instant = ContinuousClock.now
    /// The task of the call; nil for the events of a WebSocket, which has none.
    public let task: SessionTask?
    /// The number of the attempt that the event belongs to, from 1; 0 before the first one.
    public let attempt: Int

    let detail: Detail
    let identity: CallIdentity

    /// The identifier of the call, which is random and the same for all its events. It is
    /// ``RequestContext/callID`` too, and the trace identifier of ``TraceContext``.
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
    /// The request: of `created` the one that the call was made with, of `attemptStarted` the one that interceptors
    /// have made of it, of `redirected` the one that follows, of `transactionEnded`, `attemptEnded` and `completed` the
    /// one that was sent last.
    ///
    /// Of `redirected` it is nil if the redirect is not followed.
    public var request: URLRequest? {
        switch detail {
        case .request(let request), .redirect(_, let request): request
        case .transaction(let metrics): metrics.request
        case .attemptEnd(let result), .completion(_, let result): result.request
        case .webSocket(let request, _, _): request
        default: nil
        }
    }

    /// The response: of `redirected`, `responseReceived`, `transactionEnded`, `attemptEnded`, `completed` and
    /// `webSocketOpened`.
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

    /// The error of `attemptEnded` and `completed`; nil if there was none.
    ///
    /// An attempt ends with an error only if it has no response. A call may fail also because its response is not
    /// acceptable or cannot be parsed.
    public var error: LarkspurError? {
        switch detail {
        case .attemptEnd(let result): result.error
        case .completion(let completion, _): completion.error
        default: nil
        }
    }

    /// The end of the task, of `completed`.
    public var completion: TaskCompletion? {
        if case .completion(let completion, _) = detail { completion } else { nil }
    }

    /// The durations, sizes and addresses of one request and its response, and the source of the response, of
    /// `transactionEnded`.
    public var transaction: TransferMetrics? {
        if case .transaction(let metrics) = detail { metrics } else { nil }
    }

    /// The request for credentials, of `challenged`.
    public var challenge: Challenge? {
        if case .challenge(let challenge) = detail { challenge } else { nil }
    }

    /// The number of bytes of content, of `contentSent` and `contentReceived` since the event of the same kind before
    /// it, and of the messages of a WebSocket.
    public var byteCount: Int64? {
        switch detail {
        case .bytes(let count, _): count
        case .message(let size, _): Int64(size)
        default: nil
        }
    }

    /// The number of bytes of content that all of the attempt's events of this kind have reported, of `contentSent` and
    /// `contentReceived`.
    public var totalByteCount: Int64? {
        if case .bytes(_, let total) = detail { total } else { nil }
    }

    /// Whether a message of a WebSocket is text.
    public var isText: Bool? {
        if case .message(_, let isText) = detail { isText } else { nil }
    }

    /// The time until the next attempt, of `retryScheduled`.
    public var delay: Duration? {
        if case .retry(let delay, _) = detail { delay } else { nil }
    }

    /// The reason in words: of `retryScheduled` the failure, of `coalesced` the rule, of `webSocketClosed` the end.
    public var reason: String? {
        switch detail {
        case .retry(_, let reason): reason
        case .webSocket(_, _, let reason): reason
        default: nil
        }
    }

    /// Returns the event that stands for this one and one of the same kind directly after it; nil if both are needed.
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
        if let transaction { parts.append("from \(transaction.source) in \(transaction.end)") }
        if let use = transaction?.cacheUse { parts.append("cache: \(use)") }
        if let challenge { parts.append("by \(challenge.host)") }
        if let byteCount { parts.append("\(byteCount) bytes") }
        if let delay { parts.append("in \(delay)") }
        if let reason { parts.append("because \(reason)") }
        if let error { parts.append("\(error.code.label)") }
        return parts.joined(separator: ", ")
    }
}
