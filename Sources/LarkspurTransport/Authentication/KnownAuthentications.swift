#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The known credentials, and the servers, realms and folders for which they are valid.
struct KnownAuthentications: Sendable {
    /// The maximum number of entries, each for a protection space and an owner. If there are more, the oldest entry is
    /// removed.
    static let limit = 128

    /// The requests for which credentials may be used.
    enum Owner: Sendable, Hashable {
        /// All requests of the session.
        case session
        /// The requests with this user credential in their URL.
        case userCredential(UserCredential)
    }

    /// A field that was created for a request. It has the protection space, the user credential and the owner of the
    /// credentials from which it was created.
    struct Use: Sendable, Hashable {
        let field: String
        let space: ProtectionSpace
        let userCredential: UserCredential
        let owner: Owner
        /// The number of the credentials. Credentials that replace them while the request is under way have a different
        /// number.
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
    /// deepest folder is chosen. If several folders are equally deep, the latest entry is chosen.
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

/// The paths of a server for which credentials may be sent before the server sends a challenge.
struct ProtectedPaths: Sendable, Hashable {
    /// The maximum number of folders. If there are more, the oldest folder is removed.
    static let limit = 32

    /// The folders. Each folder begins and ends with a slash.
    private(set) var folders: [String] = []

    /// Creates the paths from a challenge. For Digest, these are the folders of `domain` (RFC 7616, section 3.3).
    /// Without a `domain`, it is the whole server. For Basic, it is the folder of the requested path (RFC 7617, section
    /// 2.2). For a proxy, it is every path.
    init(challenge: AnswerableChallenge, server: ProtectionSpace.Server, path: String) {
        switch challenge {
        case _ where server.isProxy: add("/")
        case .basic: add(path)
        case .digest(let digest):
            if digest.domain.isEmpty { add("/") }
            for entry in digest.domain {
                if entry.begins(with: "/") {
                    add(entry)
                } else if let url = try? URLReference(reading: entry).url, ProtectionSpace.Server(url: url) == server {
                    // Other servers in the list are ignored. They receive this server's credentials only after they
                    // have sent a challenge.
                    add(url.path(percentEncoded: true))
                }
            }
        }
    }

    mutating func formUnion(_ other: ProtectedPaths) {
        for folder in other.folders { add(folder) }
    }

    /// Returns the length of the deepest folder that contains the path; nil if no folder contains it.
    func depth(of path: String) -> Int? {
        let path = path.isEmpty ? "/" : path
        guard !Self.climbs(path) else { return nil }
        return folders.lazy.filter { path.utf8.starts(with: $0.utf8) }.map(\.utf8.count).max()
    }

    /// Adds the folder of a path, unless a known folder contains it.
    private mutating func add(_ path: String) {
        guard !Self.climbs(path) else { return }
        let bytes = path.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let folder =
            bytes.lastIndex(of: UInt8(ascii: "/")).map { String(decoding: bytes[...$0], as: UTF8.self) } ?? "/"
        guard depth(of: folder) == nil else { return }
        folders.removeAll { $0.utf8.starts(with: folder.utf8) }
        folders.append(folder)
        if folders.count > Self.limit { folders.removeFirst() }
    }

    /// Whether a segment of the path begins with a dot, percent-encoded or not. Such a segment could lead out of its
    /// folder.
    private static func climbs(_ path: String) -> Bool {
        var isAtStart = false
        var rest = path.utf8[...]
        while let byte = rest.popFirst() {
            if isAtStart {
                if byte == UInt8(ascii: ".") { return true }
                if byte == UInt8(ascii: "%"), rest.starts(with: "2e".utf8, by: { $0.asLowercase == $1 }) {
                    return true
                }
            }
            isAtStart = byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
        }
        return false
    }
}
#endif
