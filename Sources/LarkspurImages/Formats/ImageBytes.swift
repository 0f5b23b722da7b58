/// Bytes of an image file, read within their bounds.
///
/// Places and numbers are of 64 bits on every platform, so that sums of what 32 bits of a file say never overflow.
struct ImageBytes {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var count: Int64 { Int64(bytes.count) }

    /// The byte at a place; nil beyond the end.
    func byte(at offset: Int64) -> Int64? {
        guard offset >= 0, offset < count else { return nil }
        return Int64(bytes[Int(offset)])
    }

    /// A number of so many bytes, at most four, the least significant first; nil where it reaches beyond the end.
    func little(_ size: Int64, at offset: Int64) -> Int64? {
        guard isInside(offset, size) else { return nil }
        return (0..<size).reduce(0) { $0 | Int64(bytes[Int(offset + $1)]) << (8 * $1) }
    }

    /// A number of so many bytes, at most four, the most significant first; nil where it reaches beyond the end.
    func big(_ size: Int64, at offset: Int64) -> Int64? {
        guard isInside(offset, size) else { return nil }
        return (0..<size).reduce(0) { $0 << 8 | Int64(bytes[Int(offset + $1)]) }
    }

    /// Whether all of a stretch is there.
    func isInside(_ offset: Int64, _ size: Int64) -> Bool {
        offset >= 0 && size >= 0 && offset <= count && size <= count - offset
    }

    func has(_ expected: [UInt8], at offset: Int64) -> Bool {
        isInside(offset, Int64(expected.count))
            && expected.indices.allSatisfy { bytes[Int(offset) + $0] == expected[$0] }
    }

    func has(_ text: StaticString, at offset: Int64) -> Bool {
        guard isInside(offset, Int64(text.utf8CodeUnitCount)) else { return false }
        return text.withUTF8Buffer { text in text.indices.allSatisfy { bytes[Int(offset) + $0] == text[$0] } }
    }

    /// The place of the next byte of a value; nil if there is none.
    func firstIndex(of value: UInt8, from offset: Int64) -> Int64? {
        guard offset >= 0, offset < count else { return nil }
        return bytes[Int(offset)...].firstIndex(of: value).map { Int64($0) }
    }

    /// A part of them; empty where it is not all there.
    func part(_ offset: Int64, _ size: Int64) -> ImageBytes {
        guard isInside(offset, size) else { return ImageBytes(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return ImageBytes(UnsafeRawBufferPointer(rebasing: bytes[Int(offset)..<Int(offset + size)]))
    }
}
