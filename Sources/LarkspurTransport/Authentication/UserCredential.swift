#if canImport(FoundationNetworking)
import HTTPSyntax

/// A user's name and password, made of octets, because the user information of a URL may have any.
///
/// Its descriptions do not show the password.
struct UserCredential: Sendable, Hashable {
    let user: String
    let password: String
}

extension UserCredential {
    /// Creates the user credential of a `URLCredential`; nil if the credential is of another kind, such as an identity.
    init?(_ credential: URLCredential) {
        guard let user = credential.user, let password = credential.password else { return nil }
        self.init(user: user, password: password)
    }

    /// Creates the user credential of a URL; nil if the URL has no user name.
    init?(_ url: URL) {
        guard let user = url.user(percentEncoded: true), !user.isEmpty else { return nil }
        let password = url.password(percentEncoded: true) ?? ""
        self.init(
            user: String(octets: user.percentDecodedBytes()),
            password: String(octets: password.percentDecodedBytes())
        )
    }

    /// The user credential as programs read it.
    var readable: UserCredential { UserCredential(user: user.readable, password: password.readable) }

    /// The credential for delegates. No storage stores it.
    var credential: URLCredential {
        URLCredential(user: user.readable, password: password.readable, persistence: .none)
    }
}

extension UserCredential: CustomStringConvertible, CustomReflectable {
    var description: String { user.readable }
    var customMirror: Mirror { Mirror(self, children: ["user": user.readable]) }
}
#endif
