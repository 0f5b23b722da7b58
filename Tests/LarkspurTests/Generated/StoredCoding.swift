#if canImport(FoundationNetworking)
/// The content codings gzip and deflate with stored blocks (RFC 1951, section 3.2.4), which need no compression.
enum StoredCoding {
    /// Encodes content (RFC 1952).
    /// - Parameter block: The largest number of bytes of a block.
    static func gzip(_ content: [UInt8], block: Int) -> [UInt8] {
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        return header + blocks(content, block) + littleEndian(checksum(content)) + littleEndian(UInt32(content.count))
    }

    /// Encodes content (RFC 1950).
    static func deflate(_ content: [UInt8], block: Int) -> [UInt8] {
        [0x78, 0x01] + blocks(content, block) + littleEndian(adler(content)).reversed()
    }

    private static func blocks(_ content: [UInt8], _ size: Int) -> [UInt8] {
        // Of long content with short blocks, the lengths would be the most.
        let size = min(max(size, content.count / 200), 0xFFFF)
        guard !content.isEmpty else { return [1, 0, 0, 0xFF, 0xFF] }
        var output: [UInt8] = []
        output.reserveCapacity(content.count + 5 * (content.count / size + 1))
        var start = 0
        while start < content.count {
            let end = min(start + size, content.count)
            let count = UInt16(end - start)
            output.append(end == content.count ? 1 : 0)
            for number in [count, ~count] { output += [UInt8(number & 0xFF), UInt8(number >> 8)] }
            output += content[start..<end]
            start = end
        }
        return output
    }

    private static func littleEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    /// CRC-32.
    private static func checksum(_ content: [UInt8]) -> UInt32 {
        var value = UInt32.max
        for byte in content { value = table[Int((value ^ UInt32(byte)) & 0xFF)] ^ (value >> 8) }
        return ~value
    }

    /// Adler-32.
    private static func adler(_ content: [UInt8]) -> UInt32 {
        var (sum, sumOfSums): (UInt32, UInt32) = (1, 0)
        for byte in content {
            sum = (sum + UInt32(byte)) % 65521
            sumOfSums = (sumOfSums + sum) % 65521
        }
        return sumOfSums << 16 | sum
    }
}
#endif
