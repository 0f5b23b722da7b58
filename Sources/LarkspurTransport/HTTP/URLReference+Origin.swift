#if canImport(FoundationNetworking)
internal import HTTPSyntax

extension URLReference {
    /// Whether the URL names a server on a Unix-domain socket, to which no other server may redirect.
    var isOnSocket: Bool { scheme.map { UnixSocketTarget.schemes.contains($0.lowercased()) } ?? false }

    /// Whether scheme and authority are the same, character by character.
    func hasSameServer(as other: URLReference) -> Bool {
        scheme?.lowercased() == other.scheme?.lowercased() && authority == other.authority
    }

    /// The origin; nil for anything but an http or https URL with a host and a valid port.
    var origin: Origin? {
        guard let scheme = scheme?.lowercased(), scheme == "http" || scheme == "https", let authority else {
            return nil
        }
        let afterUser = authority.utf8.lastIndex(of: UInt8(ascii: "@")).map { authority.utf8.index(after: $0) }
        let hostAndPort = authority[(afterUser ?? authority.startIndex)...]
        let bracket = hostAndPort.utf8.lastIndex(of: UInt8(ascii: "]"))
        let colon = hostAndPort.utf8[(bracket ?? hostAndPort.startIndex)...].lastIndex(of: UInt8(ascii: ":"))
        let host = hostAndPort[..<(colon ?? hostAndPort.endIndex)].lowercased()
        if host.utf8.first == UInt8(ascii: "["), !host.utf8.contains(UInt8(ascii: ":")) { return nil }
        let digits = colon.map { hostAndPort[hostAndPort.utf8.index(after: $0)...] } ?? ""
        guard !host.isEmpty, let port = digits.isEmpty ? Origin.defaultPort(of: scheme) : UInt16(digits).map(Int.init)
        else { return nil }
        return Origin(scheme: scheme, host: host, port: port)
    }
}

#endif
