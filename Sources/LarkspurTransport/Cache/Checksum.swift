#if canImport(FoundationNetworking)
/// A 64-bit checksum that detects damage. It takes eight bytes at a time. It does not protect from forgery, because
/// anyone can compute it.
///
/// By hand, because the hashes of the standard library differ from process to process.
struct Checksum {
    /// The prime of FNV-1a.
    private static let prime: UInt64 = 0x0000_0100_0000_01B3

    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        // Each step is reversible. So if one word differs, the result differs too.
        while index + 8 <= bytes.count {
            add(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian)
            index += 8
        }
        while index < bytes.count {
            add(UInt64(bytes[index]))
            index += 1
        }
        add(UInt64(bytes.count))
    }

    private mutating func add(_ word: UInt64) {
        value = (value ^ word) &* Self.prime
        value ^= value >> 32
    }

    static func of(_ text: String) -> UInt64 {
        var text = text
        return text.withUTF8 {
            var sum = Checksum()
            sum.add(UnsafeRawBufferPointer($0))
            return sum.value
        }
    }
}
#endif
