#if canImport(FoundationNetworking)
/// The credentials of a session: its configuration's storage, and what servers have taken.
///
/// `URLCredentialStorage` finds a protection space by its identity; here it is found by what it says.
struct CredentialStore: CredentialSource, Sendable {
    /// Nil where nothing is to be stored beyond the session's own memory.
    let storage: URLCredentialStorage?
    /// The credentials that are sent without being asked for.
    let known = AuthenticationCache()

    init(storage: URLCredentialStorage?) { self.storage = storage }

    /// The default credential for a space; nil if there is none.
    func defaultCredential(for space: ProtectionSpace) -> URLCredential? {
        guard let storage else { return nil }
        for key in keys(for: space, in: storage) {
            if let credential = storage.defaultCredential(for: key) { return credential }
        }
        return nil
    }

    func authentication(of use: KnownAuthentications.Use) -> HTTPAuthentication? { known.authentication(of: use) }

    /// Uses credentials that are known for a request; nil if there are none, or the storage has lost them.
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
            case .store(let credential, let space): keep(credential, for: space)
            case .remember(let authentication, let request, let owner):
                known.store(authentication, server: request.server, path: request.path, owner: owner)
            case .renew(let use, let info): known.wasAccepted(use, authenticationInfo: info)
            case .forget(let use): known.remove(use)
            }
        }
    }

    /// Stores a credential that was accepted, as the default one of its space; the storage decides what its persistence
    /// allows.
    func keep(_ credential: URLCredential, for space: ProtectionSpace) {
        guard let storage, credential.persistence != .none else { return }
        storage.setDefaultCredential(
            credential,
            for: keys(for: space, in: storage).first ?? space.urlProtectionSpace
        )
    }

    /// Whether the user credential was removed from the storage, or its password changed, since it was stored there.
    func hasLost(_ userCredential: UserCredential, of space: ProtectionSpace) -> Bool {
        guard let storage else { return false }
        return !keys(for: space, in: storage).contains { key in
            storage.credentials(for: key)?[userCredential.user].flatMap(UserCredential.init) == userCredential
        }
    }

    /// Empties storage and memory.
    func removeAll() {
        known.removeAll()
        guard let storage else { return }
        for (space, credentials) in storage.allCredentials {
            for credential in credentials.values { storage.remove(credential, for: space) }
        }
    }

    /// Those of the storage's spaces that mean this one: first what says so, then those that leave the method open.
    private func keys(for space: ProtectionSpace, in storage: URLCredentialStorage) -> [URLProtectionSpace] {
        let candidates = storage.allCredentials.keys.filter {
            // Most are of other servers, which is found out cheaply.
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
#endif
