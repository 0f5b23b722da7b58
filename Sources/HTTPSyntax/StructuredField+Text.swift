internal import Foundation

// The serialization of structured fields (RFC 9651, section 4.1). A value that was read can always be written. For any
// other value, the text is nil if the RFC has no form for it.

extension StructuredField {
    /// Returns the text of a list; nil if a member has none.
    package static func text(ofList members: some Sequence<Member>) -> String? {
        joined(members.lazy.map(\.text), separator: ", ")
    }

    /// Returns the text of a dictionary; nil if a member has none.
    package static func text(ofDictionary members: OrderedMembers<Member>) -> String? {
        let texts = members.pairs.map { key, member -> String? in
            guard isKey(key.text) else { return nil }
            if let item = member.item, item.value == .boolean(true) {
                return StructuredField.text(ofParameters: item.parameters).map { key.text + $0 }
            }
            return member.text.map { key.text + "=" + $0 }
        }
        return joined(texts, separator: ", ")
    }

    fileprivate static func text(ofParameters parameters: OrderedMembers<BareItem>) -> String? {
        let texts = parameters.pairs.map { key, value -> String? in
            guard isKey(key.text) else { return nil }
            return value == .boolean(true) ? ";" + key.text : value.text.map { ";" + key.text + "=" + $0 }
        }
        return joined(texts, separator: "")
    }

    fileprivate static func joined(_ texts: some Sequence<String?>, separator: String) -> String? {
        var whole: [String] = []
        for text in texts {
            guard let text else { return nil }
            whole.append(text)
        }
        return whole.joined(separator: separator)
    }

    /// Whether a text is the key of a parameter or of a member of a dictionary.
    package static func isKey(_ text: String) -> Bool {
        guard let first = text.utf8.first, first == UInt8(ascii: "*") || first &- 0x61 < 26 else { return false }
        return text.utf8.allSatisfy { $0 &- 0x61 < 26 || $0.isDigit || "_-.*".utf8.contains($0) }
    }
}

extension StructuredField.Member {
    /// The text; nil if there is none.
    package var text: String? {
        switch self {
        case .item(let item): return item.text
        case .innerList(let items, let parameters):
            guard let content = StructuredField.joined(items.lazy.map(\.text), separator: " "),
                let parameters = StructuredField.text(ofParameters: parameters)
            else { return nil }
            return "(\(content))\(parameters)"
        }
    }
}

extension StructuredField.Item {
    /// The text; nil if there is none.
    package var text: String? {
        guard let value = value.text, let parameters = StructuredField.text(ofParameters: parameters) else {
            return nil
        }
        return value + parameters
    }
}

extension StructuredField.BareItem {
    /// The text; nil if there is none: for numbers with too many digits, and for texts with other characters than those
    /// of their type.
    package var text: String? {
        switch self {
        case .integer(let number): return Self.hasText(number) ? String(number) : nil
        case .decimal(let number): return Self.text(number)
        case .string(let text):
            guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
            return "\"" + text.escaping("\\").escaping("\"") + "\""
        case .token(let text):
            guard let first = text.utf8.first, first == UInt8(ascii: "*") || first.isLetter,
                text.utf8.allSatisfy({ $0.isToken || ":/".utf8.contains($0) })
            else { return nil }
            return text
        case .bytes(let data): return ":" + data.base64EncodedString() + ":"
        case .boolean(let isTrue): return isTrue ? "?1" : "?0"
        case .date(let seconds): return Self.hasText(seconds) ? "@" + String(seconds) : nil
        case .displayString(let text): return Self.displayText(text)
        }
    }

    private static func hasText(_ number: Int64) -> Bool {
        (-999_999_999_999_999...999_999_999_999_999).contains(number)
    }

    /// Returns the text of a decimal number, which has at most three digits behind the point, and at least one.
    private static func text(_ number: Double) -> String? {
        let thousandths = (number * 1000).rounded(.toNearestOrEven)
        guard abs(thousandths) <= 999_999_999_999_999 else { return nil }
        let (whole, rest) = Int64(abs(thousandths)).quotientAndRemainder(dividingBy: 1000)
        var digits = String(String(1000 + rest).dropFirst())
        while digits.utf8.count > 1, digits.utf8.last == UInt8(ascii: "0") { digits.unicodeScalars.removeLast() }
        return (thousandths < 0 ? "-" : "") + "\(whole).\(digits)"
    }

    private static func displayText(_ text: String) -> String {
        var result: [UInt8] = Array("%\"".utf8)
        for byte in text.utf8 {
            if (0x20...0x7E).contains(byte), byte != UInt8(ascii: "%"), byte != UInt8(ascii: "\"") {
                result.append(byte)
            } else {
                result += "%".utf8
                result += CollectionOfOne(byte).hexadecimal.utf8
            }
        }
        return String(decoding: result + "\"".utf8, as: UTF8.self)
    }
}

extension String {
    /// Returns the text with a backslash before each occurrence of an ASCII character.
    fileprivate func escaping(_ character: Unicode.Scalar) -> String {
        let byte = UInt8(ascii: character)
        guard utf8.contains(byte) else { return self }
        return String(decoding: utf8.flatMap { $0 == byte ? [UInt8(ascii: "\\"), $0] : [$0] }, as: UTF8.self)
    }
}
