#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The format of a file with one entry. The file begins with a magic number, the lengths of the head and the content,
/// and a checksum of both. Then the head and the content follow.
enum CacheFile {
    private static let magic: UInt64 = 0x3165_6863_614B_534C
    private static let prefixLength = 32
    private static let nameExtension = ".entry"

    /// Returns the unique name of an entry's file. Entries for the same URL share a prefix.
    static func name(of entry: CacheEntry) -> String {
        let hash = SHA256.hash(Data(entry.variantKey.utf8)).hexadecimal
        return prefix(Checksum.of(entry.url)) + hash + nameExtension
    }

    private static func prefix(_ sum: UInt64) -> String {
        withUnsafeBytes(of: sum.bigEndian) { $0.hexadecimal } + "-"
    }

    /// Reads the checksum of the URL from the name of a file. Returns nil if the name is not the name of an entry's
    /// file.
    static func sum(ofName name: String) -> UInt64? {
        let bytes = name.utf8
        guard bytes.count == 17 + 64 + nameExtension.utf8.count, name.ends(with: nameExtension) else { return nil }
        return UInt64(name.prefix(16), radix: 16)
    }

    static func encode(_ entry: CacheEntry) -> Data {
        let head = entry.encodedHead
        var writer = ByteWriter()
        writer.write(magic)
        writer.write(UInt64(head.count))
        writer.write(UInt64(entry.content.count))
        writer.write(sum(head, entry.content))
        var data = writer.data
        data.reserveCapacity(data.count + head.count + entry.content.count)
        data.append(head)
        data.append(entry.content)
        return data
    }

    /// Decodes the entry of a file; nil if the file is incomplete or damaged.
    static func decode(_ data: Data) -> CacheEntry? {
        var reader = ByteReader(data.prefix(prefixLength))
        guard reader.readNumber() == magic, let headLength = reader.readNumber(),
            let contentLength = reader.readNumber(), let sum = reader.readNumber()
        else { return nil }
        let parts = data.dropFirst(prefixLength)
        guard headLength <= UInt64(parts.count), UInt64(parts.count) - headLength == contentLength else { return nil }
        let head = parts.prefix(Int(headLength))
        let content = parts.dropFirst(Int(headLength))
        guard self.sum(head, content) == sum else { return nil }
        return CacheEntry(encodedHead: head, content: Data(content))
    }

    private static func sum(_ head: Data, _ content: Data) -> UInt64 {
        var sum = Checksum()
        head.withUnsafeBytes { sum.add($0) }
        content.withUnsafeBytes { sum.add($0) }
        return sum.value
    }
}

/// A 64-bit checksum that detects damage. It reads eight bytes at a time. It does not prevent forgery, because any
/// program can compute it.
///
/// The engine computes it itself, because the hashes of the standard library differ from process to process.
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

/// A reader of bytes that ``ByteWriter`` has written. If the bytes do not have the expected form, its methods return
/// nil.
struct ByteReader {
    private var rest: Data

    init(_ data: Data) { rest = data }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func readNumber() -> UInt64? {
        guard let bytes = readBytes(8) else { return nil }
        return bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    /// Reads the number of elements that follow. Each element has at least one byte. A number that is larger than the
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

    /// Reads optional text. The inner optional is nil if there is no text. The outer optional is nil if the bytes are
    /// malformed.
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

/// A writer of consecutive numbers and text, which ``ByteReader`` reads.
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
