/// A challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field, of any scheme (RFC 9110, section 11.3).
package struct ChallengeField: Sendable, Hashable {
    /// The scheme's name as it was received. Its case is not significant.
    package let scheme: String
    /// The token that some schemes have in place of parameters; nil for other schemes.
    package let token68: String?
    /// The parameters by their lower-case names, without quotes and escapes. If a name occurs twice, the first value
    /// counts.
    package fileprivate(set) var parameters: [TextKey: String]

    package init(scheme: String, token68: String? = nil, parameters: [TextKey: String] = [:]) {
        self.scheme = scheme
        self.token68 = token68
        self.parameters = parameters
    }

    package subscript(name: String) -> String? { parameters[TextKey(name)] }

    /// Reads the challenges of all fields of one name, in their order (RFC 9110, section 11.6.1).
    ///
    /// A comma can separate both challenges and parameters. A name that is followed by an equals sign belongs to a
    /// parameter. Commas may be missing or superfluous, and quotes may stay open: as much as possible is read.
    package static func challenges(in fieldValues: [String]) -> [ChallengeField] {
        fieldValues.flatMap { value in
            var parser = ChallengeFieldParser(value)
            return parser.challenges()
        }
    }

    /// Reads the parameters of a field without schemes, such as `Authentication-Info`.
    package static func parameters(in fieldValue: String) -> [TextKey: String] {
        var parser = ChallengeFieldParser(fieldValue)
        return parser.parameters()
    }
}

/// A cursor on the bytes of a challenge field, or of another list of parameters.
private struct ChallengeFieldParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func challenges() -> [ChallengeField] {
        var challenges: [ChallengeField] = []
        while let name = nextName() {
            if let value = parameterValue() {
                guard let last = challenges.indices.last else { continue }
                challenges[last].parameters.addFirst(name.inLowercase, value)
            } else {
                challenges.append(ChallengeField(scheme: name, token68: token68()))
            }
        }
        return challenges
    }

    mutating func parameters() -> [TextKey: String] {
        var parameters: [TextKey: String] = [:]
        while let name = nextName() {
            if let value = parameterValue() { parameters.addFirst(name.inLowercase, value) }
        }
        return parameters
    }

    // MARK: Parts

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Reads the next token after any separators; nil at the end.
    private mutating func nextName() -> String? {
        while let byte = current, !byte.isToken {
            if byte == UInt8(ascii: "\"") { _ = quotedString() } else { position += 1 }
        }
        let start = position
        while let byte = current, byte.isToken { position += 1 }
        return start == position ? nil : text(bytes[start..<position])
    }

    /// Reads the value after an equals sign. Without an equals sign, returns nil and does not move.
    private mutating func parameterValue() -> String? {
        let start = position
        skipBlanks()
        guard current == UInt8(ascii: "=") else {
            position = start
            return nil
        }
        position += 1
        skipBlanks()
        return current == UInt8(ascii: "\"") ? quotedString() : unquotedValue()
    }

    private mutating func unquotedValue() -> String {
        let start = position
        while let byte = current, byte != UInt8(ascii: ","), !byte.isBlank { position += 1 }
        return text(bytes[start..<position])
    }

    private mutating func quotedString() -> String {
        position += 1
        var content: [UInt8] = []
        while let byte = current, byte != UInt8(ascii: "\"") {
            position += 1
            if byte == UInt8(ascii: "\\"), let escaped = current {
                content.append(escaped)
                position += 1
            } else {
                content.append(byte)
            }
        }
        if current != nil { position += 1 }
        return text(content)
    }

    /// Reads a token68: the text between a scheme's name and a comma. If the text is no token68, returns nil and does
    /// not move.
    private mutating func token68() -> String? {
        let start = position
        skipBlanks()
        let first = position
        // A token68 can only follow a blank. Without this check, each name in a long text such as `a/a/a` would be read
        // to the end of the text.
        guard first > start else { return nil }
        while let byte = current, byte.isToken68Byte { position += 1 }
        let hasCharacters = position > first
        while current == UInt8(ascii: "=") { position += 1 }
        let end = position
        skipBlanks()
        guard hasCharacters, current == nil || current == UInt8(ascii: ",") else {
            position = start
            return nil
        }
        return text(bytes[first..<end])
    }

    private mutating func skipBlanks() {
        while let byte = current, byte.isBlank { position += 1 }
    }

    private func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension UInt8 {
    /// Whether the byte may occur in a token68, apart from the padding (RFC 9110, section 11.2).
    fileprivate var isToken68Byte: Bool { isDigit || isLetter || "-._~+/".utf8.contains(self) }
}

extension [TextKey: String] {
    fileprivate mutating func addFirst(_ name: String, _ value: String) {
        if self[name] == nil { self[name] = value }
    }
}
