internal import HTTPSyntax

/// The proof that the client that exchanges a code is the one that has requested it (PKCE, RFC 7636, method S256).
struct CodeChallenge: Sendable {
    /// The secret that is sent with the code.
    let verifier: String
    /// The hash of the secret, which is sent in the URL for the browser.
    var challenge: String { SHA256.hash(Data(verifier.utf8)).base64URL }

    /// Creates a challenge with a random secret.
    init() { self.init(verifier: RandomText.make()) }

    init(verifier: String) { self.verifier = verifier }
}
