#if canImport(FoundationNetworking)
internal import CCodings
internal import HTTPSyntax

/// The compression of WebSocket messages with the extension permessage-deflate (RFC 7692).
enum MessageCompression {
    /// Whether the process has zlib, so that the extension can be offered.
    static var isAvailable: Bool { message_streams_are_available() }

    /// The last bytes of every compressed message, which are not sent (RFC 7692, section 7.2.1).
    fileprivate static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    /// The compressed form of an empty message (RFC 7692, section 7.2.3.6).
    fileprivate static let emptyMessage: UInt8 = 0x00
    /// The size of the output chunks in bytes. Decompression may exceed its limit by this number.
    fileprivate static let chunkSize = 1 << 14

    /// Creates the decompressor of the messages that a side receives.
    static func inflater(_ agreed: PerMessageDeflate, role: WebSocketRole) -> MessageInflater {
        let sender: WebSocketRole = role == .client ? .server : .client
        return MessageInflater(
            // If a server has agreed to a window of 8 bits, it may use 9 bits, because zlib does not support 8.
            windowBits: max(9, agreed.windowBits(sender)),
            resetsContext: agreed.hasNoContextTakeover(sender)
        )
    }

    /// Creates the compressor of the messages that a side sends. zlib cannot compress with a window of 8 bits. If the
    /// agreed window has 8 bits, the result is nil, and messages are sent uncompressed, which the extension permits.
    static func deflater(_ agreed: PerMessageDeflate, role: WebSocketRole) -> MessageDeflater? {
        guard agreed.windowBits(role) >= 9 else { return nil }
        return MessageDeflater(
            windowBits: agreed.windowBits(role),
            resetsContext: agreed.hasNoContextTakeover(role)
        )
    }
}

/// A decompressor of the messages of one connection.
///
/// Its memory, at most 48 KiB, is allocated for the first compressed message. It may be used by only one thread at a
/// time.
final class MessageInflater: WebSocketInflating {
    private let stream: MessageStream

    init(windowBits: Int, resetsContext: Bool) {
        stream = MessageStream(message_inflating, windowBits: windowBits, resetsContext: resetsContext)
    }

    func inflate(
        _ bytes: UnsafeRawBufferPointer,
        isLast: Bool,
        into output: inout [UInt8],
        limit: Int
    ) throws(WebSocketFailure) {
        try run(bytes, &output, limit)
        guard isLast else { return }
        let count = output.count
        let result = MessageCompression.tail.withUnsafeBytes { tail in
            Result { () throws(WebSocketFailure) in try run(tail, &output, limit) }
        }
        try result.get()
        // The tail is an empty block. If the message is complete, the input now ends between two blocks. If the message
        // is incomplete, the tail was read as data of the last block.
        guard stream.isBetweenBlocks, output.count == count else {
            throw WebSocketFailure(
                closeCode: WebSocketCloseCode.invalidFramePayloadData,
                sentence: "A compressed message ends in the middle of its data."
            )
        }
        if !stream.finishMessage() { throw .malformed }
    }

    private func run(
        _ bytes: UnsafeRawBufferPointer,
        _ output: inout [UInt8],
        _ limit: Int
    ) throws(WebSocketFailure) {
        var isTooBig = false
        let isComplete = stream.run(bytes) { chunk in
            output.append(contentsOf: chunk)
            isTooBig = output.count > limit
            return !isTooBig
        }
        if isTooBig { throw .tooBig("A compressed message has more than \(limit) bytes, which is the limit.") }
        if !isComplete { throw .malformed }
    }
}

/// A compressor of the messages of one connection.
///
/// Its memory, at most 272 KiB, is allocated for the first message. It may be used by only one thread at a time.
final class MessageDeflater: WebSocketDeflating {
    private let stream: MessageStream

    init(windowBits: Int, resetsContext: Bool) {
        stream = MessageStream(message_deflating, windowBits: windowBits, resetsContext: resetsContext)
    }

    func deflate(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) throws(WebSocketFailure) {
        // Without new data, zlib does not flush again. So the compressed form of an empty message is written here.
        guard !bytes.isEmpty else { return output.append(MessageCompression.emptyMessage) }
        let start = output.count
        let isComplete = stream.run(bytes) { chunk in
            output.append(contentsOf: chunk)
            return true
        }
        guard isComplete, output.count - start >= 4, output.suffix(4).elementsEqual(MessageCompression.tail),
            stream.finishMessage()
        else {
            output.removeSubrange(start...)
            throw WebSocketFailure(
                closeCode: WebSocketCloseCode.internalError,
                sentence: "A message could not be compressed, because memory has run out."
            )
        }
        output.removeLast(4)
    }
}

extension WebSocketFailure {
    fileprivate static var malformed: Self {
        Self(
            closeCode: WebSocketCloseCode.invalidFramePayloadData,
            sentence: "A compressed message is not in the format of DEFLATE, or refers to data that was not sent."
        )
    }
}

/// A stream of zlib. It is opened when it is first used.
private final class MessageStream {
    private let direction: message_direction
    private let windowBits: Int
    private let resetsContext: Bool
    private var handle: OpaquePointer?

    init(_ direction: message_direction, windowBits: Int, resetsContext: Bool) {
        self.direction = direction
        self.windowBits = windowBits
        self.resetsContext = resetsContext
    }

    deinit {
        if let handle { message_stream_close(handle) }
    }

    /// Whether the input so far ends between two blocks of compressed data.
    var isBetweenBlocks: Bool { handle.map(message_stream_is_between_blocks) ?? false }

    /// If the next message must not refer to this message, discards the data of this message. Returns whether this has
    /// succeeded.
    func finishMessage() -> Bool {
        guard resetsContext, let handle else { return true }
        return message_stream_reset(handle)
    }

    /// Compresses or decompresses bytes. Returns false if the bytes are malformed, memory has run out, or the consumer
    /// has stopped.
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - consume: Receives a chunk. Returns false to stop after it.
    func run(_ bytes: UnsafeRawBufferPointer, _ consume: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        if bytes.isEmpty { return true }
        if handle == nil { handle = message_stream_open(direction, Int32(windowBits)) }
        guard let handle else { return false }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: MessageCompression.chunkSize) { room in
            guard let target = room.baseAddress else { return false }
            var next = bytes.bindMemory(to: UInt8.self).baseAddress
            var left = bytes.count
            while true {
                var count = 0
                let before = left
                guard message_stream_step(handle, &next, &left, target, room.count, &count) else { return false }
                // If the stream neither consumes nor produces bytes, it cannot process the remaining bytes.
                if count > 0, !consume(UnsafeBufferPointer(rebasing: room[..<count])) { return false }
                if left == 0, count < room.count { return true }
                if count == 0, left == before { return false }
            }
        }
    }
}
#endif
