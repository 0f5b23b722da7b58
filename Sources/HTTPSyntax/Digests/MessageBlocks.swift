internal import Foundation

/// The blocks of 512 bits into which MD5 and SHA-256 divide a message, after padding it and adding its length.
///
/// The words of a block have the order of their bytes in memory; the hash function converts them to the order that it
/// needs.
struct MessageBlocks: Sequence {
    enum LengthOrder {
        case littleEndian, bigEndian
    }

    private static let size = 64
    private let padded: Data

    init(_ message: Data, lengthOrder: LengthOrder) {
        var padded = message
        padded.append(0x80)
        padded.append(Data(count: (Self.size + 56 - padded.count % Self.size) % Self.size))
        let bitCount = UInt64(message.count) &* 8
        withUnsafeBytes(of: lengthOrder == .bigEndian ? bitCount.bigEndian : bitCount.littleEndian) { length in
            padded.append(contentsOf: length)
        }
        self.padded = padded
    }

    func makeIterator() -> AnyIterator<[UInt32]> {
        var rest = padded[...]
        return AnyIterator {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(Self.size) }
            return rest.prefix(Self.size).withUnsafeBytes { block in
                (0..<16).map { block.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
            }
        }
    }
}
