internal import HTTPSyntax

extension JSONNode {
    /// The value on one line, without blanks, in UTF-8.
    package var compact: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes, indentation: nil)
        return bytes
    }

    /// The value on one line in UTF-8, with the members of objects sorted by their names.
    package var canonical: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes, indentation: nil, sortsMembers: true)
        return bytes
    }

    /// Writes the value in UTF-8.
    /// - Parameters:
    ///   - bytes: The array to which the value is appended.
    ///   - indentation: The number of blanks before the last line of the value. Each level of nesting adds two blanks.
    ///     Nil to write one line without blanks.
    ///   - sortsMembers: Whether the members of objects are sorted by their names. Default: false.
    package func write(to bytes: inout [UInt8], indentation: Int?, sortsMembers: Bool = false) {
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

    package static func breakLine(_ indentation: Int, in bytes: inout [UInt8]) {
        bytes.append(.lineFeed)
        bytes += repeatElement(.space, count: indentation)
    }

    /// Writes a string. Long strings usually have few escapes, so the bytes between two escapes are copied together.
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
