package import Foundation

/// A compressor of the messages of one connection (RFC 7692, section 7.2.1).
package protocol WebSocketDeflating: AnyObject {
    /// Compresses a whole message.
    ///
    /// - Parameters:
    ///   - bytes: The message. It may be empty.
    ///   - output: The array to which the result is appended. The result lacks the four bytes `00 00 FF FF` at its end.
    /// - Throws: A failure with the code 1011 if memory has run out.
    func deflate(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) throws(WebSocketFailure)
}

/// A writer of the frames that a side sends (RFC 6455, section 5).
///
/// Frames of a client are masked with keys from the system's random source.
package struct WebSocketWriter {
    private let role: WebSocketRole
    private let fragmentSize: Int
    private let deflater: (any WebSocketDeflating)?
    private var random = SystemRandomNumberGenerator()

    /// Creates a writer.
    /// - Parameters:
    ///   - role: The side that sends the frames.
    ///   - fragmentSize: The largest content of a frame in bytes, at least 1. Longer messages are sent in several
    ///     frames. Nil to send each message in one frame. Default: nil.
    ///   - deflater: The compressor, if permessage-deflate was negotiated and messages are to be compressed. Default:
    ///     nil.
    package init(role: WebSocketRole, fragmentSize: Int? = nil, deflater: (any WebSocketDeflating)? = nil) {
        self.role = role
        self.fragmentSize = fragmentSize.map { max(1, $0) } ?? .max
        self.deflater = deflater
    }

    /// Appends the frames of a message.
    ///
    /// - Throws: The compressor's failure. Then nothing is appended.
    package mutating func write(_ message: WebSocketMessage, into output: inout [UInt8]) throws(WebSocketFailure) {
        let opcode: WebSocketOpcode
        if case .text = message { opcode = .text } else { opcode = .binary }
        guard let deflater else {
            message.withBytes { write($0, opcode: opcode, reserved: 0, into: &output) }
            return
        }
        var compressed: [UInt8] = []
        let result = message.withBytes { bytes in
            Result { () throws(WebSocketFailure) in try deflater.deflate(bytes, into: &compressed) }
        }
        try result.get()
        compressed.withUnsafeBytes {
            write($0, opcode: opcode, reserved: WebSocketFrameHeader.compressed, into: &output)
        }
    }

    /// Appends a ping frame.
    ///
    /// - Throws: ``WebSocketArgumentError`` if the content has more than 125 bytes.
    package mutating func writePing(_ content: Data, into output: inout [UInt8]) throws(WebSocketArgumentError) {
        try writeControl(.ping, content, into: &output)
    }

    /// Appends a pong frame.
    ///
    /// - Throws: ``WebSocketArgumentError`` if the content has more than 125 bytes.
    package mutating func writePong(_ content: Data, into output: inout [UInt8]) throws(WebSocketArgumentError) {
        try writeControl(.pong, content, into: &output)
    }

    /// Appends a close frame.
    ///
    /// - Parameters:
    ///   - code: The code; nil for a frame without code and reason.
    ///   - reason: The reason. At most 123 bytes of its UTF-8 are sent, without an incomplete character.
    ///   - output: The array to which the frame is appended.
    /// - Throws: ``WebSocketArgumentError`` if the code is not allowed in a close frame.
    package mutating func writeClose(
        code: UInt16?,
        reason: String = "",
        into output: inout [UInt8]
    ) throws(WebSocketArgumentError) {
        guard let code else { return try writeControl(.close, Data(), into: &output) }
        guard WebSocketCloseCode.isAllowedInFrame(code) else {
            throw WebSocketArgumentError(
                sentence: "A close frame cannot have the code \(code). Codes are 1000 to 1003, 1007 to 1014, and "
                    + "3000 to 4999."
            )
        }
        var content = Data([UInt8(code >> 8), UInt8(code & 0xFF)])
        let maximumLength = WebSocketFrameHeader.maximumControlLength - 2
        content.append(contentsOf: Self.prefix(of: reason, maximumLength: maximumLength))
        try writeControl(.close, content, into: &output)
    }

    /// Returns the UTF-8 of a text up to a limit, without incomplete characters.
    private static func prefix(of text: String, maximumLength: Int) -> Substring.UTF8View {
        let bytes = text.utf8
        guard var end = bytes.index(bytes.startIndex, offsetBy: maximumLength, limitedBy: bytes.endIndex) else {
            return bytes[...]
        }
        while end > bytes.startIndex, end < bytes.endIndex, bytes[end] & 0xC0 == 0x80 { end = bytes.index(before: end) }
        return bytes[..<end]
    }

    // MARK: Frames

    private mutating func writeControl(
        _ opcode: WebSocketOpcode,
        _ content: Data,
        into output: inout [UInt8]
    ) throws(WebSocketArgumentError) {
        guard content.count <= WebSocketFrameHeader.maximumControlLength else {
            throw WebSocketArgumentError(
                sentence: "The content of a \(opcode) frame has \(content.count) bytes, but can have only 125."
            )
        }
        content.withUnsafeBytes { writeFrame($0, isFinal: true, opcode: opcode, reserved: 0, into: &output) }
    }

    private mutating func write(
        _ content: UnsafeRawBufferPointer,
        opcode: WebSocketOpcode,
        reserved: UInt8,
        into output: inout [UInt8]
    ) {
        var start = 0
        repeat {
            let end = start + min(fragmentSize, content.count - start)
            writeFrame(
                UnsafeRawBufferPointer(rebasing: content[start..<end]),
                isFinal: end == content.count,
                opcode: start == 0 ? opcode : .continuation,
                reserved: start == 0 ? reserved : 0,
                into: &output
            )
            start = end
        } while start < content.count
    }

    private mutating func writeFrame(
        _ content: UnsafeRawBufferPointer,
        isFinal: Bool,
        opcode: WebSocketOpcode,
        reserved: UInt8,
        into output: inout [UInt8]
    ) {
        let mask = role == .client ? WebSocketMask(key: random.next()) : nil
        WebSocketFrameHeader(
            isFinal: isFinal,
            reserved: reserved,
            opcode: opcode,
            mask: mask,
            length: UInt64(content.count)
        ).write(into: &output)
        let start = output.count
        output.append(contentsOf: content.bindMemory(to: UInt8.self))
        guard let mask else { return }
        output.withUnsafeMutableBytes { all in
            mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: all[start...]), offset: 0)
        }
    }
}

extension WebSocketMessage {
    /// Passes the bytes of the message to a closure.
    fileprivate func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch self {
        case .binary(let data): return data.withUnsafeBytes { body($0) }
        case .text(var text): return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
        }
    }
}
