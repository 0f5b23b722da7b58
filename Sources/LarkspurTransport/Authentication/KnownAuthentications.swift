#if canImport(FoundationNetworking)
/// Credentials by the servers, realms and folders for which they are good.
struct KnownAuthentications: Sendable {
    /// How many protection spaces are remembered; the one that was stored first is forgotten first.
    static let limit = 128

    /// A field that was made for a request, and what it was made of.
    struct Use: Sendable, Hashable {
        let field: String
        let space: ProtectionSpace
        /// Tells credentials from those that have replaced them while a request was under way.
        fileprivate let generation: Int
    }

    private struct Entry: Sendable {
        let space: ProtectionSpace
        let generation: Int
        var authentication: HTTPAuthentication
        var paths: ProtectedPaths
    }

    private var entries: [ProtectionSpace.Server: [Entry]] = [:]
    /// The spaces in the order in which they were stored.
    private var order: [ProtectionSpace] = []
    private var lastGeneration = 0

    var isEmpty: Bool { entries.isEmpty }

    mutating func use(server: ProtectionSpace.Server, path: String, method: String, target: String) -> Use? {
        guard var candidates = entries[server] else { return nil }
        var best: (index: Int, depth: Int)?
        for index in candidates.indices {
            guard let depth = candidates[index].paths.depth(of: path), depth >= best?.depth ?? 0 else { continue }
            best = (index, depth)
        }
        guard let index = best?.index else { return nil }
        let field = candidates[index].authentication.authorization(method: method, target: target)
        entries[server] = candidates
        return Use(field: field, space: candidates[index].space, generation: candidates[index].generation)
    }

    func authentication(of use: Use) -> HTTPAuthentication? {
        index(of: use).flatMap { entries[use.space.server]?[$0].authentication }
    }

    mutating func store(_ authentication: HTTPAuthentication, server: ProtectionSpace.Server, path: String) {
        let space = ProtectionSpace(server: server, challenge: authentication.challenge)
        var paths = ProtectedPaths(challenge: authentication.challenge, server: server, path: path)
        if let known = entries[server]?.first(where: { $0.space == space }) {
            var union = known.paths
            union.formUnion(paths)
            paths = union
            remove(space)
        }
        lastGeneration &+= 1
        entries[server, default: []].append(
            Entry(space: space, generation: lastGeneration, authentication: authentication, paths: paths)
        )
        order.append(space)
        if order.count > Self.limit, let oldest = order.first { remove(oldest) }
    }

    mutating func wasAccepted(_ use: Use, authenticationInfo: [String]) {
        guard let index = index(of: use) else { return }
        entries[use.space.server]?[index].authentication.wasAccepted(authenticationInfo: authenticationInfo)
    }

    mutating func remove(_ use: Use) {
        if index(of: use) != nil { remove(use.space) }
    }

    private func index(of use: Use) -> Int? {
        entries[use.space.server]?.firstIndex { $0.space == use.space && $0.generation == use.generation }
    }

    private mutating func remove(_ space: ProtectionSpace) {
        entries[space.server]?.removeAll { $0.space == space }
        if entries[space.server]?.isEmpty == true { entries[space.server] = nil }
        order.removeAll { $0 == space }
    }
}
#endif
