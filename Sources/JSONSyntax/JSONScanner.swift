internal import HTTPSyntax

/// A scanner that splits JSON into its tokens and checks the grammar (RFC 8259).
///
/// It needs memory only for the nesting, whose depth is limited.
///
/// The scanner is written by hand, because Foundation reads a whole document at once, and preserves neither the order
/// of members nor the digits of numbers.
package struct JSONScanner {
    /// A token: the kind, and the range of its bytes.
    package struct Token: Equatable {
        package enum Kind: Equatable {
            case beginObject, endObject, beginArray, endArray, colon, comma
            /// The name of a member, with its quotation marks.
            case name
            case string
            case number
            case bool
            case null
        }

        package let kind: Kind
        package let range: Range<Int>
    }

    /// The largest depth of nesting. Foundation has the same limit.
    package static let maximumDepth = 512

    private enum Expectation { case value, valueOrEnd, nameOrEnd, name, colon, commaOrEnd, end }

    private let bytes: [UInt8]
    private let maximumDepth: Int
    private var index = 0
    private var expectation = Expectation.value
    /// The open containers: true for an object, false for an array.
    private var containers: [Bool] = []

    package init(_ bytes: [UInt8], maximumDepth: Int = Self.maximumDepth) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    /// Whether the bytes are one JSON value.
    /// - Parameters:
    ///   - bytes: The text.
    ///   - maximumDepth: The largest depth of nesting. Default: ``maximumDepth``.
    package static func accepts(_ bytes: [UInt8], maximumDepth: Int = Self.maximumDepth) -> Bool {
        var scanner = JSONScanner(bytes, maximumDepth: maximumDepth)
        do throws(JSONFailure) {
            while try scanner.next() != nil {}
            return true
        } catch {
            return false
        }
    }

    /// Returns the next token; nil at the end of the text.
    package mutating func next() throws(JSONFailure) -> Token? {
        while let byte = peek, byte == .space || byte == .lineFeed || byte == .carriageReturn || byte == .tab {
            index += 1
        }
        guard index < bytes.count else {
            guard expectation == .end else { throw failure("the document ends too early") }
            return nil
        }
        let start = index
        let kind = try scan(bytes[index])
        return Token(kind: kind, range: start..<index)
    }

    private func failure(_ reason: String) -> JSONFailure { JSONFailure(reason: reason, offset: index) }

    private mutating func scan(_ byte: UInt8) throws(JSONFailure) -> Token.Kind {
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
        case UInt8(ascii: "-") where takesValue, UInt8(ascii: "0")...UInt8(ascii: "9") where takesValue:
            try scanNumber()
            return ended(.number)
        default: throw failure(missing)
        }
    }

    /// The reason why the next byte is not allowed.
    private var missing: String {
        switch expectation {
        case .value, .valueOrEnd: "a value is missing"
        case .name, .nameOrEnd: "the name of a member is missing"
        case .colon: "a colon is missing"
        case .commaOrEnd: "a comma or the end of an \(containers.last == true ? "object" : "array") is missing"
        case .end: "there is something after the end of the document"
        }
    }

    private mutating func open(isObject: Bool) throws(JSONFailure) -> Token.Kind {
        guard containers.count < maximumDepth else { throw failure("the document is nested too deeply") }
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

    private mutating func word(_ word: String, _ kind: Token.Kind) throws(JSONFailure) -> Token.Kind {
        guard bytes[index...].starts(with: word.utf8) else { throw failure("a value is missing") }
        index += word.utf8.count
        return ended(kind)
    }

    private mutating func scanString() throws(JSONFailure) {
        index += 1
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return
            case UInt8(ascii: "\\"):
                index += 1
                try scanEscape()
            case 0..<0x20: throw failure("a string has a control character")
            default: index += 1
            }
        }
        throw failure("the document ends within a string")
    }

    private mutating func scanEscape() throws(JSONFailure) {
        guard let byte = peek else { throw failure("the document ends within a string") }
        guard byte == UInt8(ascii: "u") else {
            guard "\"\\/bfnrt".utf8.contains(byte) else { throw failure("an escape is not known") }
            return index += 1
        }
        let digits = bytes[(index + 1)...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ $0.hexDigitValue != nil }) else {
            throw failure("four hexadecimal digits are missing")
        }
        index += 5
    }

    private mutating func scanNumber() throws(JSONFailure) {
        if peek == UInt8(ascii: "-") { index += 1 }
        if peek == UInt8(ascii: "0") {
            index += 1
            if peek?.isDigit == true { throw failure("a number begins with a zero") }
        } else {
            try scanDigits(or: "a value is missing")
        }
        if peek == UInt8(ascii: ".") {
            index += 1
            try scanDigits(or: "a digit is missing")
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            index += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { index += 1 }
            try scanDigits(or: "a digit is missing")
        }
    }

    private mutating func scanDigits(or reason: String) throws(JSONFailure) {
        let start = index
        while let byte = peek, byte.isDigit { index += 1 }
        guard index > start else { throw failure(reason) }
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }
}

/// The reason why a text is not JSON.
package struct JSONFailure: Error, Equatable {
    package let reason: String
    /// The position of the error in the text, in bytes.
    package let offset: Int

    package init(reason: String, offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}
