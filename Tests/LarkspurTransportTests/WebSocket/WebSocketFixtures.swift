import Foundation
import HTTPSyntax

/// The bytes of frames, of which most are ones that a writer refuses.
enum WebSocketFrames {
    /// Returns a frame as a server sends it.
    static func server(
        _ opcode: WebSocketOpcode,
        _ content: [UInt8] = [],
        isFinal: Bool = true,
        reserved: UInt8 = 0
    ) -> [UInt8] {
        frame(opcode, content, isFinal, reserved, nil)
    }

    /// Returns a frame as a client sends it.
    static func client(
        _ opcode: WebSocketOpcode,
        _ content: [UInt8] = [],
        isFinal: Bool = true,
        reserved: UInt8 = 0
    ) -> [UInt8] {
        frame(opcode, content, isFinal, reserved, WebSocketMask(key: 0x37FA_213D))
    }

    private static func frame(
        _ opcode: WebSocketOpcode,
        _ content: [UInt8],
        _ isFinal: Bool,
        _ reserved: UInt8,
        _ mask: WebSocketMask?
    ) -> [UInt8] {
        let header = WebSocketFrameHeader(
            isFinal: isFinal,
            reserved: reserved,
            opcode: opcode,
            mask: mask,
            length: UInt64(content.count)
        )
        var bytes: [UInt8] = []
        header.write(into: &bytes)
        var content = content
        content.withUnsafeMutableBytes { mask?.apply(to: $0, offset: 0) }
        return bytes + content
    }
}

/// A compressor that leaves the bytes as they are, behind a first one.
final class MarkingDeflater: WebSocketDeflating {
    static let mark: UInt8 = 0xC0

    func deflate(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) throws(WebSocketFailure) {
        output.append(Self.mark)
        output.append(contentsOf: bytes)
    }
}

/// The counterpart of ``MarkingDeflater``, which writes every byte `factor` times.
final class MarkingInflater: WebSocketInflating {
    private let factor: Int
    private var isInMessage = false
    /// The limits that it was called with.
    private(set) var limits: Set<Int> = []

    init(factor: Int = 1) { self.factor = factor }

    func inflate(
        _ bytes: UnsafeRawBufferPointer,
        isLast: Bool,
        into output: inout [UInt8],
        limit: Int
    ) throws(WebSocketFailure) {
        limits.insert(limit)
        var rest = bytes[...]
        if !isInMessage, let first = rest.popFirst() {
            guard first == MarkingDeflater.mark else {
                throw WebSocketFailure(closeCode: 1007, sentence: "The mark is missing.")
            }
            isInMessage = true
        }
        for byte in rest { output.append(contentsOf: repeatElement(byte, count: factor)) }
        if isLast { isInMessage = false }
    }
}

extension WebSocketReader {
    /// Returns the events of bytes that arrive in chunks.
    mutating func read(_ chunks: [ArraySlice<UInt8>]) -> [WebSocketEvent] {
        chunks.flatMap { read(Array($0)) }
    }
}

extension [WebSocketEvent] {
    /// The code of the failure with which the events end; nil if they do not end with one.
    var failureCode: UInt16? {
        if case .failure(let failure) = last { failure.closeCode } else { nil }
    }
}
