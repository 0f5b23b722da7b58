/// A parser of JSON that preserves the order of members and the digits of numbers.
struct JSONParser {
    private let bytes: [UInt8]
    private var scanner: JSONScanner

    private init(_ text: String) {
        bytes = Array(text.utf8)
        scanner = JSONScanner(bytes)
    }

    /// Parses a text that consists of one JSON value.
    static func parse(_ text: String) throws(JSONScanner.Failure) -> JSONValue {
        var parser = JSONParser(text)
        guard let first = try parser.scanner.next() else { throw JSONScanner.Failure(offset: 0) }
        let value = try parser.value(first)
        _ = try parser.scanner.next()
        return value
    }

    /// Parses the value that begins with a token. The scanner has already checked the order of the tokens.
    private mutating func value(_ token: JSONScanner.Token) throws(JSONScanner.Failure) -> JSONValue {
        switch token.kind {
        case .beginObject: return .object(try members())
        case .beginArray: return .array(try elements())
        case .string, .name: return .string(string(token))
        case .number: return .number(text(token))
        case .bool: return .bool(text(token) == "true")
        case .null: return .null
        case .endObject, .endArray, .colon, .comma: throw JSONScanner.Failure(offset: token.range.lowerBound)
        }
    }

    private mutating func members() throws(JSONScanner.Failure) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        while let token = try scanner.next(), token.kind != .endObject {
            guard token.kind == .name else { continue }
            _ = try scanner.next()
            guard let first = try scanner.next() else { break }
            members.append(JSONValue.Member(name: string(token), value: try value(first)))
        }
        return members
    }

    private mutating func elements() throws(JSONScanner.Failure) -> [JSONValue] {
        var elements: [JSONValue] = []
        while let token = try scanner.next(), token.kind != .endArray {
            if token.kind != .comma { elements.append(try value(token)) }
        }
        return elements
    }

    private func text(_ token: JSONScanner.Token) -> String { String(decoding: bytes[token.range], as: UTF8.self) }

    /// Returns the characters of a string without its quotation marks and escapes.
    private func string(_ token: JSONScanner.Token) -> String {
        let content = bytes[token.range].dropFirst().dropLast()
        guard content.contains(UInt8(ascii: "\\")) else { return String(decoding: content, as: UTF8.self) }
        var units: [UInt16] = []
        var rest = String(decoding: content, as: UTF8.self).utf16[...]
        while let unit = rest.popFirst() {
            guard unit == 0x5C, let escape = rest.popFirst() else {
                units.append(unit)
                continue
            }
            switch escape {
            case 0x62: units.append(0x08)
            case 0x66: units.append(0x0C)
            case 0x6E: units.append(0x0A)
            case 0x72: units.append(0x0D)
            case 0x74: units.append(0x09)
            case 0x75:
                let digits = String(decoding: rest.prefix(4), as: UTF16.self)
                units.append(UInt16(digits, radix: 16) ?? 0xFFFD)
                rest = rest.dropFirst(4)
            default: units.append(escape)
            }
        }
        return String(decoding: units, as: UTF16.self)
    }
}
