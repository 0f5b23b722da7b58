internal import HTTPSyntax

/// A rule by which secrets are hidden when a request or a response is printed.
///
///     request.cURLDescription(redaction: .standard.hiding(["X-Tenant", "iban"]))
///
/// A value is hidden because of its name: the name of a header field, of a parameter in a query or a form, of a member
/// of a JSON object at any depth, or of an element or attribute of XML. In JSON, `{"name": "password", "value": …}`
/// names a value too, as do such names in XML, and a string may contain lines of header fields. Upper and lower case
/// are not distinguished. The name `code` hides values only in queries and forms, where it is an authorization code
/// (RFC 6749, section 4.1.2). Elsewhere it is usually the code of an error or of a country.
public struct Redaction: Hashable, Sendable {
    /// The text in place of a secret.
    package static let placeholder = "<redacted>"

    /// The rule that hides credentials, cookies, and values whose names suggest a token, key, session, secret or
    /// password.
    public static let standard = Redaction(hidesSecrets: true)
    /// The rule that hides nothing.
    public static let none = Redaction(hidesSecrets: false)

    /// Whether the rule hides credentials and secrets, in addition to the names that were added.
    let hidesSecrets: Bool
    private var names: Set<TextKey> = []

    private init(hidesSecrets: Bool) { self.hidesSecrets = hidesSecrets }

    /// Returns a rule that hides the values of further names.
    /// - Parameter names: The names, in upper or lower case.
    public func hiding(_ names: some Sequence<String>) -> Redaction {
        var rule = self
        rule.names.formUnion(names.map { SecretName.folded($0).lowercased() })
        return rule
    }

    /// Returns whether the rule hides the value of a name.
    package func hides(_ name: String) -> Bool {
        hidesSecrets && SecretName.matches(name)
            || !names.isEmpty && names.contains(SecretName.folded(name).lowercased())
    }

    /// Returns whether the rule hides the value of a parameter in a query or a form.
    package func hides(parameter name: String) -> Bool {
        hides(name) || hidesSecrets && SecretName.matches(parameter: name)
    }

    /// Whether the rule hides nothing at all.
    package var isEmpty: Bool { !hidesSecrets && names.isEmpty }
}

extension Redaction {
    /// Returns a URL as text, with the word `redacted` in place of its secrets. These are the user, the password, and
    /// the hidden values of parameters in the path, the query and the fragment, where some services return tokens.
    ///
    /// If the value of a parameter is itself a URL, a form or JSON, percent-encoded or not, it is redacted accordingly.
    /// The word has no angle brackets, because a URL cannot contain them.
    public func text(of url: URL) -> String {
        let text = url.absoluteString
        guard !isEmpty else { return text }
        return String(decoding: Self.urls(self).url(Array(text.utf8)[...]), as: UTF8.self)
    }

    /// Returns a text, such as the value of a field or a parameter, with the secrets of its URLs, forms and JSON
    /// hidden.
    package func text(_ text: String) -> String {
        guard !isEmpty else { return text }
        return String(decoding: Self.urls(self).text(Array(text.utf8)[...]), as: UTF8.self)
    }

    /// Returns the content of a request or a response, with the placeholder in place of the hidden values.
    ///
    /// The method reads forms, JSON, JSON lines, JSON sequences, XML, event streams, the parts of multipart content
    /// according to their types, and plain text that is JSON or XML or has no blanks. If a string in JSON or a text in
    /// XML is itself JSON, XML, a form or a URL, it is redacted accordingly.
    ///
    /// In XML, the word `redacted` replaces the whole content of a hidden element, up to the end of the document if the
    /// content is not well-formed. The word also replaces a document type with declarations and everything after it.
    ///
    /// If something in JSON is hidden, the JSON is written again on one line, with its members in the same order. The
    /// placeholder replaces JSON that cannot be parsed, a form that is not UTF-8, a multipart form with a hidden part,
    /// XML in UTF-16, and values with too many nested encodings. The signatures of chunks (`aws-chunked`) are hidden.
    /// Content of another type is unchanged, unless it is JSON despite its type, or begins with `<?xml`.
    /// - Parameters:
    ///   - content: The content.
    ///   - type: The value of Content-Type. If it is nil and the content begins like a JSON object or array, the
    ///     content is read as JSON; if it begins like XML, as XML; otherwise as a form.
    package func content(_ content: Data, type: String?) -> Data {
        guard !isEmpty, !content.isEmpty else { return content }
        return Data(ContentRedaction(self).content(Array(content)[...], type: type))
    }

    /// The text in place of a secret in a URL.
    static let word = "redacted"

    private static func urls(_ rule: Redaction) -> TextRedaction { TextRedaction(rule, placeholder: word) }
}
