#if canImport(FoundationNetworking)
/// Whether a WebSocket's connection is read: not before it is in use, nor while the consumer is too slow.
struct WebSocketIntake {
    /// Whether nothing is read for now.
    private(set) var isPaused = false
    /// Whether the connection is open, but not in use: the response is still with the connector.
    private(set) var isHeld = false
    /// Whether as many messages wait for the consumer as may.
    private(set) var isFull = false
    /// The bytes that came with the response, while the connection is not in use.
    private var early: [UInt8] = []

    /// Records that the connection is not in use yet.
    mutating func hold() {
        isHeld = true
        isPaused = true
    }

    /// Records that the connection is in use; false if it was.
    mutating func release() -> Bool {
        defer { isHeld = false }
        return isHeld
    }

    /// Keeps bytes until the connection is in use.
    mutating func keep(_ bytes: Slice<UnsafeRawBufferPointer>) { early += bytes }

    /// Takes the bytes that were kept.
    mutating func takeKept() -> [UInt8] { exchange(&early, with: []) }

    /// Records whether there is room for messages. While the server's close frame is awaited, reading continues all the
    /// same.
    mutating func note(isFull: Bool, isClosing: Bool = false) {
        self.isFull = isFull
        isPaused = isFull && !isClosing
    }

    /// Reads on, whatever waits for the consumer: the connection is about to end.
    mutating func readOn() { isPaused = false }
}
#endif
