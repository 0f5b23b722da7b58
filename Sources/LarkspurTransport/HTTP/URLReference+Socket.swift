#if canImport(FoundationNetworking)
internal import HTTPSyntax

extension URLReference {
    /// Whether the URL is on a Unix-domain socket.
    var isOnSocket: Bool { scheme.map { UnixSocketTarget.schemes.contains($0.inLowercase) } ?? false }

    /// Whether scheme and authority are equal, character by character.
    func hasSameServer(as other: URLReference) -> Bool {
        scheme?.inLowercase == other.scheme?.inLowercase && authority == other.authority
    }
}
#endif
