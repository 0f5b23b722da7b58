internal import HTTPSyntax

extension Redaction {
    /// Returns the value of a field, or the placeholder. URLs, parameters and JSON in the value are written as
    /// ``text(of:)`` does, in whatever field they are: `Location`, `Link`, `Refresh`, `Destination`.
    public func value(of field: HTTPHeaders.Field) -> String {
        if hides(field.name) { return Self.placeholder }
        guard !isEmpty else { return field.value }
        if hidesSecrets, field.name.hasSameLetters(as: "Sec-WebSocket-Protocol"), hasSecret(protocols: field.value) {
            return Self.placeholder
        }
        return text(field.value)
    }

    /// Whether names of subprotocols are a way for a token, as browsers send no other field with a WebSocket: a name
    /// that says so, a JSON Web Token, or a name that is longer than those that are registered.
    private func hasSecret(protocols value: String) -> Bool {
        value.lowercased().contains("bearer")
            || value.split(separator: ",").map(\.trimmingBlanks).contains { name in
                hides(name) || name.hasPrefix("eyJ") || name.utf8.count > 40
            }
    }
}
