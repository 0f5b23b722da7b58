package import Foundation

/// A message. It is sent in one or more frames.
package enum WebSocketMessage: Equatable, Sendable {
    case text(String)
    case binary(Data)
}

/// An event in the frames that a client or a server receives.
package enum WebSocketEvent: Equatable, Sendable {
    /// A whole message.
    case message(WebSocketMessage)
    /// A ping with up to 125 bytes of content. It requires a pong with the same content.
    case ping(Data)
    case pong(Data)
    /// The close frame. The other side sends nothing after it. The code is nil if the frame has none.
    case close(code: UInt16?, reason: String)
    /// A violation by the other side, or an exceeded limit. The connection can no longer be used.
    case failure(WebSocketFailure)
}

/// A decompressor of the messages of one connection (RFC 7692, section 7.2.2).
package protocol WebSocketInflating: AnyObject {
    /// Decompresses the next part of a message.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes of the message. They can end anywhere within a frame, and may be empty.
    ///   - isLast: Whether the message ends with these bytes. If so, the decompressor adds the four bytes `00 00 FF
    ///     FF`, which the sender has removed.
    ///   - output: The array to which the result is appended.
    ///   - limit: The maximum length of `output` in bytes. For a longer message, decompression stops at most 64 KiB
    ///     above the limit, and the method throws.
    /// - Throws: A failure. Its code is 1009 if the limit is exceeded, and 1007 if the bytes are malformed.
    func inflate(
        _ bytes: UnsafeRawBufferPointer,
        isLast: Bool,
        into output: inout [UInt8],
        limit: Int
    ) throws(WebSocketFailure)
}

/// A reader of the frames that a client or a server receives (RFC 6455, section 5). It takes chunks that may end
/// anywhere, and returns messages and control frames.
///
/// No memory is allocated for a length that the other side has only announced. Text is checked while it arrives, so an
/// invalid message fails at its first invalid byte. After a close frame or a failure, the reader returns no more
/// events.
///
/// The reader is written by hand, because libcurl has WebSockets only from 7.86 on, and before 8.11 only as an
/// experiment that distributions leave out. The test server uses this reader too.
package struct WebSocketReader {
    /// The sizes that the other side may use.
    package struct Limits: Equatable, Sendable {
        /// The largest content of a frame in bytes, before decompression.
        package var frameSize: Int
        /// The largest message in bytes, after decompression.
        package var messageSize: Int

        /// Creates limits.
        /// - Parameters:
        ///   - frameSize: The largest content of a frame in bytes; nil for the value of `messageSize`. Default: nil.
        ///   - messageSize: The largest message in bytes. Default: 16 MiB.
        package init(frameSize: Int? = nil, messageSize: Int = 16 << 20) {
            self.frameSize = max(0, frameSize ?? messageSize)
            self.messageSize = max(0, messageSize)
        }
    }

    /// The message whose fragments are arriving.
    private struct PartialMessage {
        let isText: Bool
        let isCompressed: Bool
        var validator = UTF8Validator()
    }

    /// The capacity in bytes up to which a buffer is reused for the next message.
    private static let smallCapacity = 1 << 16

    private let limits: Limits
    private let inflater: (any WebSocketInflating)?
    private var parser: WebSocketHeaderParser
    /// The frame whose content is arriving.
    private var frame: WebSocketFrameHeader?
    /// The number of bytes of the frame's content that have arrived.
    private var received = 0
    private var message: PartialMessage?
    /// The content of the message so far.
    private var content: [UInt8] = []
    /// The content of a control frame. It may arrive between the fragments of a message.
    private var controlContent: [UInt8] = []
    /// The unmasked bytes that are to be decompressed.
    private var unmasked: [UInt8] = []

    /// Whether a close frame or a failure was returned. There are no more events after it.
    package private(set) var hasEnded = false

    /// Creates a reader.
    /// - Parameters:
    ///   - role: The side that receives the frames.
    ///   - limits: The sizes that the other side may use. Default: 16 MiB each.
    ///   - inflater: The decompressor, if permessage-deflate was negotiated. Default: nil.
    package init(role: WebSocketRole, limits: Limits = Limits(), inflater: (any WebSocketInflating)? = nil) {
        self.limits = limits
        self.inflater = inflater
        parser = WebSocketHeaderParser(role: role, allowsCompression: inflater != nil)
    }

    /// Whether the bytes so far end between two messages, and not within a frame or a fragmented message.
    package var isBetweenMessages: Bool { frame == nil && message == nil && parser.isAtStart }

    /// Takes the next bytes, and returns the events that they complete.
    package mutating func read(_ bytes: UnsafeRawBufferPointer) -> [WebSocketEvent] {
        var events: [WebSocketEvent] = []
        var position = 0
        do throws(WebSocketFailure) {
            while !hasEnded, let event = try nextEvent(bytes, &position) {
                if case .close = event { end() }
                events.append(event)
            }
        } catch {
            end()
            events.append(.failure(error))
        }
        return events
    }

    /// Takes the next bytes, and returns the events that they complete.
    package mutating func read(_ bytes: [UInt8]) -> [WebSocketEvent] {
        bytes.withUnsafeBytes { read($0) }
    }

    private mutating func end() {
        hasEnded = true
        (frame, message) = (nil, nil)
        (content, controlContent, unmasked) = ([], [], [])
    }

    // MARK: Frames

    /// Reads from a position until an event is complete or no bytes are left.
    private mutating func nextEvent(
        _ bytes: UnsafeRawBufferPointer,
        _ position: inout Int
    ) throws(WebSocketFailure) -> WebSocketEvent? {
        while true {
            if let frame {
                // The length is at most the limit, which is an Int.
                let count = min(Int(clamping: frame.length) - received, bytes.count - position)
                if count > 0 {
                    let part = UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)])
                    position += count
                    try take(part, of: frame)
                    received += count
                }
                guard received == Int(clamping: frame.length) else { return nil }
                self.frame = nil
                if let event = try finish(frame) { return event }
            } else {
                guard position < bytes.count else { return nil }
                let byte = bytes[position]
                position += 1
                if let header = try parser.take(byte) { try begin(header) }
            }
        }
    }

    private mutating func begin(_ header: WebSocketFrameHeader) throws(WebSocketFailure) {
        guard header.length <= UInt64(limits.frameSize) || header.opcode.isControl else {
            throw .tooBig("A frame has \(header.length) bytes. The limit is \(limits.frameSize).")
        }
        switch header.opcode {
        case .close, .ping, .pong: controlContent.removeAll(keepingCapacity: true)
        case .continuation:
            guard message != nil else {
                throw .protocolError("A continuation frame came where no message had begun.")
            }
        case .text, .binary:
            guard message == nil else {
                throw .protocolError("A \(header.opcode) frame came before the end of a fragmented message.")
            }
            message = PartialMessage(
                isText: header.opcode == .text,
                isCompressed: header.reserved == WebSocketFrameHeader.compressed
            )
        }
        if let message, !message.isCompressed, !header.opcode.isControl {
            let (size, isTooBig) = content.count.addingReportingOverflow(Int(clamping: header.length))
            guard !isTooBig, size <= limits.messageSize else { throw Self.tooBig(limits.messageSize) }
        }
        frame = header
        received = 0
    }

    private static func tooBig(_ limit: Int) -> WebSocketFailure {
        .tooBig("A message has more than \(limit) bytes, which is the limit.")
    }

    /// Takes a part of a frame's content. The part is not empty.
    private mutating func take(
        _ part: UnsafeRawBufferPointer,
        of frame: WebSocketFrameHeader
    ) throws(WebSocketFailure) {
        if frame.opcode.isControl {
            Self.append(part, to: &controlContent, removing: frame.mask, offset: received)
        } else if message?.isCompressed == true {
            if let mask = frame.mask {
                unmasked.removeAll(keepingCapacity: unmasked.capacity <= Self.smallCapacity)
                Self.append(part, to: &unmasked, removing: mask, offset: received)
                let bytes = unmasked
                try Self.withBytes(bytes) { bytes throws(WebSocketFailure) in try inflate(bytes, isLast: false) }
            } else {
                try inflate(part, isLast: false)
            }
        } else {
            let start = content.count
            Self.append(part, to: &content, removing: frame.mask, offset: received)
            try validate(from: start)
        }
    }

    private mutating func finish(_ frame: WebSocketFrameHeader) throws(WebSocketFailure) -> WebSocketEvent? {
        switch frame.opcode {
        case .ping: return .ping(Data(controlContent))
        case .pong: return .pong(Data(controlContent))
        case .close: return try closeEvent()
        case .continuation, .text, .binary: return frame.isFinal ? .message(try finishMessage()) : nil
        }
    }

    /// Appends bytes after unmasking them.
    private static func append(
        _ bytes: UnsafeRawBufferPointer,
        to array: inout [UInt8],
        removing mask: WebSocketMask?,
        offset: Int
    ) {
        let start = array.count
        array.append(contentsOf: bytes.bindMemory(to: UInt8.self))
        guard let mask else { return }
        array.withUnsafeMutableBytes { all in
            mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: all[start...]), offset: offset)
        }
    }

    // MARK: Messages

    private mutating func inflate(_ bytes: UnsafeRawBufferPointer, isLast: Bool) throws(WebSocketFailure) {
        let start = content.count
        try inflater?.inflate(bytes, isLast: isLast, into: &content, limit: limits.messageSize)
        guard content.count <= limits.messageSize else { throw Self.tooBig(limits.messageSize) }
        try validate(from: start)
    }

    /// Checks the content from a position to the end if the message is text.
    private mutating func validate(from start: Int) throws(WebSocketFailure) {
        guard var message, message.isText else { return }
        let bad = content.withUnsafeBytes { all in
            message.validator.take(UnsafeRawBufferPointer(rebasing: all[start...]))
        }
        if let bad {
            let byte = [content[start + bad]].hexadecimal
            throw .invalidText("A text message is not UTF-8: its byte \(start + bad) is 0x\(byte).")
        }
        self.message = message
    }

    private mutating func finishMessage() throws(WebSocketFailure) -> WebSocketMessage {
        if message?.isCompressed == true { try inflate(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true) }
        guard let message else { throw .protocolError("A message ended that had not begun.") }
        guard message.validator.isComplete else {
            throw .invalidText("A text message is not UTF-8: it ends in the middle of a character.")
        }
        self.message = nil
        defer { content.removeAll(keepingCapacity: content.capacity <= Self.smallCapacity) }
        return message.isText ? .text(String(decoding: content, as: UTF8.self)) : .binary(Data(content))
    }

    // MARK: Close frames

    private func closeEvent() throws(WebSocketFailure) -> WebSocketEvent {
        guard !controlContent.isEmpty else { return .close(code: nil, reason: "") }
        guard controlContent.count >= 2 else {
            throw .protocolError("A close frame has 1 byte. It may have none, or a code of 2 bytes and a reason.")
        }
        let code = UInt16(controlContent[0]) << 8 | UInt16(controlContent[1])
        guard WebSocketCloseCode.isAllowedInFrame(code) else {
            throw .protocolError(
                "A close frame has the code \(code). Codes are 1000 to 1003, 1007 to 1014, and 3000 to 4999."
            )
        }
        guard let reason = String(validating: controlContent[2...], as: UTF8.self) else {
            throw .invalidText("The reason of a close frame is not UTF-8.")
        }
        return .close(code: code, reason: reason)
    }

    /// Passes the bytes of an array to a closure. The array's own method cannot rethrow a typed error.
    private static func withBytes(
        _ array: [UInt8],
        _ body: (UnsafeRawBufferPointer) throws(WebSocketFailure) -> Void
    ) throws(WebSocketFailure) {
        let result = array.withUnsafeBytes { bytes in
            Result { () throws(WebSocketFailure) in try body(bytes) }
        }
        try result.get()
    }
}
