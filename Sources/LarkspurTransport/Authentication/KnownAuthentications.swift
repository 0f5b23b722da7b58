#if canImport(FoundationNetworking)
import HTTPSyntax

/// The known credentials, by the servers, realms and folders for which they are valid.
struct KnownAuthentications: Sendable {
    /// The maximum number of entries, each for a protection space and an owner. Above it, the entry that was stored
    /// first is removed.
    static let limit = 128

    /// The requests for which credentials may be used.
    enum Owner: Sendable, Hashable {
        /// All requests of the session.
        case session
        /// The requests with this user credential in their URL.
        case userCredential(UserCredential)
    }

    /// A field that was created for a request, with the protection space, the user credential and the owner of the
    /// credentials from which it was created.
    struct Use: Sendable, Hashable {
        let field: String
        let space: ProtectionSpace
        let userCredential: UserCredential
        let owner: Owner
        /// The number of the credentials. If other credentials replace them while the request is under way, these have
        /// another number.
        fileprivate let generation: Int
    }

    fileprivate struct Key: Sendable, Hashable {
        let space: ProtectionSpace
        let owner: Owner
    }

    private struct Entry: Sendable {
        let key: Key
        let generation: Int
        var authentication: HTTPAuthentication
        var paths: ProtectedPaths
    }

    private var entries: [ProtectionSpace.Server: [Entry]] = [:]
    /// The keys in the order in which their entries were stored.
    private var order: [Key] = []
    private var lastGeneration = 0

    var isEmpty: Bool { entries.isEmpty }

    mutating func use(for request: RecipientAuthentication.Request) -> Use? {
        guard let index = index(for: request),
            let field = entries[request.server]?[index].authentication.authorization(
                method: request.method,
                target: request.target
            ),
            let entry = entries[request.server]?[index]
        else { return nil }
        return Use(
            field: field,
            space: entry.key.space,
            userCredential: entry.authentication.userCredential,
            owner: entry.key.owner,
            generation: entry.generation
        )
    }

    /// Returns the user credential that would be sent with a request. The call does not count as a use.
    func userCredential(for request: RecipientAuthentication.Request) -> UserCredential? {
        index(for: request).flatMap { entries[request.server]?[$0].authentication.userCredential }
    }

    /// Returns the index of the credentials for a request. If several protection spaces match, the space with the
    /// deepest folder is chosen. Among equally deep folders, the latest entry is chosen.
    private func index(for request: RecipientAuthentication.Request) -> Int? {
        let owners = request.owners
        var best: (index: Int, depth: Int)?
        for (index, entry) in (entries[request.server] ?? []).enumerated() where owners.contains(entry.key.owner) {
            guard let depth = entry.paths.depth(of: request.path), depth >= best?.depth ?? 0 else { continue }
            best = (index, depth)
        }
        return best?.index
    }

    func authentication(of use: Use) -> HTTPAuthentication? {
        index(of: use).flatMap { entries[use.space.server]?[$0].authentication }
    }

    mutating func store(
        _ authentication: HTTPAuthentication,
        server: ProtectionSpace.Server,
        path: String,
        owner: Owner
    ) {
        let space = ProtectionSpace(server: server, offer: .field(authentication.challenge))
        let key = Key(space: space, owner: owner)
        var paths = ProtectedPaths(challenge: authentication.challenge, server: server, path: path)
        if let known = entries[server]?.first(where: { $0.key == key }) {
            let added = exchange(&paths, with: known.paths)
            paths.formUnion(added)
            remove(key)
        }
        lastGeneration &+= 1
        entries[server, default: []].append(
            Entry(key: key, generation: lastGeneration, authentication: authentication, paths: paths)
        )
        order.append(key)
        if order.count > Self.limit, let oldest = order.first { remove(oldest) }
    }

    mutating func wasAccepted(_ use: Use, authenticationInfo: [String]) {
        guard let index = index(of: use) else { return }
        entries[use.space.server]?[index].authentication.wasAccepted(authenticationInfo: authenticationInfo)
    }

    mutating func remove(_ use: Use) {
        if index(of: use) != nil { remove(use.key) }
    }

    private func index(of use: Use) -> Int? {
        entries[use.space.server]?.firstIndex { $0.key == use.key && $0.generation == use.generation }
    }

    private mutating func remove(_ key: Key) {
        let server = key.space.server
        entries[server]?.removeAll { $0.key == key }
        if entries[server]?.isEmpty == true { entries[server] = nil }
        order.removeAll { $0 == key }
    }
}

extension RecipientAuthentication.Request {
    /// The owners whose credentials the request may use.
    ///
    /// If the URL of a request has a user name, the request uses only the credentials of that user. For a proxy, the
    /// session's credentials may be used too, even if the proxy's address has a user name.
    fileprivate var owners: [KnownAuthentications.Owner] {
        guard let userCredential else { return [.session] }
        return server.isProxy ? [.userCredential(userCredential), .session] : [.userCredential(userCredential)]
    }
}

extension KnownAuthentications.Use {
    fileprivate var key: KnownAuthentications.Key { KnownAuthentications.Key(space: space, owner: owner) }
}
#endif
