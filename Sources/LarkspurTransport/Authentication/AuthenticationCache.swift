#if canImport(FoundationNetworking)
import Synchronization

/// The credentials that servers have taken, to be sent again without being asked for (RFC 7617, section 2.2; RFC 7616,
/// section 3.6).
///
/// Every method may be called on any thread. Each use of a Digest's nonce is counted, also where requests run at once.
final class AuthenticationCache: Sendable {
    private let known = Mutex(KnownAuthentications())

    init() {}

    /// Whether nothing is known, so that a request need not be taken apart to ask.
    var isEmpty: Bool { known.withLock { $0.isEmpty } }

    /// The field for a request to a path for which credentials are known; nil where there are none.
    ///
    /// Of several spaces that of the deepest folder counts, and of these the latest.
    /// - Parameters:
    ///   - path: The path of the URL, percent-encoded.
    ///   - target: The request-target as it is sent.
    ///   - owners: Whose credentials count. Default: those that all requests may use.
    func use(
        server: ProtectionSpace.Server,
        path: String,
        method: String,
        target: String,
        owners: [KnownAuthentications.Owner] = [.session]
    ) -> KnownAuthentications.Use? {
        known.withLock { $0.use(server: server, path: path, method: method, target: target, owners: owners) }
    }

    /// The field for a request, as its recipient sees it.
    ///
    /// A URL that names a user is for that user's credentials alone. A proxy is one for all requests, whoever has to be
    /// named to it.
    func use(for request: RecipientAuthentication.Request) -> KnownAuthentications.Use? {
        use(
            server: request.server,
            path: request.path,
            method: request.method,
            target: request.target,
            owners: Self.owners(for: request)
        )
    }

    /// Who a request would be sent for; nil if nothing is known for it.
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

    /// The credentials behind a use, to answer a further challenge with, such as that the nonce is too old; nil if they
    /// were forgotten or replaced.
    func authentication(of use: KnownAuthentications.Use) -> HTTPAuthentication? {
        known.withLock { $0.authentication(of: use) }
    }

    /// Remembers credentials that a server has taken for a path, in place of others of the same owner for the same
    /// space.
    func store(
        _ authentication: HTTPAuthentication,
        server: ProtectionSpace.Server,
        path: String,
        owner: KnownAuthentications.Owner = .session
    ) {
        known.withLock { $0.store(authentication, server: server, path: path, owner: owner) }
    }

    /// Notes that the server took what was made for it, and the nonce that it wants next.
    /// - Parameter authenticationInfo: The values of `Authentication-Info`, or of `Proxy-Authentication-Info`.
    func wasAccepted(_ use: KnownAuthentications.Use, authenticationInfo: [String]) {
        // Most responses have no such field, and nothing to note.
        guard !authenticationInfo.isEmpty else { return }
        known.withLock { $0.wasAccepted(use, authenticationInfo: authenticationInfo) }
    }

    /// Forgets credentials that the server no longer takes, unless others have replaced them.
    func remove(_ use: KnownAuthentications.Use) {
        known.withLock { $0.remove(use) }
    }

    /// Forgets everything.
    func removeAll() {
        known.withLock { $0 = KnownAuthentications() }
    }
}
#endif
