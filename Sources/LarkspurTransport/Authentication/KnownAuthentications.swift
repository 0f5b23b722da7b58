#if canImport(FoundationNetworking)
/// Credentials by the servers, realms and folders for which they are valid.
struct KnownAuthentications: Sendable {
    /// The number of protection spaces that are stored; the one that was stored first is removed first.
    static let limit = 128

    /// The requests that credentials are for.
    enum Owner: Sendable, Hashable {
        /// All requests of the session.
        case session
        /// The requests with this user credential in their URL.
        case userCredential(UserCredential)
    }

    /// A field that was made for a request, and the protection space, user credential and owner that it was made from.
    struct Use: Sendable, Hashable {
        let field: String
        let space: ProtectionSpace
        let userCredential: UserCredential
        let owner: Owner
        /// The number that tells credentials from those that have replaced them while a request was under way.
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
    /// The entries in the order in which they were stored.
    private var order: [Key] = []
    private var lastGeneration = 0

    var isEmpty: Bool { entries.isEmpty }

    mutating func use(
        server: ProtectionSpace.Server,
        path: String,
        method: String,
        target: String,
        owners: [Owner]
    ) -> Use? {
        guard var candidates = entries[server], let index = index(in: candidates, path: path, owners: owners) else {
            return nil
        }
        let field = candidates[index].authentication.authorization(method: method, target: target)
        entries[server] = candidates
        let entry = candidates[index]
        return Use(
            field: field,
            space: entry.key.space,
            userCredential: entry.authentication.userCredential,
            owner: entry.key.owner,
            generation: entry.generation
        )
    }

    /// Returns the user credential that would be sent with a request. This does not use the known credentials.
    func userCredential(server: ProtectionSpace.Server, path: String, owners: [Owner]) -> UserCredential? {
        guard let candidates = entries[server], let index = index(in: candidates, path: path, owners: owners) else {
            return nil
        }
        return candidates[index].authentication.userCredential
    }

    private func index(in candidates: [Entry], path: String, owners: [Owner]) -> Int? {
        var best: (index: Int, depth: Int)?
        for index in candidates.indices where owners.contains(candidates[index].key.owner) {
            guard let depth = candidates[index].paths.depth(of: path), depth >= best?.depth ?? 0 else { continue }
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
        let space = ProtectionSpace(server: server, challenge: authentication.challenge)
        let key = Key(space: space, owner: owner)
        var paths = ProtectedPaths(challenge: authentication.challenge, server: server, path: path)
        if let known = entries[server]?.first(where: { $0.key == key }) {
            var union = known.paths
            union.formUnion(paths)
            paths = union
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

extension KnownAuthentications.Use {
    fileprivate var key: KnownAuthentications.Key { KnownAuthentications.Key(space: space, owner: owner) }
}
#endif

#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The paths of a server to which credentials may be sent before it challenges.
struct ProtectedPaths: Sendable, Hashable {
    /// The number of folders that are stored; the oldest is removed first.
    static let limit = 32

    /// The folders; each begins and ends with a slash.
    private(set) var folders: [String] = []

    /// Takes the folders of a challenge: for Digest, those of `domain` (RFC 7616, section 3.3), or the whole server if
    /// it has none; for Basic, the folder of the requested path (RFC 7617, section 2.2); for a proxy, everything.
    init(challenge: AnswerableChallenge, server: ProtectionSpace.Server, path: String) {
        switch challenge {
        case _ where server.isProxy: add("/")
        case .basic: add(path)
        case .digest(let digest):
            if digest.domain.isEmpty { add("/") }
            for entry in digest.domain {
                if entry.hasPrefix("/") {
                    add(entry)
                } else if let url = URL(string: entry), ProtectionSpace.Server(url: url) == server {
                    // Other servers in the list are ignored: only they themselves may ask for this server's
                    // credentials.
                    add(url.path(percentEncoded: true))
                }
            }
        }
    }

    mutating func formUnion(_ other: ProtectedPaths) {
        for folder in other.folders { add(folder) }
    }

    /// Returns the length of the deepest folder that contains the path; nil if none does.
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

    /// Whether the path has a segment that could lead out of its folder: one that begins with a dot, written as such or
    /// escaped.
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
