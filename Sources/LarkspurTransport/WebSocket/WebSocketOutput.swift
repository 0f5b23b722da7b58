#if canImport(FoundationNetworking)
/// The bytes that a WebSocket sends, in items. Each item is a frame or the request of the handshake.
///
/// An item is sent from the array into which it was written. TLS requires that a write is repeated with the same bytes
/// at the same address. So the array is not moved until all of its bytes are sent.
struct WebSocketOutput {
    private struct Item {
        let bytes: [UInt8]
        let answer: WebSocketChannel.Completion?
    }

    /// The item that is being sent. It remains here until all of its bytes are sent.
    private var current: Item?
    /// The number of the current item's bytes that were sent.
    private var sentBytes = 0
    /// The latest pong, if the engine has not begun to send it.
    private var pong: [UInt8]?
    /// The items to send after the current item and the pong.
    private var items = Line<Item>()
    /// Whether the socket accepts no more bytes at the moment.
    private(set) var isBlocked = false
    /// libcurl's result code for the failure of the connection; nil if the connection has not failed.
    private(set) var failure: Int32?

    /// Adds an item.
    /// - Parameter answer: Called when the whole item was sent, or when it can no longer be sent.
    mutating func append(_ bytes: [UInt8], _ answer: WebSocketChannel.Completion? = nil) {
        items.append(Item(bytes: bytes, answer: answer))
    }

    /// Adds a pong before the items that the engine has not begun to send. It replaces an earlier waiting pong, because
    /// only the latest ping needs a pong (RFC 6455, section 5.5.3). If all pongs were stored, a server that sends pings
    /// but never reads could fill the memory.
    mutating func setPong(_ bytes: [UInt8]) { pong = bytes }

    /// Records that the socket accepts bytes again.
    mutating func unblock() { isBlocked = false }

    /// Sends as many bytes as the connection accepts. Stops if the connection fails.
    /// - Parameter write: Sends all of the given bytes, or only the first of them.
    mutating func send(by write: (UnsafeRawBufferPointer) -> EasyHandle.ByteResult) {
        while !isBlocked, failure == nil, let item = current ?? takeNext() {
            current = item
            switch item.bytes.withUnsafeBytes({ write(UnsafeRawBufferPointer(rebasing: $0[sentBytes...])) }) {
            case .notReady: isBlocked = true
            case .failed(let result): failure = result
            case .bytes(let count):
                sentBytes += count
                guard sentBytes == item.bytes.count else { break }
                current = nil
                sentBytes = 0
                item.answer?(.success(()))
            }
        }
    }

    private mutating func takeNext() -> Item? {
        if let bytes = pong.take() { return Item(bytes: bytes, answer: nil) }
        return items.take()
    }

    /// Discards the items that were not sent.
    mutating func fail(with error: any Error) {
        let current = current
        var rest = items
        self = WebSocketOutput()
        current?.answer?(.failure(error))
        while let item = rest.take() { item.answer?(.failure(error)) }
    }
}
#endif
