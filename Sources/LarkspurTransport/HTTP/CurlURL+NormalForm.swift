#if canImport(FoundationNetworking)
internal import HTTPSyntax

extension CurlURL {
    /// Returns the normal form of the URL that the target was made of. It has no user information and no fragment. URLs
    /// that differ only in the case of scheme and host, in a default port or in an empty path are equivalent, and have
    /// the same normal form (RFC 9110, section 4.2.3).
    func normalForm(of url: URL) -> String {
        guard socketPath == nil else { return Self.normalFormForSocket(url) }
        var text = text
        return text.withUTF8(Self.isNormal) ? text : Self.normalized(text)
    }

    /// Whether it is certain that a text is in the normal form. This is so for nearly all URLs.
    private static func isNormal(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let rest = bytes[(colon + 1)...].dropFirst(2)
        guard let end = rest.firstIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }),
            bytes[end] == UInt8(ascii: "/"),
            bytes[..<end].allSatisfy({ $0 == $0.asLowercase && $0 != UInt8(ascii: "%") })
        else { return false }
        let authority = rest[..<end]
        let port = authority.reversed().prefix(while: \.isDigit)
        guard port.count < authority.count, authority.dropLast(port.count).last == UInt8(ascii: ":") else {
            return true
        }
        // If a port has more than three digits and no leading zero, it is neither 80 nor 443.
        return port.count > 3 && port.last != UInt8(ascii: "0")
    }

    private static func normalized(_ text: String) -> String {
        var reference = URLReference(text)
        guard let origin = reference.origin else { return text }
        let isDefault = origin.port == (origin.scheme == "http" ? 80 : 443)
        reference.scheme = origin.scheme
        reference.authority = isDefault ? origin.host : "\(origin.host):\(origin.port)"
        if reference.path.isEmpty { reference.path = "/" }
        return reference.text
    }

    /// Returns the normal form of a URL for a socket. It preserves the case of the socket's path.
    private static func normalFormForSocket(_ url: URL) -> String {
        var reference = URLReference(url.absoluteString)
        reference.scheme = reference.scheme?.inLowercase
        reference.fragment = nil
        if let authority = reference.authority, let end = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
            reference.authority = String(authority[authority.utf8.index(after: end)...])
        }
        if reference.path.isEmpty { reference.path = "/" }
        return reference.text
    }
}
#endif
