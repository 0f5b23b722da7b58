#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The names of hosts as HSTS compares them.
enum HSTSName {
    /// Returns a host name in its ASCII form, in lower case and without the dot at its end (RFC 6797, section 10). Nil
    /// for addresses, which HSTS does not cover (section 8.1.1), and for texts that are no host names.
    static func canonical(_ host: String) -> String? {
        canonical(try? CanonicalHost(named: host))
    }

    /// Returns the name of a host in this form; nil for an address, and without a host.
    static func canonical(_ host: CanonicalHost?) -> String? { host?.address == nil ? host?.name : nil }
}

extension URL {
    /// The URL with https in place of http, as HSTS requires (RFC 6797, section 8.3): the port 80 becomes 443, and any
    /// other port stays. Nil if the scheme is not http.
    var secured: URL? {
        let text = absoluteString
        guard let scheme, scheme.hasSameLetters(as: "http"), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        var rest = text[colon...]
        if let port = Self.port(in: rest), Int(rest[port]) == 80 { rest.replaceSubrange(port, with: "443") }
        return URL(string: "https" + rest, encodingInvalidCharacters: false)
    }

    /// Returns the place of the port in the text that follows a scheme; nil if there is no port.
    private static func port(in text: Substring) -> Range<String.Index>? {
        guard text.utf8.starts(with: "://".utf8) else { return nil }
        let authority = text.utf8.dropFirst(3).prefix { !"/?#".utf8.contains($0) }
        let start =
            authority.lastIndex(of: UInt8(ascii: "@")).map { authority.index(after: $0) } ?? authority.startIndex
        let afterAddress = authority[start...].lastIndex(of: UInt8(ascii: "]")) ?? start
        guard let colon = authority[afterAddress...].lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let port = authority.index(after: colon)..<authority.endIndex
        return authority[port].isEmpty ? nil : port
    }
}
#endif
