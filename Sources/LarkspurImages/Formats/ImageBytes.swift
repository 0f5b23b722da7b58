/// The bytes of an image file. They are only read within their bounds.
///
/// Offsets and numbers have 64 bits on every platform, so that sums of 32-bit numbers in a file never overflow.
struct ImageBytes {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var count: Int64 { Int64(bytes.count) }

    /// Returns the byte at an offset; nil beyond the end.
    func byte(at offset: Int64) -> Int64? {
        guard offset >= 0, offset < count else { return nil }
        return Int64(bytes[Int(offset)])
    }

    /// Returns a number of up to four bytes, the least significant first; nil if it extends beyond the end.
    func little(_ size: Int64, at offset: Int64) -> Int64? {
        guard isInside(offset, size) else { return nil }
        return (0..<size).reduce(0) { $0 | Int64(bytes[Int(offset + $1)]) << (8 * $1) }
    }

    /// Returns a number of up to four bytes, the most significant first; nil if it extends beyond the end.
    func big(_ size: Int64, at offset: Int64) -> Int64? {
        guard isInside(offset, size) else { return nil }
        return (0..<size).reduce(0) { $0 << 8 | Int64(bytes[Int(offset + $1)]) }
    }

    /// Returns whether all bytes of a range exist.
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

    /// Returns the offset of the next byte with a value; nil if there is none.
    func firstIndex(of value: UInt8, from offset: Int64) -> Int64? {
        guard offset >= 0, offset < count else { return nil }
        return bytes[Int(offset)...].firstIndex(of: value).map { Int64($0) }
    }

    /// Returns a part of the bytes; empty if not all bytes of the part exist.
    func part(_ offset: Int64, _ size: Int64) -> ImageBytes {
        guard isInside(offset, size) else { return ImageBytes(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return ImageBytes(UnsafeRawBufferPointer(rebasing: bytes[Int(offset)..<Int(offset + size)]))
    }
}

/// The size in a file's header. It may be invalid.
struct ImageSize: Equatable {
    let width: Int64
    let height: Int64

    /// Returns the size with more pixels. In both sizes, the sides must fit into 32 bits.
    func larger(_ other: ImageSize?) -> ImageSize {
        guard let other else { return self }
        return width.magnitude &* height.magnitude < other.width.magnitude &* other.height.magnitude ? other : self
    }
}

/// The defect of a file of a known format.
enum ImageDefect: Error {
    case truncated
    case malformed
}

extension Optional {
    /// Returns the value, or throws `truncated`, because a complete file would have the value.
    func orTruncated() throws(ImageDefect) -> Wrapped {
        guard let self else { throw .truncated }
        return self
    }

    /// Returns the value, or throws `malformed`, because a valid file would have the value.
    func orMalformed() throws(ImageDefect) -> Wrapped {
        guard let self else { throw .malformed }
        return self
    }
}
