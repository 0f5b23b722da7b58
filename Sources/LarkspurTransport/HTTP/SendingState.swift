#if canImport(FoundationNetworking)
/// The sendings of one request: a value without I/O. libcurl repeats a sending if a reused connection turns out to be
/// closed.
struct SendingState: Sendable {
    enum Verdict: Equatable, Sendable {
        case send
        /// Nothing is sent on this connection, and the request starts again on another.
        case takeFreshConnection
        /// The request may have been executed, and is not sent again.
        case fail
    }

    /// Whether a byte of the request may have left without a byte of a response.
    private var mayHaveLeft = false
    private var isInterrupted = false
    /// Whether a connection was made on which the request was, or is, sent.
    private(set) var hasBegun = false

    /// Decides whether a sending may begin.
    /// - Parameters:
    ///   - hasStaleConnection: Whether the connection was used before, and has been closed or has received bytes that
    ///     belong to no response.
    ///   - resend: Returns the decision about a request that may have left; called only in that case.
    mutating func begin(hasStaleConnection: Bool, resend: () -> ResendDecision) -> Verdict {
        if mayHaveLeft, resend() == .fail { return .fail }
        if hasStaleConnection {
            isInterrupted = true
            return .takeFreshConnection
        }
        mayHaveLeft = true
        hasBegun = true
        return .send
    }

    /// Records bytes of a response: the server has requested any sending after them.
    mutating func noteResponse() { mayHaveLeft = false }

    /// Records that the server did not process the request (REFUSED_STREAM, or a GOAWAY with a lower stream
    /// identifier).
    mutating func noteRefusal() { mayHaveLeft = false }

    /// Whether the transfer was stopped to use another connection; true once.
    mutating func endInterruption() -> Bool {
        defer { isInterrupted = false }
        return isInterrupted
    }
}
#endif
