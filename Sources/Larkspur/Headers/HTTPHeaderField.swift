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
        hasher.combine(name.inLowercase)
        hasher.combine(value)
    }
}

extension HTTPHeaders.Field {
    /// Whether the value is hidden when the field is printed. That applies to credentials, cookies, and fields whose
    /// names suggest a token, key, session, secret or password.
    public var isSensitive: Bool { SecretName.matches(name) }

    /// The value on one line, without the secrets in it; a placeholder if the value is sensitive.
    var redactedValue: String { Redaction.standard.value(of: self).onOneLine }
}

extension HTTPHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text `Name: value`. A sensitive value is hidden, and so are the secrets of URLs in a value.
    public var description: String { "\(name.onOneLine): \(redactedValue)" }

    /// The text `Name: value`. A sensitive value is hidden, and so are the secrets of URLs in a value.
    public var debugDescription: String { description }

    /// A mirror without secrets, for `dump` and debuggers.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name, "value": redactedValue], displayStyle: .struct)
    }
}

/// Factories of common request fields.
extension HTTPHeaders.Field {
    /// Creates an `Accept` field: the media types that the response may have (RFC 9110, section 12.5.1).
    public static func accept(_ value: String) -> Self { Self(name: "Accept", value: value) }

    /// Creates an `Accept-Charset` field: the charsets that the response may have (RFC 9110, section 12.5.2).
    public static func acceptCharset(_ value: String) -> Self { Self(name: "Accept-Charset", value: value) }

    /// Creates an `Accept-Encoding` field: the content codings that the response may have (RFC 9110, section 12.5.3).
    ///
    /// The transport requests all codings that it can decode. Set this field only to request fewer codings.
    public static func acceptEncoding(_ value: String) -> Self { Self(name: "Accept-Encoding", value: value) }

    /// Creates an `Accept-Language` field: the natural languages that the reader prefers (RFC 9110, section 12.5.4).
    public static func acceptLanguage(_ value: String) -> Self { Self(name: "Accept-Language", value: value) }

    /// Creates an `Accept-Language` field from language tags in order of preference, with decreasing weights:
    /// `de;q=1, en;q=0.9`.
    ///
    /// As in AFNetworking at most six tags are sent, down to a weight of 0.5. A tag with characters other than letters,
    /// digits and hyphens is left out.
    public static func acceptLanguage(_ tags: [String]) -> Self {
        let valid = tags.filter { !$0.isEmpty && $0.utf8.allSatisfy(isLanguageTagByte) }
        // `zip` ends with the shorter sequence: at most six tags.
        let weighted = zip(valid, ["1", "0.9", "0.8", "0.7", "0.6", "0.5"]).map { "\($0);q=\($1)" }
        return acceptLanguage(weighted.joined(separator: ", "))
    }

    /// Creates an `Authorization` field with the complete credentials, including the scheme (RFC 9110, section 11.6.2).
    public static func authorization(_ credentials: String) -> Self { Self(name: "Authorization", value: credentials) }

    /// Creates an `Authorization` field for the Basic scheme, in UTF-8 (RFC 7617).
    /// - Parameters:
    ///   - username: The user's name. By the rules of the scheme it must not contain a colon.
    ///   - password: The password.
    public static func authorization(username: String, password: String) -> Self {
        authorization("Basic \(Data("\(username):\(password)".utf8).base64EncodedString())")
    }

    /// Creates an `Authorization` field for the Bearer scheme (RFC 6750).
    /// - Parameter bearerToken: The access token.
    public static func authorization(bearerToken: String) -> Self { authorization("Bearer \(bearerToken)") }

    /// Creates a `Content-Disposition` field: the purpose of the content for its receiver (RFC 6266, RFC 7578).
    public static func contentDisposition(_ value: String) -> Self { Self(name: "Content-Disposition", value: value) }

    /// Creates a `Content-Encoding` field: the codings that were applied to the content (RFC 9110, section 8.4).
    public static func contentEncoding(_ value: String) -> Self { Self(name: "Content-Encoding", value: value) }

    /// Creates a `Content-Type` field: the media type of the content (RFC 9110, section 8.3).
    public static func contentType(_ value: String) -> Self { Self(name: "Content-Type", value: value) }

    /// Creates an `If-None-Match` field: the server performs the request only if the representation has none of these
    /// entity tags (RFC 9110, section 13.1.2).
    public static func ifNoneMatch(_ value: String) -> Self { Self(name: "If-None-Match", value: value) }

    /// Creates a `User-Agent` field: the program that makes the request (RFC 9110, section 10.1.5).
    public static func userAgent(_ value: String) -> Self { Self(name: "User-Agent", value: value) }

    private static func isLanguageTagByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-")
    }
}
