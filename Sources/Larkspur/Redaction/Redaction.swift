internal import HTTPSyntax

/// The rule by which secrets are hidden where a request or a response is printed.
///
///     request.cURLDescription(redaction: .standard.hiding(["X-Tenant", "iban"]))
///
/// A value is hidden by its name: that of a header field, of a parameter in a query or a form, or of a member of a JSON
/// object, at any depth. Names are compared without regard to case. The name `code` is that of a secret in queries and
/// forms alone (RFC 6749, section 4.1.2); elsewhere it is an error's, or a country's.
public struct Redaction: Hashable, Sendable {
    /// The text in place of a secret.
    public static let placeholder = "<redacted>"

    /// The rule that hides credentials, cookies, and values whose names suggest a token, key, session, secret or
    /// password.
    public static let standard = Redaction(hidesSecrets: true)
    /// The rule that hides nothing.
    public static let none = Redaction(hidesSecrets: false)

    /// Whether the rule hides more than the names that were added.
    let hidesSecrets: Bool
    private var names: Set<String> = []

    private init(hidesSecrets: Bool) { self.hidesSecrets = hidesSecrets }

    /// Returns the rule that hides the values under more names.
    /// - Parameter names: The names, in any case.
    public func hiding(_ names: some Sequence<String>) -> Redaction {
        var rule = self
        rule.names.formUnion(names.map { $0.lowercased() })
        return rule
    }

    /// Whether the rule hides the value under a name.
    public func hides(_ name: String) -> Bool {
        hidesSecrets && SecretName.matches(name) || names.contains(name.lowercased())
    }

    /// Whether the rule hides the value of a parameter in a query or a form.
    package func hides(parameter name: String) -> Bool {
        hides(name) || hidesSecrets && SecretName.matches(parameter: name)
    }

    /// Whether the rule hides nothing at all.
    package var isEmpty: Bool { !hidesSecrets && names.isEmpty }
}

extension Redaction {
    /// Returns a URL as text, with the word `redacted` in place of its user, its password, and the hidden values of the
    /// parameters of its path, its query, and a fragment in that form, as some services return tokens. A parameter that
    /// is itself a URL, a form or JSON, encoded or not, is treated as that. The placeholder's brackets would have to be
    /// escaped in a URL.
    public func text(of url: URL) -> String {
        let text = url.absoluteString
        guard !isEmpty else { return text }
        return String(decoding: Self.urls(self).url(Array(text.utf8)[...]), as: UTF8.self)
    }

    /// Returns a text in which anything may be a URL, a form or JSON, such as the value of a field or of a parameter.
    package func text(_ text: String) -> String {
        guard !isEmpty else { return text }
        return String(decoding: Self.urls(self).text(Array(text.utf8)[...]), as: UTF8.self)
    }

    /// Returns the content of a request or a response, with the placeholder in place of the hidden values.
    ///
    /// It reads forms, JSON, lines and sequences of JSON, event streams, the typed parts of multipart content, and
    /// plain text that is JSON or has no blanks. A string in JSON that is itself JSON, a form or a URL is treated as
    /// that. JSON in which something is hidden is written anew, its members in the order of their names. JSON that
    /// cannot be parsed, a form that is not UTF-8, a multipart form with a hidden part, and what is encoded too often
    /// become the placeholder. Content of other types is unchanged, unless it is JSON all the same.
    /// - Parameters:
    ///   - content: The content.
    ///   - type: The value of Content-Type. Content without one is JSON if it begins as an object or an array, and else
    ///     a form.
    public func content(_ content: Data, type: String?) -> Data {
        guard !isEmpty, !content.isEmpty else { return content }
        return Data(ContentRedaction(self).content(Array(content)[...], type: type))
    }

    /// The text in place of a secret in a URL.
    static let word = "redacted"

    private static func urls(_ rule: Redaction) -> TextRedaction { TextRedaction(rule, placeholder: word) }
}
