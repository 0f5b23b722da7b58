/// The value of a response's `Content-Disposition` (RFC 6266).
package struct DispositionField: Equatable {
    /// The type, in lower case.
    package let type: String
    /// The name of the file: the value of `filename*` if there is one, otherwise the value of `filename`. Nil if there
    /// is neither.
    package let fileName: String?

    /// Reads a value; nil if it is invalid, for example if a parameter occurs twice (section 4.1).
    ///
    /// Empty parameters are allowed, as in RFC 9110 (section 5.6.6), because many servers send a semicolon at the end.
    /// A `filename*` that cannot be decoded is ignored.
    package init?(_ text: String) {
        var reader = Reader(rest: Array(text.utf8)[...])
        guard let type = reader.cutToken() else { return nil }
        var parameters: [TextKey: Value] = [:]
        while true {
            reader.skipBlanks()
            if reader.rest.isEmpty { break }
            guard reader.cut(UInt8(ascii: ";")) else { return nil }
            reader.skipBlanks()
            if reader.rest.isEmpty || reader.rest.first == UInt8(ascii: ";") { continue }
            guard let (name, value) = reader.cutParameter(), parameters.updateValue(value, forKey: name) == nil else {
                return nil
            }
        }
        self.type = type.inLowercase
        let names = [parameters["filename*"]?.decoded, parameters["filename"]?.text]
        fileName = names.compactMap(\.self).first { !$0.isEmpty }
    }

    private struct Value {
        let text: String
        let isQuoted: Bool

        /// The text of an extended value (RFC 8187, section 3.2); nil if it is invalid.
        ///
        /// ISO-8859-1 is also accepted, because the predecessor of RFC 8187 required it.
        var decoded: String? {
            let parts = text.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
            guard !isQuoted, parts.count == 3, let octets = Self.octets(of: parts[2]) else { return nil }
            switch String(decoding: parts[0].map(\.asLowercase), as: UTF8.self) {
            case "utf-8": return String(validating: octets, as: UTF8.self)
            case "iso-8859-1":
                // In ISO-8859-1 these octets are control characters, so the charset in the field is wrong.
                if octets.contains(where: { (0x80...0x9F).contains($0) }) { return nil }
                return String(String.UnicodeScalarView(octets.map { UnicodeScalar($0) }))
            default: return nil
            }
        }

        private static func octets(of characters: Substring.UTF8View) -> [UInt8]? {
            var octets: [UInt8] = []
            var rest = characters
            while let byte = rest.popFirst() {
                if byte != UInt8(ascii: "%") {
                    // An asterisk is not allowed: it has to be percent-encoded.
                    guard byte.isToken, byte != UInt8(ascii: "*") else { return nil }
                    octets.append(byte)
                } else {
                    guard let high = rest.popFirst()?.hexDigitValue, let low = rest.popFirst()?.hexDigitValue else {
                        return nil
                    }
                    octets.append(high << 4 | low)
                }
            }
            return octets
        }
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func skipBlanks() { rest = rest.drop(while: \.isBlank) }

        mutating func cut(_ byte: UInt8) -> Bool {
            guard rest.first == byte else { return false }
            rest.removeFirst()
            return true
        }

        mutating func cutToken() -> String? {
            let token = rest.prefix(while: \.isToken)
            rest = rest[token.endIndex...]
            return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
        }

        mutating func cutParameter() -> (name: String, Value)? {
            guard let name = cutToken() else { return nil }
            skipBlanks()
            guard cut(UInt8(ascii: "=")) else { return nil }
            skipBlanks()
            let isQuoted = rest.first == UInt8(ascii: "\"")
            guard let text = isQuoted ? cutQuotedString() : cutToken() else { return nil }
            return (name.inLowercase, Value(text: text, isQuoted: isQuoted))
        }

        /// Removes a quoted string (RFC 9110, section 5.6.4) and returns its text.
        private mutating func cutQuotedString() -> String? {
            var text: [UInt8] = []
            rest.removeFirst()
            while var byte = rest.popFirst() {
                if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
                if byte == UInt8(ascii: "\\") {
                    guard let escaped = rest.popFirst() else { return nil }
                    byte = escaped
                }
                guard byte >= .space && byte != 0x7F || byte == .tab else { return nil }
                text.append(byte)
            }
            return nil
        }
    }
}
