#if canImport(FoundationNetworking)
import HTTPSyntax
import Synchronization

/// The credentials of a session: those in its configuration's storage, and those that servers have accepted.
///
/// `URLCredentialStorage` compares protection spaces by identity. This type compares them by their values.
struct CredentialStore: CredentialSource, Sendable {
    /// The configuration's storage; nil if credentials stay in the session's own memory.
    let storage: URLCredentialStorage?
    /// The credentials that requests send before a server sends a challenge.
    let known = AuthenticationCache()

    /// Whether the storage is Foundation's own, so that it runs no code of the program.
    var isOfFoundation: Bool { storage.map { type(of: $0) == URLCredentialStorage.self } ?? true }

    /// Returns the default credential for a space; nil if there is none.
    func defaultCredential(for space: ProtectionSpace) -> URLCredential? {
        guard let storage else { return nil }
        for key in keys(for: space, in: storage) {
            if let credential = storage.defaultCredential(for: key) { return credential }
        }
        return nil
    }

    func authentication(of use: KnownAuthentications.Use) -> HTTPAuthentication? { known.authentication(of: use) }

    /// Creates the field for a request from known credentials. Returns nil if no credentials are known, or if they were
    /// removed from the storage.
    func use(for request: RecipientAuthentication.Request) -> KnownAuthentications.Use? {
        guard !known.isEmpty, let use = known.use(for: request) else { return nil }
        if use.owner == .session, hasLost(use.userCredential, of: use.space) {
            known.remove(use)
            return nil
        }
        return use
    }

    func apply(_ changes: [CredentialChange]) {
        for change in changes {
            switch change {
            case .store(let credential, let space): store(credential, for: space)
            case .remember(let authentication, let request, let owner):
                known.store(authentication, server: request.server, path: request.path, owner: owner)
            case .renew(let use, let info): known.wasAccepted(use, authenticationInfo: info)
            case .forget(let use): known.remove(use)
            }
        }
    }

    /// Stores an accepted credential as the default credential of its space. The storage applies the credential's
    /// persistence.
    func store(_ credential: URLCredential, for space: ProtectionSpace) {
        guard let storage, credential.persistence != .none else { return }
        let key = keys(for: space, in: storage).first ?? space.urlProtectionSpace
        storage.setDefaultCredential(credential, for: key)
    }

    /// Whether the user credential is no longer in the storage, or has a different password there. False if there is no
    /// storage.
    func hasLost(_ userCredential: UserCredential, of space: ProtectionSpace) -> Bool {
        guard let storage else { return false }
        return !keys(for: space, in: storage).contains { key in
            storage.credentials(for: key)?[userCredential.user].flatMap(UserCredential.init) == userCredential
        }
    }

    /// Removes all credentials from storage and memory.
    func removeAll() {
        known.removeAll()
        guard let storage else { return }
        for (space, credentials) in storage.allCredentials {
            for credential in credentials.values { storage.remove(credential, for: space) }
        }
    }

    /// Returns the spaces of the storage that match a space. Spaces with the same method come first, then spaces with
    /// the default method.
    private func keys(for space: ProtectionSpace, in storage: URLCredentialStorage) -> [URLProtectionSpace] {
        let candidates = storage.allCredentials.keys.filter {
            // A cheap comparison comes first. It excludes most spaces, because most spaces belong to other servers.
            ($0.port == space.server.port || $0.port == 0) && $0.isProxy() == space.server.isProxy
        }
        return candidates.filter { ProtectionSpace($0) == space }
            + candidates.filter { key in
                guard key.authenticationMethod == NSURLAuthenticationMethodDefault, space.scheme == .digest,
                    let open = ProtectionSpace(key)
                else { return false }
                return open.server == space.server && open.realm == space.realm
            }
    }
}

/// A change of the session's credentials after a response.
enum CredentialChange {
    /// Stores a credential that was accepted.
    case store(URLCredential, ProtectionSpace)
    /// Stores accepted credentials. Later requests send them before the server sends a challenge.
    case remember(HTTPAuthentication, RecipientAuthentication.Request, KnownAuthentications.Owner)
    /// Adopts the next nonce from the values of `Authentication-Info`.
    case renew(KnownAuthentications.Use, info: [String])
    /// Removes credentials that were refused, unless newer credentials have replaced them.
    case forget(KnownAuthentications.Use)
}

/// The part of a session's credentials that an authentication reads.
protocol CredentialSource {
    /// Returns the default credential for a space; nil if there is none.
    func defaultCredential(for space: ProtectionSpace) -> URLCredential?

    /// Returns the credentials from which an authorization field (`use`) was created; nil if they were removed or
    /// replaced.
    func authentication(of use: KnownAuthentications.Use) -> HTTPAuthentication?
}

/// The credentials that servers have accepted. Later requests send them before a server sends a challenge (RFC 7617,
/// section 2.2; RFC 7616, section 3.6).
///
/// Every method may be called on any thread. Concurrent requests may use the same Digest nonce, and each use is
/// counted.
final class AuthenticationCache: Sendable {
    private let known = Mutex(KnownAuthentications())

    /// Whether the cache is empty. If it is, a look-up does not have to parse the request's URL.
    var isEmpty: Bool { known.withLock { $0.isEmpty } }

    /// Creates the field for a request from known credentials; nil if no credentials are known for the request.
    func use(for request: RecipientAuthentication.Request) -> KnownAuthentications.Use? {
        known.withLock { $0.use(for: request) }
    }

    /// Returns the user credential that would be sent with a request; nil if none is known for the request.
    func userCredential(for request: RecipientAuthentication.Request) -> UserCredential? {
        known.withLock { $0.userCredential(for: request) }
    }

    /// Returns the credentials from which an authorization field (`use`) was created; nil if they were removed or
    /// replaced. They are needed for a further challenge, for example if the nonce is stale.
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

    /// Removes credentials that the server no longer accepts, unless newer credentials have replaced them.
    func remove(_ use: KnownAuthentications.Use) { known.withLock { $0.remove(use) } }

    /// Removes all credentials.
    func removeAll() { known.withLock { $0 = KnownAuthentications() } }
}
#endif
