#if canImport(FoundationNetworking)
import Synchronization

/// The credentials that servers have accepted. They are sent again before a server challenges (RFC 7617, section 2.2;
/// RFC 7616, section 3.6).
///
/// Every method may be called on any thread. Each use of a Digest nonce is counted, also if requests run concurrently.
final class AuthenticationCache: Sendable {
    private let known = Mutex(KnownAuthentications())

    init() {}

    /// Whether the cache is empty. A request then need not be taken apart for a lookup.
    var isEmpty: Bool { known.withLock { $0.isEmpty } }

    /// Makes the field for a request to a path with known credentials; nil if there are none.
    ///
    /// Of several protection spaces, the one with the deepest folder is used, and of these the latest.
    /// - Parameters:
    ///   - path: The path of the URL, percent-encoded.
    ///   - target: The request-target as it is sent.
    ///   - owners: The owners of the credentials that count. Default: the session, whose credentials all requests may
    ///     use.
    func use(
        server: ProtectionSpace.Server,
        path: String,
        method: String,
        target: String,
        owners: [KnownAuthentications.Owner] = [.session]
    ) -> KnownAuthentications.Use? {
        known.withLock { $0.use(server: server, path: path, method: method, target: target, owners: owners) }
    }

    /// Makes the field for a request, as its recipient sees it.
    ///
    /// A URL with a user name uses that user's credentials alone. A proxy's credentials are used for all requests,
    /// whichever user the proxy's address names.
    func use(for request: RecipientAuthentication.Request) -> KnownAuthentications.Use? {
        use(
            server: request.server,
            path: request.path,
            method: request.method,
            target: request.target,
            owners: Self.owners(for: request)
        )
    }

    /// Returns the user credential that would be sent with a request; nil if none is known for it.
    func userCredential(for request: RecipientAuthentication.Request) -> UserCredential? {
        known.withLock {
            $0.userCredential(server: request.server, path: request.path, owners: Self.owners(for: request))
        }
    }

    private static func owners(for request: RecipientAuthentication.Request) -> [KnownAuthentications.Owner] {
        var owners = request.userCredential.map { [KnownAuthentications.Owner.userCredential($0)] } ?? []
        if request.userCredential == nil || request.server.isProxy { owners.append(.session) }
        return owners
    }

    /// Returns the credentials behind a use; nil if they were removed or replaced. They answer a further challenge,
    /// such as one for a stale nonce.
    func authentication(of use: KnownAuthentications.Use) -> HTTPAuthentication? {
        known.withLock { $0.authentication(of: use) }
    }

    /// Stores credentials that a server has accepted for a path, in place of others of the same owner for the same
    /// space.
    func store(
        _ authentication: HTTPAuthentication,
        server: ProtectionSpace.Server,
        path: String,
        owner: KnownAuthentications.Owner = .session
    ) {
        known.withLock { $0.store(authentication, server: server, path: path, owner: owner) }
    }

    /// Notes that the server accepted the field that was made for it, and the nonce that it wants next.
    /// - Parameter authenticationInfo: The values of `Authentication-Info`, or of `Proxy-Authentication-Info`.
    func wasAccepted(_ use: KnownAuthentications.Use, authenticationInfo: [String]) {
        // Most responses have no such field; there is nothing to note then.
        guard !authenticationInfo.isEmpty else { return }
        known.withLock { $0.wasAccepted(use, authenticationInfo: authenticationInfo) }
    }

    /// Removes credentials that the server no longer accepts, unless others have replaced them.
    func remove(_ use: KnownAuthentications.Use) {
        known.withLock { $0.remove(use) }
    }

    /// Removes all credentials.
    func removeAll() {
        known.withLock { $0 = KnownAuthentications() }
    }
}
#endif
