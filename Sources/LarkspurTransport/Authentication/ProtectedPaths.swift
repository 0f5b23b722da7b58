#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The paths of a server for which credentials may be sent before the server challenges.
struct ProtectedPaths: Sendable, Hashable {
    /// The maximum number of folders. Above it, the oldest folder is removed.
    static let limit = 32

    /// The folders. Each begins and ends with a slash.
    private(set) var folders: [String] = []

    /// Creates the paths from a challenge. For Digest, these are the folders of `domain` (RFC 7616, section 3.3), or
    /// the whole server if the challenge has no `domain`. For Basic, it is the folder of the requested path (RFC 7617,
    /// section 2.2). For a proxy, it is every path.
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
                    // Other servers in the list are ignored: they get this server's credentials only after they have
                    // challenged.
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

    /// Whether a segment of the path begins with a dot, escaped or not. Such a segment could lead out of its folder.
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
