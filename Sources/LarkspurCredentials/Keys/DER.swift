/// Reads elements in DER (X.690). Lengths and numbers in any other than their shortest form are refused.
struct DERReader {
    enum Tag {
        static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let objectIdentifier: UInt8 = 0x06
        static let sequence: UInt8 = 0x30
    }

    private var rest: ArraySlice<UInt8>
    /// Whether nothing follows.
    var isAtEnd: Bool { rest.isEmpty }

    init(_ bytes: some Sequence<UInt8>) { rest = ArraySlice(Array(bytes)) }

    /// Reads an element with a tag, and returns its content; nil if there is another element, or none.
    mutating func read(_ tag: UInt8) -> ArraySlice<UInt8>? {
        var bytes = rest
        guard bytes.popFirst() == tag, let first = bytes.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            // Two bytes are enough for each key that OpenSSL uses.
            let count = Int(first & 0x7F)
            guard (1...2).contains(count), bytes.count >= count, bytes.first != 0 else { return nil }
            length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            guard length >= 0x80 else { return nil }
            bytes = bytes.dropFirst(count)
        }
        guard bytes.count >= length else { return nil }
        rest = bytes.dropFirst(length)
        return bytes.prefix(length)
    }

    /// Reads a sequence, and returns the reader of its elements.
    mutating func readSequence() -> DERReader? { read(Tag.sequence).map { DERReader($0) } }

    /// Reads a number, and returns its bytes without leading zeros; nil if it is negative.
    mutating func readNatural() -> ArraySlice<UInt8>? {
        guard let bytes = read(Tag.integer), let first = bytes.first, first < 0x80 else { return nil }
        guard first == 0 else { return bytes }
        // A zero precedes only a byte that would make the number negative.
        let digits = bytes.dropFirst()
        return digits.first.map { $0 >= 0x80 } ?? true ? digits : nil
    }

    /// Returns an element in DER.
    /// - Parameter content: The content, with at most 65,535 bytes.
    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length: [UInt8] =
            switch content.count {
            case ..<0x80: [UInt8(content.count)]
            case ..<0x100: [0x81, UInt8(content.count)]
            default: [0x82, UInt8(truncatingIfNeeded: content.count >> 8), UInt8(truncatingIfNeeded: content.count)]
            }
        return [tag] + length + content
    }
}

/// The two forms of an ECDSA signature: two numbers in DER (RFC 3279, section 2.2.3), which OpenSSL uses, and two
/// numbers of a fixed length one after the other (RFC 7518, section 3.4), which HTTP uses.
enum ECDSASignature {
    /// Returns the numbers with a fixed length; nil if the bytes are not a signature in DER, or if a number is longer.
    /// - Parameter width: The length of a number in bytes.
    static func fixed(_ der: some Sequence<UInt8>, width: Int) -> [UInt8]? {
        var reader = DERReader(der)
        guard var numbers = reader.readSequence(), reader.isAtEnd, let first = numbers.readNatural(),
            let second = numbers.readNatural(), numbers.isAtEnd, first.count <= width, second.count <= width
        else { return nil }
        return [first, second].flatMap { [UInt8](repeating: 0, count: width - $0.count) + $0 }
    }

    /// Returns the numbers in DER; nil if the bytes are not two numbers of a length.
    /// - Parameter width: The length of a number in bytes.
    static func der(_ fixed: some Collection<UInt8>, width: Int) -> [UInt8]? {
        guard width > 0, fixed.count == 2 * width else { return nil }
        let numbers = [fixed.prefix(width), fixed.dropFirst(width)].flatMap { number in
            let digits = Array(number.drop { $0 == 0 })
            let needsZero = digits.first.map { $0 >= 0x80 } ?? true
            return DERReader.element(DERReader.Tag.integer, needsZero ? [0] + digits : digits)
        }
        return DERReader.element(DERReader.Tag.sequence, numbers)
    }
}
