/// The value of a `Strict-Transport-Security` field (RFC 6797, section 6.1).
package struct StrictTransportField: Equatable, Sendable {
    /// The time in seconds for which the host requires https; 0 if it no longer requires https.
    package let maximumAge: Int
    /// Whether the subdomains of the host require https too.
    package let includesSubdomains: Bool

    /// The largest time in seconds, over 300 years. It keeps dates within the years that a file can have.
    package static let longest = 10_000_000_000

    /// Parses a value. Nil if it does not match the grammar, if a directive occurs twice, or if `max-age` is missing.
    /// Such a field is ignored as a whole. Unknown directives are ignored.
    package init?(_ text: String) {
        var rest = text.utf8[...]
        var names: Set<TextKey> = []
        var maximumAge: Int?
        while true {
            rest = rest.drop { $0.isBlank }
            let name = String(decoding: rest.prefix { $0.isToken }, as: UTF8.self).inLowercase
            rest = rest.drop { $0.isToken }.drop { $0.isBlank }
            // A directive may be empty, but a value must have a name before it.
            if !name.isEmpty {
                let value: String?
                if rest.first == UInt8(ascii: "=") {
                    rest = rest.dropFirst().drop { $0.isBlank }
                    guard let text = Self.takeValue(from: &rest) else { return nil }
                    value = text
                } else {
                    value = nil
                }
                guard names.insert(name) else { return nil }
                switch name {
                case "max-age":
                    guard let number = value?.utf8.decimalNumber(atMost: Self.longest) else { return nil }
                    maximumAge = number
                case "includesubdomains": guard value == nil else { return nil }
                default: break
                }
                rest = rest.drop { $0.isBlank }
            }
            guard let separator = rest.first else { break }
            guard separator == UInt8(ascii: ";") else { return nil }
            rest = rest.dropFirst()
        }
        guard let maximumAge else { return nil }
        self.maximumAge = maximumAge
        includesSubdomains = names.contains("includesubdomains")
    }

    /// Takes a token or a quoted string; nil if there is neither.
    private static func takeValue(from rest: inout Substring.UTF8View) -> String? {
        guard rest.first == UInt8(ascii: "\"") else {
            let token = rest.prefix { $0.isToken }
            rest = rest.dropFirst(token.count)
            return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
        }
        var content: [UInt8] = []
        var isEscaped = false
        for (index, byte) in zip(rest.indices, rest).dropFirst() {
            guard byte >= 0x20 || byte == .tab, byte != 0x7F else { return nil }
            if isEscaped {
                content.append(byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                rest = rest[rest.index(after: index)...]
                return String(decoding: content, as: UTF8.self)
            } else {
                content.append(byte)
            }
        }
        return nil
    }
}
