#if canImport(FoundationNetworking)
/// The closing of a WebSocket, by either side.
struct WebSocketClosing {
    /// The time at which the connection is closed although the server has not sent its close frame.
    private(set) var deadline = LoopTime.distantFuture
    /// Whether a close frame was sent. After it, no messages are sent.
    private(set) var hasBegun = false
    /// The other side's close frame; nil until it has arrived.
    var closure: WebSocketTask.Closure?
    /// The failure of the other side. It is reported when the connection is closed.
    var failure: (any Error)?
    private var waiting: [WebSocketChannel.Answer] = []

    /// Records that a close frame is sent. Returns false if one was sent before.
    mutating func begin(until deadline: LoopTime) -> Bool {
        guard !hasBegun else { return false }
        hasBegun = true
        self.deadline = deadline
        return true
    }

    /// Adds a caller that waits until the connection is closed.
    mutating func add(_ answer: @escaping WebSocketChannel.Answer) { waiting.append(answer) }

    /// Calls the waiting callers' completions: the connection is closed.
    mutating func finish() {
        for answer in exchange(&waiting, with: []) { answer(.success(())) }
    }

    /// The end of the connection that a side has caused; nil if neither has.
    var end: WebSocketEnd? { failure.map { .failed($0) } ?? closure.map { .closed($0) } }
}
#endif
