/// The side of a WebSocket connection. It determines which frames are masked.
package enum WebSocketRole: Sendable {
    /// The side that masks its frames and refuses masked ones.
    case client
    /// The side that does not mask its frames and refuses unmasked ones.
    case server
}

/// The kind of a frame (RFC 6455, section 5.2).
package enum WebSocketOpcode: UInt8, CaseIterable, Sendable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    package var isControl: Bool { rawValue & 0x8 != 0 }
}

extension WebSocketOpcode: CustomStringConvertible {
    /// The name, for sentences about frames.
    package var description: String {
        switch self {
        case .continuation: "continuation"
        case .text: "text"
        case .binary: "binary"
        case .close: "close"
        case .ping: "ping"
        case .pong: "pong"
        }
    }
}

/// The mask of a client's frame. Masking and unmasking are the same operation (RFC 6455, section 5.3).
package struct WebSocketMask: Equatable, Sendable {
    /// The key as a number. Its highest byte is the first byte in the frame.
    package let key: UInt32

    package init(key: UInt32) { self.key = key }

    /// Masks or unmasks bytes in place.
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - offset: The position of the first byte in the content of the frame.
    package func apply(to bytes: UnsafeMutableRawBufferPointer, offset: Int) {
        let first = key.rotatedLeft(byBytes: offset & 3)
        let word = (UInt64(first) << 32 | UInt64(first)).bigEndian
        var index = 0
        while bytes.count - index >= 8 {
            let masked = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ word
            bytes.storeBytes(of: masked, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < bytes.count {
            bytes[index] ^= UInt8(truncatingIfNeeded: first >> UInt32(24 - 8 * (index & 3)))
            index += 1
        }
    }
}

extension UInt32 {
    fileprivate func rotatedLeft(byBytes count: Int) -> UInt32 {
        self << UInt32(8 * count) | self >> UInt32(32 - 8 * count)
    }
}

/// The part of a frame before its content (RFC 6455, section 5.2).
package struct WebSocketFrameHeader: Equatable, Sendable {
    /// The largest content of a control frame, in bytes.
    package static let maximumControlLength = 125

    /// Whether this is the last frame of its message.
    package var isFinal = true
    /// The reserved bits, RSV1 to RSV3, as the three low bits of a number. RSV1 is the highest.
    package var reserved: UInt8 = 0
    package var opcode: WebSocketOpcode
    package var mask: WebSocketMask?
    /// The length of the content in bytes.
    package var length: UInt64

    /// The value of ``reserved`` for the first frame of a compressed message (RFC 7692, section 6).
    package static let compressed: UInt8 = 0b100

    package init(
        isFinal: Bool = true,
        reserved: UInt8 = 0,
        opcode: WebSocketOpcode,
        mask: WebSocketMask? = nil,
        length: UInt64
    ) {
        self.isFinal = isFinal
        self.reserved = reserved
        self.opcode = opcode
        self.mask = mask
        self.length = length
    }

    /// Appends the header, which has 2 to 14 bytes.
    package func write(into output: inout [UInt8]) {
        output.append((isFinal ? 0x80 : 0) | (reserved & 0b111) << 4 | opcode.rawValue)
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        if length <= UInt64(Self.maximumControlLength) {
            output.append(maskBit | UInt8(truncatingIfNeeded: length))
        } else if length <= 0xFFFF {
            output.append(maskBit | 126)
            Self.write(length, byteCount: 2, into: &output)
        } else {
            output.append(maskBit | 127)
            Self.write(length, byteCount: 8, into: &output)
        }
        if let mask { Self.write(UInt64(mask.key), byteCount: 4, into: &output) }
    }

    private static func write(_ value: UInt64, byteCount: Int, into output: inout [UInt8]) {
        for index in (0..<byteCount).reversed() {
            output.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index)))
        }
    }
}

/// A parser of frame headers. It takes one byte at a time, and reports a violation as soon as a byte shows it.
package struct WebSocketHeaderParser: Sendable {
    private enum Field {
        case opcode, length, extendedLength, maskKey
    }

    private let role: WebSocketRole
    private let allowsCompression: Bool
    /// The field to which the next byte belongs.
    private var field = Field.opcode
    private var header = WebSocketFrameHeader(opcode: .continuation, length: 0)
    private var isMasked = false
    /// Whether the length has eight bytes instead of two.
    private var isLong = false
    /// The value so far of a number with several bytes, and the count of its missing bytes.
    private var number: UInt64 = 0
    private var missing = 0

    /// Creates a parser of the frames that a side receives.
    /// - Parameters:
    ///   - role: The side that receives the frames.
    ///   - allowsCompression: Whether the first frame of a message may have the bit RSV1, which permessage-deflate
    ///     uses.
    package init(role: WebSocketRole, allowsCompression: Bool) {
        self.role = role
        self.allowsCompression = allowsCompression
    }

    /// Whether no byte of the next header has been taken.
    package var isAtStart: Bool { field == .opcode }

    /// Takes the next byte. Returns the header if it is complete; otherwise nil.
    package mutating func take(_ byte: UInt8) throws(WebSocketFailure) -> WebSocketFrameHeader? {
        switch field {
        case .opcode:
            try takeOpcode(byte)
            return nil
        case .length: try takeLength(byte)
        case .extendedLength:
            number = number << 8 | UInt64(byte)
            missing -= 1
            guard missing == 0 else { return nil }
            try checkExtendedLength()
            header.length = number
            beginMask()
        case .maskKey:
            number = number << 8 | UInt64(byte)
            missing -= 1
            guard missing == 0 else { return nil }
            header.mask = WebSocketMask(key: UInt32(truncatingIfNeeded: number))
            field = .opcode
        }
        return field == .opcode ? header : nil
    }

    private mutating func takeOpcode(_ byte: UInt8) throws(WebSocketFailure) {
        guard let opcode = WebSocketOpcode(rawValue: byte & 0x0F) else {
            throw .protocolError(
                "A frame has the reserved opcode \(byte & 0x0F). Opcodes are 0 to 2 and 8 to 10."
            )
        }
        let isFinal = byte & 0x80 != 0
        let reserved = byte >> 4 & 0b111
        let mayBeCompressed = allowsCompression && (opcode == .text || opcode == .binary)
        guard reserved == 0 || mayBeCompressed && reserved == WebSocketFrameHeader.compressed else {
            let allowed = mayBeCompressed ? "only RSV1 (4) may be set" : "none of them may be set"
            throw .protocolError("A \(opcode) frame has the reserved bits \(reserved), but \(allowed).")
        }
        guard isFinal || !opcode.isControl else {
            throw .protocolError("A \(opcode) frame is a fragment. Control frames must not be fragmented.")
        }
        header = WebSocketFrameHeader(isFinal: isFinal, reserved: reserved, opcode: opcode, length: 0)
        field = .length
    }

    private mutating func takeLength(_ byte: UInt8) throws(WebSocketFailure) {
        isMasked = byte & 0x80 != 0
        switch role {
        case .client where isMasked:
            throw .protocolError("The server sent a masked \(header.opcode) frame. Only a client may mask its frames.")
        case .server where !isMasked:
            throw .protocolError("The client sent an unmasked \(header.opcode) frame. A client must mask all frames.")
        default: break
        }
        let length = byte & 0x7F
        guard length <= WebSocketFrameHeader.maximumControlLength || !header.opcode.isControl else {
            throw .protocolError(
                "A \(header.opcode) frame has more than 125 bytes. Control frames may have up to 125."
            )
        }
        number = 0
        isLong = length == 127
        switch length {
        case 126: (field, missing) = (.extendedLength, 2)
        case 127: (field, missing) = (.extendedLength, 8)
        default:
            header.length = UInt64(length)
            beginMask()
        }
    }

    private func checkExtendedLength() throws(WebSocketFailure) {
        guard number >> 63 == 0 else {
            throw .protocolError("A frame announces \(number) bytes. The highest bit of a length must be 0.")
        }
        let longestShorter = isLong ? 0xFFFF : UInt64(WebSocketFrameHeader.maximumControlLength)
        guard number > longestShorter else {
            throw .protocolError("A frame announces its \(number) bytes in a longer form than it needs.")
        }
    }

    private mutating func beginMask() {
        (field, number, missing) = isMasked ? (.maskKey, 0, 4) : (.opcode, 0, 0)
    }
}
