#if canImport(FoundationNetworking)
/// A user's name and password.
///
/// The descriptions leave the password out.
struct UserCredential: Sendable, Hashable {
    let user: String
    let password: String
}

extension UserCredential {
    /// Creates the name and password of a credential; nil if it is of another kind, such as an identity.
    init?(_ credential: URLCredential) {
        guard let user = credential.user, let password = credential.password else { return nil }
        self.init(user: user, password: password)
    }

    /// Creates the user credential in the URL itself; nil if the URL names no user.
    init?(_ url: URL) {
        guard let user = url.user(percentEncoded: false), !user.isEmpty else { return nil }
        self.init(user: user, password: url.password(percentEncoded: false) ?? "")
    }

    /// The credential as an answer to a challenge, which no storage stores.
    var credential: URLCredential { URLCredential(user: user, password: password, persistence: .none) }
}

extension UserCredential: CustomStringConvertible, CustomReflectable {
    var description: String { user }
    var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}
#endif
