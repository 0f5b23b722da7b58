internal import HTTPSyntax

/// The rule by which secrets are hidden where a request or a response is printed.
///
///     request.cURLDescription(redaction: .standard.hiding(["X-Tenant", "iban"]))
///
/// A value is hidden by its name: that of a header field, of a parameter in a query or a form, or of a member of a JSON
/// object, at any depth. Names are compared without regard to case.
public struct Redaction: Hashable, Sendable {
    /// The text in place of a secret.
    public static let placeholder = "<redacted>"

    /// The rule that hides credentials, cookies, and values whose names suggest a token, key, session, secret or
    /// password.
    public static let standard = Redaction(hidesSecrets: true)
    /// The rule that hides nothing.
    public static let none = Redaction(hidesSecrets: false)

    private let hidesSecrets: Bool
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

    /// Whether the rule hides nothing at all.
    package var isEmpty: Bool { !hidesSecrets && names.isEmpty }
}

extension Redaction {
    /// Returns a URL as text, with the word `redacted` in place of its user, its password, and the hidden values of its
    /// query and of a fragment in that form, as some services return tokens. The placeholder's brackets would have to
    /// be escaped in a URL.
    public func text(of url: URL) -> String {
        guard !isEmpty, var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            return url.absoluteString
        }
        // Some services take a token in place of the user's name.
        if hidesSecrets, components.percentEncodedUser != nil { components.percentEncodedUser = Self.word }
        if hidesSecrets, components.percentEncodedPassword != nil { components.percentEncodedPassword = Self.word }
        if let query = components.percentEncodedQuery {
            components.percentEncodedQuery = form(query, placeholder: Self.word)
        }
        if let fragment = components.percentEncodedFragment {
            components.percentEncodedFragment = form(fragment, placeholder: Self.word)
        }
        return components.string ?? url.absoluteString
    }

    /// Returns the content of a request or a response, with the placeholder in place of the hidden values of a form or
    /// of JSON. JSON in which something is hidden is written anew, its members in the order of their names. JSON that
    /// cannot be parsed, a form that is not UTF-8, and a multipart form with a hidden part become the placeholder as a
    /// whole. Content of other types is unchanged.
    /// - Parameters:
    ///   - content: The content.
    ///   - type: The value of Content-Type. Content without one is JSON if it begins as an object or an array, and else
    ///     a form.
    public func content(_ content: Data, type: String?) -> Data {
        guard !isEmpty, !content.isEmpty else { return content }
        let beginning = content.first { !$0.isBlank && $0 != .carriageReturn && $0 != .lineFeed }
        let looksLikeJSON = beginning == UInt8(ascii: "{") || beginning == UInt8(ascii: "[")
        let given = type.map { FieldParameters($0).leading.lowercased() }
        let essence = given ?? (looksLikeJSON ? "application/json" : Self.formType)
        if essence == Self.formType {
            guard let text = String(validating: content, as: UTF8.self) else { return Data(Self.placeholder.utf8) }
            return Data(form(text, placeholder: Self.placeholder).utf8)
        }
        if essence == "application/json" || essence.hasSuffix("+json") { return json(content) }
        if essence.hasPrefix("multipart/"), partNames(in: content).contains(where: hides) {
            return Data(Self.placeholder.utf8)
        }
        return content
    }

    private static let formType = "application/x-www-form-urlencoded"
    private static let word = "redacted"

    /// Replaces the hidden values of a query or a form, and leaves all other characters as they are.
    private func form(_ text: String, placeholder: String) -> String {
        let fields = text.split(separator: "&", omittingEmptySubsequences: false).map { field in
            guard let equals = field.firstIndex(of: "=") else { return String(field) }
            let written = String(field[..<equals])
            let name = written.removingPercentEncoding ?? written
            return hides(name) ? written + "=" + placeholder : String(field)
        }
        return fields.joined(separator: "&")
    }

    private func json(_ content: Data) -> Data {
        guard let object = try? JSONSerialization.jsonObject(with: content, options: .fragmentsAllowed) else {
            return Data(Self.placeholder.utf8)
        }
        var hasHidden = false
        let redacted = hiding(in: object, &hasHidden)
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        return hasHidden
            ? (try? JSONSerialization.data(withJSONObject: redacted, options: options)) ?? content : content
    }

    /// The names that Content-Disposition fields of a multipart form give to its parts, and texts that look like them.
    private func partNames(in content: Data) -> [String] {
        String(decoding: content, as: UTF8.self).split(separator: "name=").dropFirst().map { rest in
            let text = rest.prefix(200)
            guard text.first == "\"" else { return String(text.prefix { $0 != ";" && !$0.isWhitespace }) }
            return String(text.dropFirst().prefix { $0 != "\"" })
        }
    }

    private func hiding(in value: Any, _ hasHidden: inout Bool) -> Any {
        switch value {
        case let object as [String: Any]:
            var result: [String: Any] = [:]
            for (name, member) in object {
                if hides(name) {
                    hasHidden = true
                    result[name] = Self.placeholder
                } else {
                    result[name] = hiding(in: member, &hasHidden)
                }
            }
            return result
        case let elements as [Any]: return elements.map { hiding(in: $0, &hasHidden) }
        default: return value
        }
    }
}
