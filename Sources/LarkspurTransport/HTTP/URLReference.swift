#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// A URL or a relative reference, as its five components (RFC 3986). It can be parsed from any text.
///
/// Foundation can resolve references too. But it does not remove dot segments from absolute references, and treats a
/// percent sign in different ways, depending on the rest of the text.
struct URLReference: Equatable {
    var scheme: String?
    var authority: String?
    var path: String
    var query: String?
    var fragment: String?

    /// Splits the text as in appendix B of RFC 3986.
    init(_ text: String) {
        var rest = text[...]
        fragment = Self.cut(&rest, at: "#")
        query = Self.cut(&rest, at: "?")
        if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
            scheme = String(rest[..<colon])
            rest = rest[rest.utf8.index(after: colon)...]
        }
        if rest.utf8.starts(with: "//".utf8) {
            let start = rest.utf8.index(rest.startIndex, offsetBy: 2)
            let end = rest.utf8[start...].firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = String(rest[start..<end])
            rest = rest[end...]
        }
        path = String(rest)
    }

    /// Cuts `rest` at the first separator, and returns the text after the separator; nil if there is no separator.
    private static func cut(_ rest: inout Substring, at separator: Unicode.Scalar) -> String? {
        let byte = UInt8(ascii: separator)
        guard let index = rest.utf8.firstIndex(of: byte) else { return nil }
        defer { rest = rest[..<index] }
        return String(rest[rest.utf8.index(after: index)...])
    }

    private static func isScheme(_ text: Substring) -> Bool {
        text.utf8.first?.isLetter == true
            && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
    }

    var text: String {
        var text = scheme.map { $0 + ":" } ?? ""
        if let authority { text += "//" + authority }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }

    /// Resolves the reference against the URL of the document in which it occurs (RFC 3986, section 5.2.2).
    func resolved(against base: URLReference) -> URLReference {
        var target = self
        if scheme != nil || authority != nil {
            target.scheme = scheme ?? base.scheme
            target.path = Self.withoutDotSegments(path)
            return target
        }
        target.scheme = base.scheme
        target.authority = base.authority
        if path.isEmpty {
            target.path = base.path
            target.query = query ?? base.query
        } else if path.utf8.first == UInt8(ascii: "/") {
            target.path = Self.withoutDotSegments(path)
        } else {
            target.path = Self.withoutDotSegments(base.pathForMerging + path)
        }
        return target
    }

    /// The path up to its last slash (section 5.2.3).
    private var pathForMerging: String {
        if authority != nil, path.isEmpty { return "/" }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(path[...slash])
    }

    /// Removes dot segments (section 5.2.4), segment by segment.
    private static func withoutDotSegments(_ path: String) -> String {
        guard path.utf8.contains(UInt8(ascii: ".")) else { return path }
        let isAbsolute = path.begins(with: "/")
        let relative = Substring(path.utf8.dropFirst(isAbsolute ? 1 : 0))
        var segments: [Substring] = []
        var endsInFolder = false
        for segment in relative.parts(separatedBy: "/", omittingEmptyParts: false) {
            endsInFolder = segment == "." || segment == ".."
            if segment == ".." {
                _ = segments.popLast()
            } else if segment != "." {
                segments.append(segment)
            }
        }
        if endsInFolder { segments.append("") }
        return (isAbsolute ? "/" : "") + segments.joined(separator: "/")
    }
}

extension URLReference {
    /// The reference with invalid characters percent-encoded, because some servers send spaces and UTF-8 in a Location.
    /// The host is unchanged, because Foundation encodes international names.
    var percentEncoded: URLReference {
        var encoded = self
        encoded.path = Self.encode(path)
        encoded.query = query.map(Self.encode)
        encoded.fragment = fragment.map(Self.encode)
        return encoded
    }

    private static func encode(_ text: String) -> String { PercentEncoding.escaping(text, unless: isAllowed) }

    /// Whether the byte is an unreserved character, a delimiter, or another character that is allowed in path, query
    /// and fragment.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isToken && !"#%^`|".utf8.contains(byte) || "/?:@(),;=".utf8.contains(byte)
    }
}

extension URLReference {
    /// Whether the URL is on a Unix-domain socket.
    var isOnSocket: Bool { scheme.map { UnixSocketTarget.schemes.contains($0.lowercased()) } ?? false }

    /// Whether scheme and authority are equal, character by character.
    func hasSameServer(as other: URLReference) -> Bool {
        scheme?.lowercased() == other.scheme?.lowercased() && authority == other.authority
    }

    /// The origin; nil if this is not an http or https URL with a host and a valid port.
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
