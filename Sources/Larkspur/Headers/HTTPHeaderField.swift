internal import HTTPSyntax

extension HTTPHeaders {
    /// A header field: a name and its value (RFC 9110, section 5).
    ///
    /// Fields are equal if their values are equal and their names differ at most in case. The
    /// printed field hides credentials, cookies, and values whose names suggest a secret; ``value`` always has them.
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
        hasher.combine(name.inLowercase)
        hasher.combine(value)
    }
}

extension HTTPHeaders.Field {
    /// The value on one line, without the secrets in it; a placeholder if the value is sensitive.
    var redactedValue: String { Redaction.standard.value(of: self).onOneLine }
}

extension HTTPHeaders.Field: CustomStringConvertible, CustomReflectable {
    /// The text `Name: value`. A sensitive value is hidden, and so are the secrets of URLs in a value.
    public var description: String { "\(name.onOneLine): \(redactedValue)" }

    /// A mirror without secrets, for `dump` and debuggers.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name, "value": redactedValue], displayStyle: .struct)
    }
}

/// Factories of fields with credentials, and of the default fields.
extension HTTPHeaders.Field {
    /// Creates an `Accept-Language` field from language tags in order of preference, with decreasing weights:
    /// `de;q=1, en;q=0.9`.
    ///
    /// As in AFNetworking at most six tags are sent, down to a weight of 0.5. A tag with characters other than letters,
    /// digits and hyphens is left out.
    static func acceptLanguage(_ tags: [String]) -> Self {
        let valid = tags.filter { !$0.isEmpty && $0.utf8.allSatisfy(isLanguageTagByte) }
        // `zip` ends with the shorter sequence: at most six tags.
        let weighted = zip(valid, ["1", "0.9", "0.8", "0.7", "0.6", "0.5"]).map { "\($0);q=\($1)" }
        return Self(name: "Accept-Language", value: weighted.joined(separator: ", "))
    }

    /// Creates an `Authorization` field for the Basic scheme, in UTF-8 (RFC 7617).
    /// - Parameters:
    ///   - username: The user's name. By the rules of the scheme it must not contain a colon.
    ///   - password: The password.
    public static func authorization(username: String, password: String) -> Self {
        Self(name: "Authorization", value: "Basic \(Data("\(username):\(password)".utf8).base64EncodedString())")
    }

    /// Creates an `Authorization` field for the Bearer scheme (RFC 6750).
    /// - Parameter bearerToken: The access token.
    public static func authorization(bearerToken: String) -> Self {
        Self(name: "Authorization", value: "Bearer \(bearerToken)")
    }

    private static func isLanguageTagByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-")
    }
}
