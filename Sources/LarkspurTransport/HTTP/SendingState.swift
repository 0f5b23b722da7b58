#if canImport(FoundationNetworking)
/// The sendings of one request, of which libcurl makes another where a connection that was kept turns out to be dead: a
/// value without I/O.
struct SendingState: Sendable {
    enum Verdict: Equatable, Sendable {
        case send
        /// Nothing is sent on this connection, and the request begins anew on another.
        case takeFreshConnection
        /// The request may have been executed, and is not sent again.
        case fail
    }

    /// Whether a byte of the request may have left without a byte of a response.
    private var mayHaveLeft = false
    private var isInterrupted = false

    /// Decides about a sending before it begins.
    /// - Parameters:
    ///   - hasStaleConnection: Whether the connection was kept from before, and has been closed or has brought bytes
    ///     that belong to no response.
    ///   - resend: The decision about a request that may have left; made only if that is so.
    mutating func begin(hasStaleConnection: Bool, resend: () -> ResendDecision) -> Verdict {
        if mayHaveLeft, resend() == .fail { return .fail }
        if hasStaleConnection {
            isInterrupted = true
            return .takeFreshConnection
        }
        mayHaveLeft = true
        return .send
    }

    /// Takes note of bytes of a response: whatever is sent after them is what the server has asked for.
    mutating func noteResponse() { mayHaveLeft = false }

    /// Takes note that the server did not process the request (REFUSED_STREAM, or a GOAWAY with a lower stream
    /// identifier).
    mutating func noteRefusal() { mayHaveLeft = false }

    /// Whether the transfer was stopped to have another connection; true once.
    mutating func endInterruption() -> Bool {
        defer { isInterrupted = false }
        return isInterrupted
    }
}
#endif
