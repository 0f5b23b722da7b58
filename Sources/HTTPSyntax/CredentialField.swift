/// The rule that recognizes the fields of a request that carry credentials.
///
/// It is the only such rule. Whatever leads a request to another origin (a redirect, the link to the next page, the
/// resource of an upload), these fields are not sent there. The rule goes by names, because services invent names for
/// their credentials, such as `X-Api-Key`, `X-Auth-Token` and `Private-Token`.
package enum CredentialField {
    /// Whether a field with this name carries credentials.
    package static func matches(_ name: String) -> Bool {
        SecretName.matches(name) && !harmless.contains { name.hasSameLetters(as: $0) }
    }

    /// Fields whose names contain the name of a secret, but that carry no credential. A request that is redirected
    /// still needs its idempotency key, and a WebSocket's handshake the number that the server has to repeat.
    private static let harmless = ["Idempotency-Key", "X-Idempotency-Key", "Sec-WebSocket-Key"]
}
