internal import Foundation
internal import HTTPSyntax

/// A JSON value in its written form: with the digits of numbers, the order of members, and the position of each value.
/// `JSONSerialization` does not preserve these. So a recorded document is replayed with the same values.
struct JSONNode: Sendable {
    indirect enum Kind: Sendable {
        case null
        case bool(Bool)
        case number(String)
        case string(String)
        case array([JSONNode])
        case object([Member])
    }

    struct Member: Sendable {
        let name: String
        let value: JSONNode
    }

    /// A text that is not JSON.
    struct Failure: Error, Sendable {
        let reason: String
        /// The number of bytes before the error.
        let offset: Int
    }

    let kind: Kind
    /// The number of bytes before the value.
    var offset = 0

    init(_ kind: Kind, offset: Int = 0) {
        self.kind = kind
        self.offset = offset
    }

    /// Reads one value. Only white space may surround it.
    /// - Parameter depth: The largest depth of nesting.
    init(_ bytes: [UInt8], depth: Int) throws(Failure) {
        var parser = JSONParser(bytes: bytes)
        self = try parser.readDocument(depth: depth)
    }

    // MARK: Reading

    var string: String? { if case .string(let text) = kind { text } else { nil } }
    var array: [JSONNode]? { if case .array(let elements) = kind { elements } else { nil } }
    var members: [Member]? { if case .object(let members) = kind { members } else { nil } }
    var integer: Int? { if case .number(let digits) = kind { Int(digits) } else { nil } }

    /// The value of the first member with a name.
    subscript(name: String) -> JSONNode? { members?.first { $0.name == name }?.value }

    // MARK: Writing

    /// The value on one line, without blanks, in UTF-8.
    var compact: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes, indentation: nil)
        return bytes
    }

    /// The value on one line in UTF-8, with the members of objects sorted by their names.
    var canonical: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes, indentation: nil, sortsMembers: true)
        return bytes
    }

    /// Writes the value in UTF-8.
    /// - Parameters:
    ///   - bytes: The array to which the value is appended.
    ///   - indentation: The number of blanks before the value's last line. Lines within it have two more for each
    ///     level. Nil for one line without blanks.
    ///   - sortsMembers: Whether the members of objects are sorted by their names. Default: false.
    func write(to bytes: inout [UInt8], indentation: Int?, sortsMembers: Bool = false) {
        switch kind {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let digits): bytes += digits.utf8
        case .string(let value): Self.write(value, to: &bytes)
        case .array(let elements):
            Self.write(elements, between: "[", "]", to: &bytes, indentation) { element, bytes, indentation in
                element.write(to: &bytes, indentation: indentation, sortsMembers: sortsMembers)
            }
        case .object(let members):
            let members = sortsMembers ? members.sorted { $0.name < $1.name } : members
            Self.write(members, between: "{", "}", to: &bytes, indentation) { member, bytes, indentation in
                Self.write(member.name, to: &bytes)
                bytes += (indentation == nil ? ":" : ": ").utf8
                member.value.write(to: &bytes, indentation: indentation, sortsMembers: sortsMembers)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element],
        between opening: String,
        _ closing: String,
        to bytes: inout [UInt8],
        _ indentation: Int?,
        _ writeElement: (Element, inout [UInt8], Int?) -> Void
    ) {
        bytes += opening.utf8
        let inner = indentation.map { $0 + 2 }
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes += ",".utf8 }
            if let inner { breakLine(inner, in: &bytes) }
            writeElement(element, &bytes, inner)
        }
        if let indentation, !elements.isEmpty { breakLine(indentation, in: &bytes) }
        bytes += closing.utf8
    }

    static func breakLine(_ indentation: Int, in bytes: inout [UInt8]) {
        bytes.append(.lineFeed)
        bytes += repeatElement(.space, count: indentation)
    }

    /// Writes a string. Contents are long and have few escapes, so the bytes between two escapes are copied together.
    private static func write(_ value: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { text in
            var start = 0
            for index in 0..<text.count where isEscaped(text[index]) {
                bytes += text[start..<index]
                bytes += escape(of: text[index]).utf8
                start = index + 1
            }
            bytes += text[start...]
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
    }

    private static func escape(of byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "\""): "\\\""
        case UInt8(ascii: "\\"): "\\\\"
        case .lineFeed: "\\n"
        case .carriageReturn: "\\r"
        case .tab: "\\t"
        default: "\\u00" + CollectionOfOne(byte).hexadecimal
        }
    }
}

/// A parser of JSON (RFC 8259). Its time is proportional to the length.
private struct JSONParser {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func readDocument(depth: Int) throws(JSONNode.Failure) -> JSONNode {
        let node = try readValue(depth: depth)
        skipBlanks()
        guard position == bytes.count else { throw failure("there is something after the end of the document") }
        return node
    }

    private func failure(_ reason: String) -> JSONNode.Failure { JSONNode.Failure(reason: reason, offset: position) }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == .space || byte == .lineFeed || byte == .carriageReturn || byte == .tab {
            position += 1
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func readValue(depth: Int) throws(JSONNode.Failure) -> JSONNode {
        skipBlanks()
        let offset = position
        switch next {
        case nil: throw failure("the document ends too early")
        case UInt8(ascii: "{"): return JSONNode(.object(try readMembers(depth: depth)), offset: offset)
        case UInt8(ascii: "["): return JSONNode(.array(try readElements(depth: depth)), offset: offset)
        case UInt8(ascii: "\""): return JSONNode(.string(try readString()), offset: offset)
        case UInt8(ascii: "t"): return try read("true", .bool(true))
        case UInt8(ascii: "f"): return try read("false", .bool(false))
        case UInt8(ascii: "n"): return try read("null", .null)
        default: return JSONNode(.number(try readNumber()), offset: offset)
        }
    }

    private mutating func read(_ word: String, _ kind: JSONNode.Kind) throws(JSONNode.Failure) -> JSONNode {
        let offset = position
        guard bytes[position...].starts(with: word.utf8) else { throw failure("a value is missing") }
        position += word.utf8.count
        return JSONNode(kind, offset: offset)
    }

    private mutating func readMembers(depth: Int) throws(JSONNode.Failure) -> [JSONNode.Member] {
        guard depth > 0 else { throw failure("the document is nested too deeply") }
        position += 1
        var members: [JSONNode.Member] = []
        skipBlanks()
        if take(UInt8(ascii: "}")) { return members }
        while true {
            skipBlanks()
            guard next == UInt8(ascii: "\"") else { throw failure("the name of a member is missing") }
            let name = try readString()
            skipBlanks()
            guard take(UInt8(ascii: ":")) else { throw failure("a colon is missing") }
            members.append(JSONNode.Member(name: name, value: try readValue(depth: depth - 1)))
            skipBlanks()
            if take(UInt8(ascii: ",")) { continue }
            guard take(UInt8(ascii: "}")) else { throw failure("a comma or the end of an object is missing") }
            return members
        }
    }

    private mutating func readElements(depth: Int) throws(JSONNode.Failure) -> [JSONNode] {
        guard depth > 0 else { throw failure("the document is nested too deeply") }
        position += 1
        var elements: [JSONNode] = []
        skipBlanks()
        if take(UInt8(ascii: "]")) { return elements }
        while true {
            elements.append(try readValue(depth: depth - 1))
            skipBlanks()
            if take(UInt8(ascii: ",")) { continue }
            guard take(UInt8(ascii: "]")) else { throw failure("a comma or the end of an array is missing") }
            return elements
        }
    }

    private mutating func readNumber() throws(JSONNode.Failure) -> String {
        let start = position
        _ = take(UInt8(ascii: "-"))
        let first = next
        guard readDigits() > 0 else {
            position = start
            throw failure("a value is missing")
        }
        if first == UInt8(ascii: "0"), position - start > (bytes[start] == UInt8(ascii: "-") ? 2 : 1) {
            throw failure("a number begins with a zero")
        }
        if take(UInt8(ascii: ".")), readDigits() == 0 { throw failure("a digit is missing") }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            if readDigits() == 0 { throw failure("a digit is missing") }
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func readDigits() -> Int {
        let start = position
        while let byte = next, byte.isDigit { position += 1 }
        return position - start
    }

    private mutating func readString() throws(JSONNode.Failure) -> String {
        let start = position
        position += 1
        var content: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                if let text = String(validating: content, as: UTF8.self) { return text }
                position = start
                throw failure("a string is not UTF-8")
            case UInt8(ascii: "\\"):
                position += 1
                try readEscape(into: &content)
            case 0..<0x20: throw failure("a string has a control character")
            default:
                content.append(byte)
                position += 1
            }
        }
        throw failure("the document ends within a string")
    }

    private mutating func readEscape(into content: inout [UInt8]) throws(JSONNode.Failure) {
        guard let byte = next else { throw failure("the document ends within a string") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(.lineFeed)
        case UInt8(ascii: "r"): content.append(.carriageReturn)
        case UInt8(ascii: "t"): content.append(.tab)
        case UInt8(ascii: "u"):
            var value = try readHexadecimal()
            if 0xD800..<0xDC00 ~= value {
                guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
                    throw failure("half of a pair is missing")
                }
                let second = try readHexadecimal()
                guard 0xDC00..<0xE000 ~= second else { throw failure("half of a pair is missing") }
                value = 0x10000 + ((value - 0xD800) << 10) + (second - 0xDC00)
            }
            guard let scalar = UnicodeScalar(value) else { throw failure("half of a pair is missing") }
            content.append(contentsOf: Array(String(scalar).utf8))
        default: throw failure("an escape is not known")
        }
    }

    private mutating func readHexadecimal() throws(JSONNode.Failure) -> UInt32 {
        guard bytes.count - position >= 4,
            bytes[position..<position + 4].allSatisfy({ $0.isDigit || $0.asLowercase &- 0x61 < 6 }),
            let value = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
        else { throw failure("four hexadecimal digits are missing") }
        position += 4
        return value
    }
}
