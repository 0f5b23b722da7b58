#if canImport(FoundationNetworking)
import HTTPSyntax

/// A reader of bytes that ``ByteWriter`` has written. Its methods return nil if the bytes do not have the expected
/// form.
struct ByteReader {
    private var rest: Data

    init(_ data: Data) { rest = data }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func readNumber() -> UInt64? {
        guard let bytes = readBytes(8) else { return nil }
        return bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    /// Reads the number of elements that follow. Each element takes at least one byte. A number that is larger than the
    /// number of remaining bytes is rejected, so that it cannot cause a large allocation.
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

    /// Reads optional text. The inner optional is nil for absent text, the outer one for malformed bytes.
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

/// A writer of numbers and text in sequence, for ``ByteReader`` to read.
struct ByteWriter {
    private(set) var data = Data()

    mutating func write(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }

    mutating func write(_ date: Date) { write(date.timeIntervalSince1970.bitPattern) }

    mutating func write(_ text: String) {
        let bytes = text.utf8
        write(UInt64(bytes.count))
        data.append(contentsOf: bytes)
    }

    mutating func write(_ text: String?) {
        write(text == nil ? 0 : 1)
        if let text { write(text) }
    }
}
#endif
