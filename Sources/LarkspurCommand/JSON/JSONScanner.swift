/// A scanner that splits JSON into its tokens and checks the grammar (RFC 8259).
///
/// It needs memory only for the nesting, whose depth is limited.
struct JSONScanner {
    /// A token: the kind, and the range of its bytes.
    struct Token: Equatable {
        enum Kind: Equatable {
            case beginObject, endObject, beginArray, endArray, colon, comma
            /// The name of a member, with its quotation marks.
            case name
            case string
            case number
            case bool
            case null
        }

        let kind: Kind
        let range: Range<Int>
    }

    /// The reason why the text is not JSON.
    struct Failure: Error, Equatable {
        /// The offset of the first invalid byte.
        let offset: Int
    }

    /// The largest depth of nesting.
    static let maximumDepth = 512

    private enum Expectation { case value, valueOrEnd, nameOrEnd, name, colon, commaOrEnd, end }

    private let bytes: [UInt8]
    private var index = 0
    private var expectation = Expectation.value
    /// The open containers: true for an object, false for an array.
    private var containers: [Bool] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether the bytes are one JSON value.
    static func accepts(_ bytes: [UInt8]) -> Bool {
        var scanner = JSONScanner(bytes)
        do throws(Failure) {
            while try scanner.next() != nil {}
            return true
        } catch {
            return false
        }
    }

    /// Returns the next token; nil at the end of the text.
    mutating func next() throws(Failure) -> Token? {
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
        guard index < bytes.count else {
            guard expectation == .end else { throw Failure(offset: index) }
            return nil
        }
        let start = index
        let kind = try scan(bytes[index])
        return Token(kind: kind, range: start..<index)
    }

    private mutating func scan(_ byte: UInt8) throws(Failure) -> Token.Kind {
        let takesValue = expectation == .value || expectation == .valueOrEnd
        switch byte {
        case UInt8(ascii: "{") where takesValue: return try open(isObject: true)
        case UInt8(ascii: "[") where takesValue: return try open(isObject: false)
        case UInt8(ascii: "}")
        where containers.last == true && (expectation == .nameOrEnd || expectation == .commaOrEnd):
            return close(.endObject)
        case UInt8(ascii: "]")
        where containers.last == false && (expectation == .valueOrEnd || expectation == .commaOrEnd):
            return close(.endArray)
        case UInt8(ascii: ",") where expectation == .commaOrEnd:
            index += 1
            expectation = containers.last == true ? .name : .value
            return .comma
        case UInt8(ascii: ":") where expectation == .colon:
            index += 1
            expectation = .value
            return .colon
        case UInt8(ascii: "\"") where expectation == .name || expectation == .nameOrEnd:
            try scanString()
            expectation = .colon
            return .name
        case UInt8(ascii: "\"") where takesValue:
            try scanString()
            return ended(.string)
        case UInt8(ascii: "t") where takesValue: return try word("true", .bool)
        case UInt8(ascii: "f") where takesValue: return try word("false", .bool)
        case UInt8(ascii: "n") where takesValue: return try word("null", .null)
        case _ where takesValue:
            try scanNumber()
            return ended(.number)
        default: throw Failure(offset: index)
        }
    }

    private mutating func open(isObject: Bool) throws(Failure) -> Token.Kind {
        guard containers.count < Self.maximumDepth else { throw Failure(offset: index) }
        index += 1
        containers.append(isObject)
        expectation = isObject ? .nameOrEnd : .valueOrEnd
        return isObject ? .beginObject : .beginArray
    }

    private mutating func close(_ kind: Token.Kind) -> Token.Kind {
        index += 1
        containers.removeLast()
        return ended(kind)
    }

    private mutating func ended(_ kind: Token.Kind) -> Token.Kind {
        expectation = containers.isEmpty ? .end : .commaOrEnd
        return kind
    }

    private mutating func word(_ word: StaticString, _ kind: Token.Kind) throws(Failure) -> Token.Kind {
        let letters = word.withUTF8Buffer { Array($0) }
        guard bytes[index...].starts(with: letters) else { throw Failure(offset: index) }
        index += letters.count
        return ended(kind)
    }

    private mutating func scanString() throws(Failure) {
        index += 1
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return
            case UInt8(ascii: "\\"):
                index += 1
                guard index < bytes.count else { throw Failure(offset: index) }
                if bytes[index] == UInt8(ascii: "u") {
                    let digits = bytes[(index + 1)...].prefix(4)
                    guard digits.count == 4, digits.allSatisfy(\.isHexDigit) else { throw Failure(offset: index) }
                    index += 5
                } else {
                    guard "\"\\/bfnrt".utf8.contains(bytes[index]) else { throw Failure(offset: index) }
                    index += 1
                }
            case 0..<0x20: throw Failure(offset: index)
            default: index += 1
            }
        }
        throw Failure(offset: index)
    }

    private mutating func scanNumber() throws(Failure) {
        if peek == UInt8(ascii: "-") { index += 1 }
        if peek == UInt8(ascii: "0") { index += 1 } else { try scanDigits() }
        if peek == UInt8(ascii: ".") {
            index += 1
            try scanDigits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            index += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { index += 1 }
            try scanDigits()
        }
    }

    private mutating func scanDigits() throws(Failure) {
        let start = index
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        guard index > start else { throw Failure(offset: index) }
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
