#if canImport(FoundationNetworking)
/// Reads what ``ByteWriter`` has written, and nil as soon as the bytes are none of that.
struct ByteReader {
    private var rest: Data

    init(_ data: Data) { rest = data }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func readNumber() -> UInt64? {
        guard let bytes = readBytes(8) else { return nil }
        return bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    /// A number of things of which each takes a byte at least, so that no number can ask for more memory than there are
    /// bytes.
    mutating func readCount() -> Int? {
        guard let number = readNumber(), number <= UInt64(rest.count) else { return nil }
        return Int(number)
    }

    mutating func readDate() -> Date? {
        guard let number = readNumber() else { return nil }
        let seconds = TimeInterval(bitPattern: number)
        return abs(seconds) < 1e12 ? Date(timeIntervalSince1970: seconds) : nil
    }

    mutating func readText() -> String? {
        guard let count = readCount(), let bytes = readBytes(count) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Nil in the optional for text that is missing rightly.
    mutating func readOptionalText() -> String?? {
        switch readNumber() {
        case 0: .some(nil)
        case 1: readText().map { .some($0) }
        default: nil
        }
    }

    private mutating func readBytes(_ count: Int) -> Data? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
#endif
