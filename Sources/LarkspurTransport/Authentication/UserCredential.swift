#if canImport(FoundationNetworking)
/// A user's name and password.
///
/// Its descriptions leave the password out.
struct UserCredential: Sendable, Hashable {
    let user: String
    let password: String

    init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// Nil if the credential is not one of a name and a password, such as an identity.
    init?(_ credential: URLCredential) {
        guard let user = credential.user, let password = credential.password else { return nil }
        self.init(user: user, password: password)
    }

    /// What the URL itself says of who asks; nil if nothing.
    init?(_ url: URL) {
        guard let user = url.user(percentEncoded: false), !user.isEmpty else { return nil }
        self.init(user: user, password: url.password(percentEncoded: false) ?? "")
    }

    /// As an answer to a challenge, which nobody stores.
    var credential: URLCredential { URLCredential(user: user, password: password, persistence: .none) }
}

extension UserCredential: CustomStringConvertible, CustomReflectable {
    var description: String { user }
    var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}
#endif
