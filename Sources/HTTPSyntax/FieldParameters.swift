/// The value of a field in the form `leading; name=value; name="quoted value"`. The parts can also be separated by
/// another character.
package struct FieldParameters {
    /// The text before the first separator.
    package let leading: String
    /// The parameters by their lower-case names. If a name occurs twice, the first value counts.
    package let values: [TextKey: String]

    package init(_ text: String, separator: Unicode.Scalar = ";") {
        // Most values have neither parameters nor quotes, so they are not split.
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "\"") }) else {
            leading = text.before(separator).trimmingBlanks
            values = [:]
            return
        }
        let parts = Self.split(text, at: separator)
        leading = parts.first?.trimmingBlanks ?? ""
        let pairs = parts.compactMap { part -> (TextKey, String)? in
            guard let (name, value) = part.cut(at: "=") else { return nil }
            return (TextKey(name.trimmingBlanks.inLowercase), Self.unquote(value.trimmingBlanks))
        }
        values = Dictionary(pairs) { first, _ in first }
    }

    /// Splits a text at a separator, but not inside double quotes.
    package static func split(_ text: String, at separator: Unicode.Scalar) -> [String] {
        let separator = UInt8(ascii: separator)
        var quotation = Quotation()
        return text.utf8.split(omittingEmptySubsequences: false) { quotation.isOutside($0) && $0 == separator }
            .map { String(Substring($0)) }
    }

    /// Returns the content of a quoted string, even if its last quote is missing. Returns other values unchanged.
    package static func unquote(_ value: String) -> String {
        guard value.begins(with: "\"") else { return value }
        var result: [UInt8] = []
        var isEscaped = false
        for byte in value.utf8.dropFirst() {
            if isEscaped {
                result.append(byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                return String(decoding: result, as: UTF8.self)
            } else {
                result.append(byte)
            }
        }
        if isEscaped { result.append(UInt8(ascii: "\\")) }
        return String(decoding: result, as: UTF8.self)
    }
}

/// The position in a text with quoted strings (RFC 9110, section 5.6.4). It is given the bytes of the text in order.
package struct Quotation {
    private var isQuoted = false
    private var isEscaped = false

    package init() {}

    /// Returns whether a byte is outside of quoted strings, and moves behind the byte. False for a quote.
    package mutating func isOutside(_ byte: UInt8) -> Bool {
        let isQuote = byte == UInt8(ascii: "\"") && !isEscaped
        if isQuote { isQuoted.toggle() }
        isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
        return !isQuoted && !isQuote
    }
}
