/// A reader of values in the Distinguished Encoding Rules (X.690), in sequence, which never reads beyond its bytes.
struct DERReader {
    struct Value: Equatable {
        let tag: UInt8
        let content: ArraySlice<UInt8>
        /// The complete encoding, with tag and length.
        let encoding: ArraySlice<UInt8>
    }

    enum Tag {
        static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let objectIdentifier: UInt8 = 0x06
        static let sequence: UInt8 = 0x30
        /// The version, which may precede a certificate's serial number.
        static let version: UInt8 = 0xA0
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    var nextTag: UInt8? { rest.first }

    /// Reads the next value; nil if there is none, if it exceeds the end, or if its encoding is invalid.
    mutating func read() -> Value? {
        let whole = rest
        guard let tag = rest.popFirst(), tag & 0x1F != 0x1F, let length = readLength(), length <= rest.count else {
            return nil
        }
        let content = rest.prefix(length)
        rest = rest.dropFirst(length)
        return Value(tag: tag, content: content, encoding: whole[..<content.endIndex])
    }

    /// Reads the next value, if it has this tag.
    mutating func read(_ tag: UInt8) -> Value? {
        guard nextTag == tag else { return nil }
        return read()
    }

    private mutating func readLength() -> Int? {
        guard let first = rest.popFirst() else { return nil }
        if first < 0x80 { return Int(first) }
        let count = Int(first & 0x7F)
        // More than 4 bytes are never needed here, and 0 stands for an indefinite length.
        guard (1...4).contains(count), count <= rest.count else { return nil }
        let bytes = rest.prefix(count)
        rest = rest.dropFirst(count)
        let length = bytes.reduce(0) { $0 << 8 | Int($1) }
        // Only the shortest form is valid.
        return length >= 0x80 && bytes.first != 0 ? length : nil
    }
}

extension DERReader {
    /// Reads bytes that are exactly one sequence, without anything after it.
    static func sequence(_ bytes: ArraySlice<UInt8>) -> DERReader? {
        var reader = DERReader(bytes)
        guard let value = reader.read(Tag.sequence), reader.isAtEnd else { return nil }
        return DERReader(value.content)
    }

    /// Encodes a value with its tag and length.
    static func encoded(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        if content.count < 0x80 { return [tag, UInt8(content.count)] + content }
        let length = withUnsafeBytes(of: UInt64(content.count).bigEndian, Array.init).drop { $0 == 0 }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
