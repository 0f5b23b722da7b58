internal import HTTPSyntax

extension Redaction {
    /// Returns the value of a field, or the placeholder. In every field, such as `Location`, `Link`, `Refresh` and
    /// `Destination`, the URLs, parameters and JSON of the value are redacted as by ``text(of:)``.
    package func value(of field: HTTPHeaders.Field) -> String {
        if hides(field.name) { return Self.placeholder }
        guard !isEmpty else { return field.value }
        if hidesSecrets, field.name.hasSameLetters(as: "Sec-WebSocket-Protocol"), hasSecret(protocols: field.value) {
            return Self.placeholder
        }
        return text(field.value)
    }

    /// Returns whether the names of subprotocols contain a token. In a browser, a program can set no other field of a
    /// WebSocket's handshake, so some servers accept a token there. A token is a name that contains `bearer` or the
    /// name of a secret, a JSON Web Token (which begins with `eyJ`), or a name that is longer than all registered
    /// names.
    private func hasSecret(protocols value: String) -> Bool {
        value.inLowercase.holds("bearer")
            || value.parts(separatedBy: ",").map(\.trimmingBlanks).contains { name in
                hides(name) || name.begins(with: "eyJ") || name.utf8.count > 40
            }
    }
}
