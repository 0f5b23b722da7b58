#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The attempts to send one request. It is a value without I/O. libcurl sends the request again in two cases: a reused
/// connection was closed, or the server has not processed the request.
struct SendingState: Sendable {
    enum Verdict: Equatable, Sendable {
        case send
        /// The request is sent with its content from the beginning. Before, content was taken without a response.
        case sendFromBeginning
        /// Nothing is sent on this connection. The request begins again on a new connection.
        case takeFreshConnection
        /// libcurl must not send the content again, so the engine sends the request again with another transfer.
        case leaveToEngine
        /// The request is not sent again, because the server may have processed it.
        case fail
    }

    /// The outcome of the last attempt.
    private enum Course: Sendable {
        case notBegun
        /// A byte of the request may have been sent, and no response has followed.
        case unanswered
        /// The server has reported that it did not process the request.
        case refused
        /// A response has begun. If the request is sent again, the reason is in the response.
        case answered
    }

    private var course = Course.notBegun
    private var isInterrupted = false
    private var hasTakenContent = false
    /// Whether the request has to be sent again with its content from the beginning, which only the engine may do.
    private(set) var isLeftToEngine = false
    /// Whether the server has reported that it accepts the request only over HTTP/1.1.
    private(set) var needsHTTP1 = false

    /// Whether sending has begun on a connection.
    var hasBegun: Bool { course != .notBegun }

    /// Whether a byte of the request may have been sent, and no response has followed.
    var isUnanswered: Bool { course == .unanswered }

    /// Whether the server has reported that it did not process the last attempt.
    var isRefused: Bool { course == .refused }

    /// Decides whether sending may begin.
    /// - Parameters:
    ///   - hasStaleConnection: Whether the connection was used before, and was then closed or has received bytes that
    ///     do not belong to a response.
    ///   - takesContent: Whether libcurl takes content from the engine. If it does, libcurl must not repeat the request
    ///     automatically: some versions continue in the middle of the content, or with the state of the last attempt.
    ///   - resend: Returns the decision whether the request may be sent again. Called only if a byte of the request may
    ///     have been sent.
    mutating func begin(hasStaleConnection: Bool, takesContent: Bool, resend: () -> ResendDecision) -> Verdict {
        if course == .unanswered, resend() == .fail { return .fail }
        if takesContent, course == .unanswered || course == .refused {
            isLeftToEngine = true
            return .leaveToEngine
        }
        if hasStaleConnection {
            isInterrupted = true
            return .takeFreshConnection
        }
        course = .unanswered
        defer { hasTakenContent = false }
        return hasTakenContent ? .sendFromBeginning : .send
    }

    /// Records that libcurl has taken a part of the content, or its end.
    mutating func noteContent() { hasTakenContent = true }

    /// Decides whether libcurl may take the content again from the beginning, after libcurl has requested this.
    /// - Parameter canRepeat: Whether the source of the content can go back.
    mutating func mayRepeatContent(canRepeat: Bool) -> Bool {
        guard hasTakenContent, !canRepeat else { return true }
        isLeftToEngine = true
        return false
    }

    /// Records that a response has begun.
    mutating func noteResponse() { course = .answered }

    /// Records that the server has not processed the request (REFUSED_STREAM, or a GOAWAY with a lower stream
    /// identifier).
    /// - Parameter needsHTTP1: Whether the server accepts the request only over HTTP/1.1. Default: false.
    mutating func noteRefusal(needsHTTP1: Bool = false) {
        course = .refused
        self.needsHTTP1 = self.needsHTTP1 || needsHTTP1
    }

    /// Returns whether the transfer was stopped because it needs a new connection. The next call returns false.
    mutating func endInterruption() -> Bool {
        defer { isInterrupted = false }
        return isInterrupted
    }
}

/// The decision whether a request may be sent again after an attempt without a response (RFC 9110, section 9.2.2). It
/// is a value without I/O.
///
/// The decision is not used after a response such as a redirect or a challenge, because such a response determines the
/// next step.
enum ResendDecision: Equatable, Sendable {
    case resend
    /// The request is not sent again, because the server may have processed it.
    case fail

    /// The outcome of the previous attempt.
    enum Attempt: Sendable, CaseIterable {
        /// No byte of the request has left this machine.
        case notSent
        /// The server has reported that it did not process the request. It has sent REFUSED_STREAM, or a GOAWAY with a
        /// lower stream identifier.
        case notProcessed
        /// A byte of the request may have been sent. It is not known whether the server has processed the request.
        case lost
    }

    /// - Parameters:
    ///   - request: The request, with its own fields.
    ///   - additionalFields: The fields that the session adds.
    ///   - attempt: The outcome of the previous attempt.
    ///   - isAllowed: Whether the caller permits requests to be sent again even if their method is not idempotent.
    init(_ request: URLRequest, additionalFields: [String: String], after attempt: Attempt, isAllowed: Bool) {
        let mayBeRepeated =
            isAllowed || MethodProperties(request.httpMethod ?? "GET").isIdempotent
            || Self.keyNames.contains { name in
                request.value(forHTTPHeaderField: name) != nil
                    || additionalFields.contains { $0.key.hasSameLetters(as: name) }
            }
        self = attempt != .lost || mayBeRepeated ? .resend : .fail
    }

    /// The fields by which a server recognizes a request that it has already executed.
    private static let keyNames = ["Idempotency-Key", "X-Idempotency-Key"]

    /// Returns the error of a request that is not sent again.
    static func error(for request: URLRequest, underlying: NSError? = nil) -> URLError {
        .engine(
            .networkConnectionLost,
            "The connection was lost before a response, and the server may have executed the request. The method \(request.httpMethod ?? "GET") is sent again only if it has an Idempotency-Key field or the option resendsNonIdempotentRequests allows it.",
            url: request.url,
            underlying: underlying
        )
    }
}
#endif
