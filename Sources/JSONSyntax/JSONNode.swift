internal import HTTPSyntax

/// A JSON value as it was written: with the order of members, the digits of numbers, and the position of each value.
/// Foundation's readers of JSON preserve none of these.
package struct JSONNode: Sendable {
    package enum Kind: Equatable, Sendable {
        case null
        case bool(Bool)
        /// A number with the digits of the text.
        case number(String)
        case string(String)
        case array([JSONNode])
        case object([Member])
    }

    package struct Member: Equatable, Sendable {
        package let name: String
        package var value: JSONNode

        package init(name: String, value: JSONNode) {
            self.name = name
            self.value = value
        }
    }

    package var kind: Kind
    /// The number of bytes before the value in the text; 0 for a value that was not read from a text.
    package let offset: Int

    package init(_ kind: Kind, offset: Int = 0) {
        self.kind = kind
        self.offset = offset
    }

    /// The largest depth of nesting.
    ///
    /// Reading, changing, writing and releasing a value take stack for each level, and a server decides how deep its
    /// content is. With this depth, they need little stack, also in a debug build. ``JSONScanner`` takes no stack for
    /// nesting, so its limit is higher.
    package static let maximumDepth = 64

    /// Reads one value in UTF-8. Only white space may surround it.
    /// - Parameters:
    ///   - bytes: The text.
    ///   - maximumDepth: The largest depth of nesting. Default: ``maximumDepth``.
    package init(_ bytes: [UInt8], maximumDepth: Int = Self.maximumDepth) throws(JSONFailure) {
        var reader = Reader(bytes: bytes, scanner: JSONScanner(bytes, maximumDepth: maximumDepth))
        self = try reader.document()
    }

    package var string: String? { if case .string(let text) = kind { text } else { nil } }
    package var array: [JSONNode]? { if case .array(let elements) = kind { elements } else { nil } }
    package var members: [Member]? { if case .object(let members) = kind { members } else { nil } }
    package var integer: Int? { if case .number(let digits) = kind { Int(digits) } else { nil } }

    /// The value of the first member with a name.
    package subscript(name: String) -> JSONNode? { members?.first { $0.name == name }?.value }
}

extension JSONNode: Equatable {
    /// Returns whether the values are equal. Their positions in a text are not compared.
    package static func == (left: JSONNode, right: JSONNode) -> Bool { left.kind == right.kind }
}

extension JSONNode {
    /// A reader of the tokens of a text. The scanner has checked their order.
    private struct Reader {
        let bytes: [UInt8]
        var scanner: JSONScanner

        mutating func document() throws(JSONFailure) -> JSONNode {
            let node = try value(required())
            _ = try scanner.next()
            return node
        }

        private mutating func required() throws(JSONFailure) -> JSONScanner.Token {
            guard let token = try scanner.next() else { throw failure("the document ends too early", bytes.count) }
            return token
        }

        private func failure(_ reason: String, _ offset: Int) -> JSONFailure {
            JSONFailure(reason: reason, offset: offset)
        }

        private mutating func value(_ token: JSONScanner.Token) throws(JSONFailure) -> JSONNode {
            let kind: Kind =
                switch token.kind {
                case .beginObject: .object(try members())
                case .beginArray: .array(try elements())
                case .string, .name: .string(try string(token))
                case .number: .number(String(decoding: bytes[token.range], as: UTF8.self))
                case .bool: .bool(bytes[token.range.lowerBound] == UInt8(ascii: "t"))
                case .null: .null
                case .endObject, .endArray, .colon, .comma:
                    throw failure("a value is missing", token.range.lowerBound)
                }
            return JSONNode(kind, offset: token.range.lowerBound)
        }

        private mutating func members() throws(JSONFailure) -> [Member] {
            var members: [Member] = []
            while case let token = try required(), token.kind != .endObject {
                guard token.kind == .name else { continue }
                let name = try string(token)
                // Skips the colon.
                _ = try scanner.next()
                members.append(Member(name: name, value: try value(required())))
            }
            return members
        }

        private mutating func elements() throws(JSONFailure) -> [JSONNode] {
            var elements: [JSONNode] = []
            while case let token = try required(), token.kind != .endArray {
                if token.kind != .comma { elements.append(try value(token)) }
            }
            return elements
        }

        /// Returns the characters of a string without its quotation marks and escapes.
        private func string(_ token: JSONScanner.Token) throws(JSONFailure) -> String {
            let content = bytes[(token.range.lowerBound + 1)..<(token.range.upperBound - 1)]
            let text =
                content.contains(UInt8(ascii: "\\"))
                ? String(validating: try unescaped(content), as: UTF8.self)
                : String(validating: content, as: UTF8.self)
            guard let text else { throw failure("a string is not UTF-8", token.range.lowerBound) }
            return text
        }

        private func unescaped(_ content: ArraySlice<UInt8>) throws(JSONFailure) -> [UInt8] {
            var result: [UInt8] = []
            result.reserveCapacity(content.count)
            var rest = content
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                    result.append(byte)
                    continue
                }
                switch escape {
                case UInt8(ascii: "b"): result.append(0x08)
                case UInt8(ascii: "f"): result.append(0x0C)
                case UInt8(ascii: "n"): result.append(.lineFeed)
                case UInt8(ascii: "r"): result.append(.carriageReturn)
                case UInt8(ascii: "t"): result.append(.tab)
                case UInt8(ascii: "u"):
                    let offset = rest.startIndex
                    guard let scalar = scalar(&rest) else { throw failure("half of a pair is missing", offset) }
                    result += String(scalar).utf8
                default: result.append(escape)
                }
            }
            return result
        }

        /// Reads the digits of an escape. If they are the first half of a surrogate pair, reads the escape of the
        /// second half too.
        private func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
            let first = unit(&rest)
            guard 0xD800..<0xDC00 ~= first else { return Unicode.Scalar(first) }
            guard rest.popFirst() == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u") else { return nil }
            let second = unit(&rest)
            guard 0xDC00..<0xE000 ~= second else { return nil }
            return Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        }

        private func unit(_ rest: inout ArraySlice<UInt8>) -> UInt32 {
            defer { rest = rest.dropFirst(4) }
            return rest.prefix(4).reduce(0) { $0 << 4 | UInt32($1.hexDigitValue ?? 0) }
        }
    }
}
