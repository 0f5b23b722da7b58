internal import HTTPSyntax

extension HTTPHeaders {
    /// A header field: a name and its value (RFC 9110, section 5).
    ///
    /// Fields are equal if their values are equal and their names differ at most in case. If ``isSensitive`` is true,
    /// the printed field hides the value; ``value`` always has it.
    public struct Field: Sendable {
        /// The name as it is sent.
        public let name: String
        /// The value as it is sent.
        public let value: String

        /// Creates a field. If HTTP does not allow the name or the value, building a request with it fails.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}

extension HTTPHeaders.Field: Hashable {
    /// Compares names without regard to case, and values exactly.
    public static func == (left: Self, right: Self) -> Bool {
        left.name.hasSameLetters(as: right.name) && left.value == right.value
    }

    /// Hashes the lowercased name, and the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name.lowercased())
        hasher.combine(value)
    }
}

extension HTTPHeaders.Field {
    /// Whether the value is hidden when the field is printed. That applies to credentials, cookies, and fields whose
    /// names suggest a token, key, session, secret or password.
    public var isSensitive: Bool {
        let words = name.lowercased().split { $0 == "-" || $0 == "_" }
        if words.contains(where: { Self.sensitiveWords.contains(String($0)) }) { return true }
        let joined = words.joined()
        return Self.sensitiveParts.contains { joined.contains($0) }
    }

    /// Words that are also part of harmless words, and therefore count only as whole words.
    private static let sensitiveWords: Set<String> = [
        "auth", "authentication", "authorization", "cookie", "cookie2", "key", "jwt", "pass", "session", "sid",
    ]

    private static let sensitiveParts = [
        "token", "apikey", "accesskey", "privatekey", "secret", "password", "passwd", "passphrase", "credential",
        "signature", "sessionid", "csrf", "xsrf",
    ]

    /// The value on one line, or a placeholder if the value is sensitive.
    var redactedValue: String { isSensitive ? "<redacted>" : value.onOneLine }

    /// Checks that the field can be sent unchanged (RFC 9110, sections 5.1 and 5.5).
    /// - Throws: ``LarkspurError`` with the code `invalidHeaderField`, whose message never contains the value.
    public func validate() throws(LarkspurError) {
        guard name.isToken else { throw invalidNameError }
        guard !value.breaksLine else {
            throw LarkspurError(
                .invalidHeaderField,
                "The value of the header field \(name) holds CR, LF or NUL, which would end it: remove them or encode the value."
            )
        }
    }

    private var invalidNameError: LarkspurError {
        guard let offender = name.unicodeScalars.firstIndex(where: { !Self.isTokenScalar($0) }) else {
            return LarkspurError(.invalidHeaderField, "A header field has an empty name.")
        }
        // If a caller passed a whole line as the name, the value follows the colon. The part after the invalid
        // character is therefore not printed.
        let start = String(name.unicodeScalars[..<offender].prefix(60))
        let codePoint = String(name.unicodeScalars[offender].value, radix: 16, uppercase: true)
        return LarkspurError(
            .invalidHeaderField,
            "A header field's name holds the code point \(codePoint) (hexadecimal) after “\(start)”: only letters, digits and "
                + "!#$%&'*+-.^_`|~ are allowed."
        )
    }

    private static func isTokenScalar(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && UInt8(truncatingIfNeeded: scalar.value).isToken
    }
}

extension HTTPHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `Name: value`, with the value hidden if it is sensitive.
    public var description: String { "\(name.onOneLine): \(redactedValue)" }

    /// `Name: value`, with the value hidden if it is sensitive.
    public var debugDescription: String { description }

    /// A mirror without a sensitive value, for `dump` and debuggers.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name, "value": redactedValue], displayStyle: .struct)
    }
}
