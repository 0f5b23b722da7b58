#if canImport(FoundationNetworking)
/// The state of reading from a WebSocket's connection. The engine does not read before the connection is used. It also
/// does not read while the consumer is too slow.
struct WebSocketIntake {
    /// Whether reading is paused.
    private(set) var isPaused = false
    /// Whether the connection is open but not used yet, because the connector is still checking the response.
    private(set) var isHeld = false
    /// Whether no more messages may be buffered, because too many messages wait for the consumer.
    private(set) var isFull = false
    /// The bytes that arrived together with the response. They are stored until the connection is used.
    private var early: [UInt8] = []

    /// Records that the connection is not used yet.
    mutating func hold() {
        isHeld = true
        isPaused = true
    }

    /// Records that the connection is used. Returns false if it was already used.
    mutating func release() -> Bool {
        defer { isHeld = false }
        return isHeld
    }

    /// Stores bytes until the connection is used.
    mutating func keep(_ bytes: Slice<UnsafeRawBufferPointer>) { early += bytes }

    /// Takes the stored bytes.
    mutating func takeKept() -> [UInt8] { exchange(&early, with: []) }

    /// Records whether more messages can be buffered. While the server's close frame is expected, reading always
    /// continues.
    mutating func note(isFull: Bool, isClosing: Bool = false) {
        self.isFull = isFull
        isPaused = isFull && !isClosing
    }

    /// Continues to read because the connection is about to end, even if messages wait for the consumer.
    mutating func readOn() { isPaused = false }
}
#endif
