#if canImport(FoundationNetworking)
/// The credentials of a session: its configuration's storage, and what servers have taken.
///
/// `URLCredentialStorage` finds a protection space by its identity; here it is found by what it says.
struct CredentialStore: Sendable {
    /// Nil where nothing is to be stored beyond the session's own memory.
    let storage: URLCredentialStorage?
    /// What is sent without being asked for.
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

    /// Stores a credential that was accepted, as the default one of its space; the storage decides what its persistence
    /// allows.
    func keep(_ credential: URLCredential, for space: ProtectionSpace) {
        guard let storage, credential.persistence != .none else { return }
        storage.setDefaultCredential(
            credential,
            for: keys(for: space, in: storage).first ?? space.urlProtectionSpace
        )
    }

    /// Whether somebody has taken the login out of the storage, or changed its password, since it was stored there.
    func hasLost(_ login: Login, of space: ProtectionSpace) -> Bool {
        guard let storage else { return false }
        return !keys(for: space, in: storage).contains { key in
            storage.credentials(for: key)?[login.user].flatMap(Login.init) == login
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
