#if canImport(FoundationNetworking)
/// The closing of a WebSocket, by either side.
struct WebSocketClosing {
    /// The time at which the connection is closed even if the server has not sent its close frame.
    private(set) var deadline = LoopTime.distantFuture
    /// Whether a close frame was sent. No messages are sent after a close frame.
    private(set) var hasBegun = false
    /// The other side's close frame; nil until it has arrived.
    var closeFrame: WebSocketTask.CloseFrame?
    /// The error if the server has violated the protocol or exceeded a limit; otherwise nil. The channel gets the error
    /// immediately, before the connection is closed.
    var failure: (any Error)?
    private var waiting: [WebSocketChannel.Completion] = []

    /// Records that a close frame is sent. Returns false if a close frame was already sent.
    mutating func begin(until deadline: LoopTime) -> Bool {
        guard !hasBegun else { return false }
        hasBegun = true
        self.deadline = deadline
        return true
    }

    /// Adds a caller that waits until the connection is closed.
    mutating func add(_ answer: @escaping WebSocketChannel.Completion) { waiting.append(answer) }

    /// Calls the completions of the waiting callers, because the connection has been closed.
    mutating func finish() {
        for answer in exchange(&waiting, with: []) { answer(.success(())) }
    }

    /// The end of the connection if the other side has caused it; otherwise nil.
    var end: WebSocketEnd? { failure.map { .failed($0) } ?? closeFrame.map { .closed($0) } }
}
#endif
