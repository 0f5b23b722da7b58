/// The rule that recognizes the fields of a request that carry credentials.
///
/// All code uses this rule. The fields are not sent to another origin, whether a redirect, the link to the next page or
/// the resource of an upload leads there. The rule depends on names alone, because services invent names for their
/// credentials, such as `X-Api-Key`, `X-Auth-Token` and `Private-Token`.
package enum CredentialField {
    /// Whether a field with this name carries credentials.
    package static func matches(_ name: String) -> Bool {
        SecretName.matches(name) && !harmless.contains { name.hasSameLetters(as: $0) }
    }

    /// The fields whose names contain the name of a secret, but that carry no credential. A redirected request still
    /// needs its idempotency key. A WebSocket's handshake needs its key, from which the server computes its response.
    private static let harmless = ["Idempotency-Key", "X-Idempotency-Key", "Sec-WebSocket-Key"]
}
