/// The value of a field in the form `leading; name=value; name="quoted value"`. The parts can also be separated by
/// another character.
package struct FieldParameters {
    /// The text before the first separator.
    package let leading: String
    /// The parameters by their lower-case names. If a name occurs twice, the first value counts.
    package let values: [String: String]

    package init(_ text: String, separator: Character = ";") {
        // Most values have neither parameters nor quotes, so they are not split.
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "\"") }) else {
            leading = text.prefix { $0 != separator }.trimmingBlanks
            values = [:]
            return
        }
        let parts = Self.split(text, at: separator)
        leading = parts.first?.trimmingBlanks ?? ""
        let pairs = parts.compactMap { part -> (String, String)? in
            guard let equals = part.firstIndex(of: "=") else { return nil }
            let value = part[equals...].dropFirst().trimmingBlanks
            return (part[..<equals].trimmingBlanks.lowercased(), Self.unquote(value))
        }
        values = Dictionary(pairs) { first, _ in first }
    }

    /// Splits a text at a separator, but not inside double quotes.
    package static func split(_ text: String, at separator: Character) -> [String] {
        var parts = [""]
        var isQuoted = false
        var isEscaped = false
        for character in text {
            if character == separator, !isQuoted {
                parts.append("")
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && character == "\\" && !isEscaped
            parts[parts.count - 1].append(character)
        }
        return parts
    }

    /// Returns the content of a quoted string, even if its last quote is missing. Returns other values unchanged.
    package static func unquote(_ value: String) -> String {
        guard value.hasPrefix("\"") else { return value }
        var result = ""
        var isEscaped = false
        for character in value.dropFirst() {
            if isEscaped {
                result.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                return result
            } else {
                result.append(character)
            }
        }
        return isEscaped ? result + "\\" : result
    }
}
