#if canImport(FoundationNetworking)
import Synchronization

/// The credentials that servers have accepted. They are sent again before a server challenges (RFC 7617, section 2.2;
/// RFC 7616, section 3.6).
///
/// Every method may be called on any thread. Uses of a Digest nonce by concurrent requests are counted too.
final class AuthenticationCache: Sendable {
    private let known = Mutex(KnownAuthentications())

    /// Whether the cache is empty. If so, the look-up need not parse the request's URL.
    var isEmpty: Bool { known.withLock { $0.isEmpty } }

    /// Makes the field for a request from known credentials; nil if none are known for it.
    func use(for request: RecipientAuthentication.Request) -> KnownAuthentications.Use? {
        known.withLock { $0.use(for: request) }
    }

    /// Returns the user credential that would be sent with a request; nil if none is known for it.
    func userCredential(for request: RecipientAuthentication.Request) -> UserCredential? {
        known.withLock { $0.userCredential(for: request) }
    }

    /// Returns the credentials from which a field was made; nil if they were removed or replaced. They are needed for a
    /// further challenge, such as one for a stale nonce.
    func authentication(of use: KnownAuthentications.Use) -> HTTPAuthentication? {
        known.withLock { $0.authentication(of: use) }
    }

    /// Stores credentials that a server has accepted for a path. They replace those of the same owner and space.
    func store(
        _ authentication: HTTPAuthentication,
        server: ProtectionSpace.Server,
        path: String,
        owner: KnownAuthentications.Owner = .session
    ) {
        known.withLock { $0.store(authentication, server: server, path: path, owner: owner) }
    }

    /// Records that the server accepted the field, and the nonce that the server wants next.
    /// - Parameter authenticationInfo: The values of `Authentication-Info`, or of `Proxy-Authentication-Info`.
    func wasAccepted(_ use: KnownAuthentications.Use, authenticationInfo: [String]) {
        // Most responses do not have this field.
        guard !authenticationInfo.isEmpty else { return }
        known.withLock { $0.wasAccepted(use, authenticationInfo: authenticationInfo) }
    }

    /// Removes credentials that the server no longer accepts, unless other credentials have replaced them.
    func remove(_ use: KnownAuthentications.Use) { known.withLock { $0.remove(use) } }

    /// Removes all credentials.
    func removeAll() { known.withLock { $0 = KnownAuthentications() } }
}
#endif
