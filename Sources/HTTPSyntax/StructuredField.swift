package import Foundation

/// The value of a structured field (RFC 9651): a list, a dictionary or a single item. The readers accept exactly what
/// the RFC accepts (section 4.2). Several fields with the same name are joined by commas before they are read.
package enum StructuredField {
    /// A value without parameters (RFC 9651, section 3.3).
    package enum BareItem: Equatable, Sendable {
        case integer(Int64)
        case decimal(Double)
        case string(String)
        case token(String)
        case bytes(Data)
        case boolean(Bool)
        /// Seconds since the epoch.
        case date(Int64)
        /// Text with characters beyond ASCII.
        case displayString(String)
    }

    /// The parameters of an item or of an inner list. If a parameter occurs twice, the last one counts.
    package typealias Parameters = OrderedMembers<BareItem>

    /// A value with its parameters.
    package struct Item: Equatable, Sendable {
        package let value: BareItem
        package let parameters: Parameters

        package init(_ value: BareItem, _ parameters: Parameters = [:]) {
            self.value = value
            self.parameters = parameters
        }
    }

    /// A member of a list or of a dictionary.
    package enum Member: Equatable, Sendable {
        case item(Item)
        case innerList([Item], parameters: Parameters)

        /// The item; nil for an inner list.
        package var item: Item? {
            if case .item(let item) = self { item } else { nil }
        }
    }

    /// Reads a list (section 4.2.1); nil if the text is malformed. A text without members is an empty list.
    package static func list(_ text: String) -> [Member]? {
        read(text) { reader in
            var members: [Member] = []
            let isRead = reader.cutMembers { reader in
                guard let member = reader.cutMember() else { return false }
                members.append(member)
                return true
            }
            return isRead ? members : nil
        }
    }

    /// Reads a dictionary (section 4.2.2); nil if the text is malformed. A text without members is an empty dictionary.
    /// If a key occurs twice, the last member counts.
    package static func dictionary(_ text: String) -> [TextKey: Member]? {
        orderedDictionary(text).map { Dictionary(uniqueKeysWithValues: $0.pairs.map { ($0.key, $0.value) }) }
    }

    /// Reads a dictionary as ``dictionary(_:)`` does, and preserves the order of its members.
    package static func orderedDictionary(_ text: String) -> OrderedMembers<Member>? {
        read(text) { reader in
            var members = OrderedMembers<Member>()
            let isRead = reader.cutMembers { reader in
                guard let key = reader.cutKey() else { return false }
                if reader.cut("=") {
                    guard let member = reader.cutMember() else { return false }
                    members.set(key, member)
                } else {
                    guard let parameters = reader.cutParameters() else { return false }
                    members.set(key, .item(Item(.boolean(true), parameters)))
                }
                return true
            }
            return isRead ? members : nil
        }
    }

    /// Reads a single item (section 4.2.3); nil if the text is malformed.
    package static func item(_ text: String) -> Item? { read(text) { $0.cutItem() } }

    private static func read<Value>(_ text: String, _ body: (inout StructuredFieldReader) -> Value?) -> Value? {
        var reader = StructuredFieldReader(Array(text.utf8))
        reader.skipSpaces()
        guard let value = body(&reader) else { return nil }
        reader.skipSpaces()
        return reader.isAtEnd ? value : nil
    }
}

/// A cursor on the bytes of a structured field. A method that returns nil may have moved the cursor, because the whole
/// field is then malformed.
private struct StructuredFieldReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skipSpaces() { _ = cutPrefix { $0 == .space } }

    /// Moves behind a character and returns true, if it is the next one.
    mutating func cut(_ character: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Moves to the first byte that does not match, and returns the bytes before it.
    private mutating func cutPrefix(while matches: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        while let byte = current, matches(byte) { position += 1 }
        return bytes[start..<position]
    }

    private mutating func pop() -> UInt8? {
        guard let byte = current else { return nil }
        position += 1
        return byte
    }

    // MARK: Members

    /// Reads members that are separated by commas, up to the end of the text. Returns false if they are malformed.
    mutating func cutMembers(_ cutMember: (inout Self) -> Bool) -> Bool {
        while !isAtEnd {
            guard cutMember(&self) else { return false }
            _ = cutPrefix(while: \.isBlank)
            if isAtEnd { return true }
            guard cut(",") else { return false }
            _ = cutPrefix(while: \.isBlank)
            // A comma at the end is not allowed.
            if isAtEnd { return false }
        }
        return true
    }

    mutating func cutMember() -> StructuredField.Member? {
        guard cut("(") else { return cutItem().map { .item($0) } }
        var items: [StructuredField.Item] = []
        while true {
            skipSpaces()
            if cut(")") { return cutParameters().map { .innerList(items, parameters: $0) } }
            guard let item = cutItem(), current == .space || current == UInt8(ascii: ")") else { return nil }
            items.append(item)
        }
    }

    mutating func cutItem() -> StructuredField.Item? {
        guard let value = cutBareItem(), let parameters = cutParameters() else { return nil }
        return StructuredField.Item(value, parameters)
    }

    mutating func cutParameters() -> StructuredField.Parameters? {
        var parameters = StructuredField.Parameters()
        while cut(";") {
            skipSpaces()
            guard let key = cutKey() else { return nil }
            if cut("=") {
                guard let value = cutBareItem() else { return nil }
                parameters.set(key, value)
            } else {
                parameters.set(key, .boolean(true))
            }
        }
        return parameters
    }

    mutating func cutKey() -> TextKey? {
        guard let first = current, first.isLowercaseLetter || first == UInt8(ascii: "*") else { return nil }
        let key = cutPrefix { $0.isLowercaseLetter || $0.isDigit || "_-.*".utf8.contains($0) }
        return TextKey(String(decoding: key, as: UTF8.self))
    }

    // MARK: Bare items

    private mutating func cutBareItem() -> StructuredField.BareItem? {
        guard let first = current else { return nil }
        switch first {
        case UInt8(ascii: "-"),
            _ where first.isDigit:
            return cutNumber()
        case UInt8(ascii: "\""): return cutString().map { .string($0) }
        case UInt8(ascii: "*"),
            _ where first.isLetter:
            let token = cutPrefix { $0.isToken || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
            return .token(String(decoding: token, as: UTF8.self))
        case UInt8(ascii: ":"): return cutByteSequence().map { .bytes($0) }
        case UInt8(ascii: "?"):
            position += 1
            return cut("1") ? .boolean(true) : cut("0") ? .boolean(false) : nil
        case UInt8(ascii: "@"):
            position += 1
            guard case .integer(let seconds) = cutNumber() else { return nil }
            return .date(seconds)
        case UInt8(ascii: "%"): return cutDisplayString().map { .displayString($0) }
        default: return nil
        }
    }

    /// Reads an integer of at most 15 digits, or a decimal number with at most 12 and 3 digits.
    private mutating func cutNumber() -> StructuredField.BareItem? {
        let isNegative = cut("-")
        let digits = cutPrefix(while: \.isDigit)
        guard cut(".") else {
            guard (1...15).contains(digits.count) else { return nil }
            return .integer(isNegative ? -Self.number(digits) : Self.number(digits))
        }
        let fraction = cutPrefix(while: \.isDigit)
        guard (1...12).contains(digits.count), (1...3).contains(fraction.count) else { return nil }
        let divisor = [10.0, 100, 1000][fraction.count - 1]
        let value = Double(Self.number(digits + fraction)) / divisor
        return .decimal(isNegative ? -value : value)
    }

    /// Returns the value of at most 15 digits.
    private static func number(_ digits: some Sequence<UInt8>) -> Int64 {
        digits.reduce(0) { $0 * 10 + Int64($1 &- UInt8(ascii: "0")) }
    }

    private mutating func cutString() -> String? {
        position += 1
        var content: [UInt8] = []
        while let byte = pop() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = pop(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") else {
                    return nil
                }
                content.append(escaped)
            default:
                guard byte.isPrintable else { return nil }
                content.append(byte)
            }
        }
        return nil
    }

    /// Reads a byte sequence, which is Base64 between colons. Missing padding is accepted, as RFC 9651 (section 4.2.7)
    /// recommends.
    private mutating func cutByteSequence() -> Data? {
        position += 1
        let digits = cutPrefix(while: \.isBase64Digit)
        let padding = cutPrefix { $0 == UInt8(ascii: "=") }
        let missing = (4 - digits.count % 4) % 4
        guard cut(":"), missing < 3, padding.isEmpty || padding.count == missing else { return nil }
        return Data(base64Encoded: Data(digits + Array(repeating: UInt8(ascii: "="), count: missing)))
    }

    /// Reads text in UTF-8 whose bytes beyond ASCII are written with a percent sign and two lower-case digits.
    private mutating func cutDisplayString() -> String? {
        position += 1
        guard cut("\"") else { return nil }
        var content: [UInt8] = []
        while let byte = pop() {
            switch byte {
            case UInt8(ascii: "\""): return String(validating: content, as: UTF8.self)
            case UInt8(ascii: "%"):
                guard let high = pop(), let low = pop(), let first = high.lowercaseHexValue,
                    let second = low.lowercaseHexValue
                else { return nil }
                content.append(first << 4 | second)
            default:
                guard byte.isPrintable else { return nil }
                content.append(byte)
            }
        }
        return nil
    }
}

extension UInt8 {
    fileprivate var isLowercaseLetter: Bool { self &- 0x61 < 26 }

    fileprivate var isBase64Digit: Bool { isLetter || isDigit || "+/".utf8.contains(self) }

    /// Whether the byte is a character of ASCII that is no control character.
    fileprivate var isPrintable: Bool { (0x20...0x7E).contains(self) }

    /// The value of a hexadecimal digit without upper-case letters; nil for other bytes.
    fileprivate var lowercaseHexValue: UInt8? { isDigit || isLowercaseLetter ? hexDigitValue : nil }
}
