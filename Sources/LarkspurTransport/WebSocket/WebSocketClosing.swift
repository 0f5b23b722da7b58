#if canImport(FoundationNetworking)
/// The closing of a WebSocket, by either side.
struct WebSocketClosing {
    /// The time at which the connection is closed without an answer.
    private(set) var deadline = LoopTime.distantFuture
    /// Whether a close frame was sent, after which no message is.
    private(set) var hasBegun = false
    /// The close frame of the other side.
    var closure: WebSocketTask.Closure?
    /// The failure of the other side, which is reported when the connection is closed.
    var failure: (any Error)?
    private var waiting: [WebSocketChannel.Answer] = []

    /// Records that a close frame is sent; false if one was.
    mutating func begin(until deadline: LoopTime) -> Bool {
        guard !hasBegun else { return false }
        hasBegun = true
        self.deadline = deadline
        return true
    }

    /// Adds a caller who waits until the connection is closed.
    mutating func add(_ answer: @escaping WebSocketChannel.Answer) { waiting.append(answer) }

    /// Answers those who wait: the connection is closed.
    mutating func finish() {
        for answer in exchange(&waiting, with: []) { answer(.success(())) }
    }

    /// The end of the connection, as one of the sides has brought it about; nil if none has.
    var end: WebSocketEnd? { failure.map { .failed($0) } ?? closure.map { .closed($0) } }
}
#endif
