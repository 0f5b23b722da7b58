#if canImport(FoundationNetworking)
/// Whether the connection of a WebSocket is read: not before it is used, nor while the consumer is too slow.
struct WebSocketIntake {
    /// Whether reading is paused.
    private(set) var isPaused = false
    /// Whether the connection is open but not used yet, as the connector still has the response.
    private(set) var isHeld = false
    /// Whether the largest number of messages waits for the consumer.
    private(set) var isFull = false
    /// The bytes that came with the response, until the connection is used.
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

    /// Records whether there is room for messages. While the server's close frame is expected, reading continues in any
    /// case.
    mutating func note(isFull: Bool, isClosing: Bool = false) {
        self.isFull = isFull
        isPaused = isFull && !isClosing
    }

    /// Continues reading, even if messages wait for the consumer: the connection is about to end.
    mutating func readOn() { isPaused = false }
}
#endif
