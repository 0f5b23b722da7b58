#if canImport(FoundationNetworking)
import Synchronization

/// The credentials that servers have accepted. Later requests send them before a server challenges (RFC 7617, section
/// 2.2; RFC 7616, section 3.6).
///
/// Every method may be called on any thread. Concurrent requests may use the same Digest nonce; each use is counted.
final class AuthenticationCache: Sendable {
    private let known = Mutex(KnownAuthentications())

    /// Whether the cache is empty. If so, the look-up need not parse the request's URL.
    var isEmpty: Bool { known.withLock { $0.isEmpty } }

    /// Creates the field for a request from known credentials; nil if no credentials are known for the request.
    func use(for request: RecipientAuthentication.Request) -> KnownAuthentications.Use? {
        known.withLock { $0.use(for: request) }
    }

    /// Returns the user credential that would be sent with a request; nil if no user credential is known for the
    /// request.
    func userCredential(for request: RecipientAuthentication.Request) -> UserCredential? {
        known.withLock { $0.userCredential(for: request) }
    }

    /// Returns the credentials from which a field was made; nil if they were removed or replaced. They are needed for a
    /// further challenge, for example if the nonce is stale.
    func authentication(of use: KnownAuthentications.Use) -> HTTPAuthentication? {
        known.withLock { $0.authentication(of: use) }
    }

    /// Stores credentials that a server has accepted for a path. They replace credentials of the same owner and
    /// protection space.
    func store(
        _ authentication: HTTPAuthentication,
        server: ProtectionSpace.Server,
        path: String,
        owner: KnownAuthentications.Owner = .session
    ) {
        known.withLock { $0.store(authentication, server: server, path: path, owner: owner) }
    }

    /// Records that the server accepted the field. If the server has sent a next nonce, later requests use it.
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
