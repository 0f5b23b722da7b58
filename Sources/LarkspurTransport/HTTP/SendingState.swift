#if canImport(FoundationNetworking)
/// The attempts to send one request: a value without I/O. If a reused connection turns out to be closed, libcurl sends
/// the request again.
struct SendingState: Sendable {
    enum Verdict: Equatable, Sendable {
        case send
        /// Nothing is sent on this connection. The request starts again on a new connection.
        case takeFreshConnection
        /// The request is not sent again: the server may have executed it.
        case fail
    }

    /// Whether a byte of the request may have been sent and no response has followed.
    private var mayHaveLeft = false
    private var isInterrupted = false
    /// Whether there was a connection on which sending began.
    private(set) var hasBegun = false
    /// Whether the server has reported that it did not process the last attempt.
    private(set) var isRefused = false

    /// Decides whether sending may begin.
    /// - Parameters:
    ///   - hasStaleConnection: Whether the connection was used before, and was then closed or has received bytes that
    ///     belong to no response.
    ///   - resend: Returns the decision whether the request may be sent again. Called only if a byte of the request may
    ///     have been sent.
    mutating func begin(hasStaleConnection: Bool, resend: () -> ResendDecision) -> Verdict {
        if mayHaveLeft, resend() == .fail { return .fail }
        if hasStaleConnection {
            isInterrupted = true
            return .takeFreshConnection
        }
        mayHaveLeft = true
        hasBegun = true
        isRefused = false
        return .send
    }

    /// Records that a response has begun. If the request is sent again later, the response is the reason.
    mutating func noteResponse() { mayHaveLeft = false }

    /// Records that the server has not processed the request (REFUSED_STREAM, or a GOAWAY with a lower stream
    /// identifier).
    mutating func noteRefusal() {
        mayHaveLeft = false
        isRefused = true
    }

    /// Returns whether the transfer was stopped because it needs another connection. The next call returns false.
    mutating func endInterruption() -> Bool {
        defer { isInterrupted = false }
        return isInterrupted
    }
}
#endif
