#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// A URL in the form that libcurl accepts. It is absolute and in ASCII, and has a valid port and a host in the
/// canonical form. It has no user information and no fragment.
struct CurlURL: Equatable {
    let text: String
    /// The path of the server's Unix-domain socket; nil for a server with a host.
    let socketPath: String?
    /// The server's host; nil for a server on a Unix-domain socket.
    let host: CanonicalHost?
    /// The value of the `Host` field.
    var hostField: String { URLReference(text).hostField ?? UnixSocketTarget.host }
    /// The text without the zone of the host, which has no meaning for a proxy (RFC 6874, section 4).
    var textForProxy: String {
        guard let host, host.zone != nil, let place = text.utf8.firstRange(of: host.urlText.utf8) else { return text }
        return text[..<place.lowerBound] + host.fieldText + text[place.upperBound...]
    }

    init(_ url: URL) throws(RequestHead.Failure) {
        var whole = url.absoluteString
        let parts = whole.withUTF8 { Self.parts(of: $0) }
        guard let parts else { throw .invalidURL }
        guard parts.isHTTP else {
            let target = try UnixSocketTarget(url)
            socketPath = target.socketPath
            host = nil
            text = target.text
            return
        }
        socketPath = nil
        guard parts.isValid else { throw .invalidURL }
        // libcurl would send the user information before the server sends a challenge. So it is removed.
        let (scheme, written, rest) = whole.withUTF8 { bytes in
            func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
            return (
                text(0..<parts.authorityStart), text(parts.hostStart..<parts.hostEnd), text(parts.hostEnd..<parts.end)
            )
        }
        do throws(CanonicalHost.Defect) {
            let host = try CanonicalHost(inURL: written)
            self.host = host
            // libcurl receives the same host as the resolver, HSTS, pins, proxies and cookies.
            text = scheme + host.urlText + rest
        } catch {
            throw .invalidHost(error)
        }
    }

    private struct Parts {
        let isHTTP: Bool
        var authorityStart = 0
        var hostStart = 0
        var hostEnd = 0
        var end = 0
        var isValid = false
    }

    /// Splits a URL. Returns nil if it has no scheme.
    private static func parts(of bytes: UnsafeBufferPointer<UInt8>) -> Parts? {
        guard let colon = bytes.firstIndex(where: { !$0.isToken }), bytes[colon] == UInt8(ascii: ":") else {
            return nil
        }
        var parts = Parts(isHTTP: isHTTP(bytes[..<colon]))
        guard parts.isHTTP else { return parts }
        let start = colon + 3
        guard start < bytes.count, bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
        else { return parts }
        parts.authorityStart = start
        parts.end = bytes[start...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        let authority = bytes[start..<parts.end].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        parts.hostStart = authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? start
        parts.hostEnd = endOfHost(bytes[parts.hostStart..<authority.endIndex]) ?? parts.hostStart
        parts.isValid =
            parts.hostEnd > parts.hostStart && bytes[start..<parts.end].allSatisfy { $0 > 0x20 && $0 < 0x7F }
        return parts
    }

    /// Whether a scheme is http or https.
    private static func isHTTP(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        "https".utf8.starts(with: bytes) { $0 == $1.asLowercase } && bytes.count >= 4
    }

    /// Returns the end of the host in a text of host and port. Returns nil if the host is empty or the port is invalid.
    private static func endOfHost(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        var hostEnd = bytes.endIndex
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")), bracket > bytes.startIndex + 1 else {
                return nil
            }
            hostEnd = bracket + 1
        } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
            hostEnd = colon
        }
        guard hostEnd > bytes.startIndex else { return nil }
        guard hostEnd < bytes.endIndex else { return hostEnd }
        guard bytes[hostEnd] == UInt8(ascii: ":") else { return nil }
        var port = 0
        for byte in bytes[(hostEnd + 1)...] {
            guard byte.isDigit, port <= 65535 else { return nil }
            port = port * 10 + Int(byte &- UInt8(ascii: "0"))
        }
        return port <= 65535 ? hostEnd : nil
    }
}

extension CurlURL {
    /// Returns the normal form of the URL from which the target was created. It has no user information and no
    /// fragment. Two URLs are equivalent if they differ only in the case of scheme and host, in a default port or in an
    /// empty path. Equivalent URLs have the same normal form (RFC 9110, section 4.2.3).
    func normalForm(of url: URL) -> String {
        guard socketPath == nil else { return Self.normalFormForSocket(url) }
        var text = text
        return text.withUTF8(Self.isNormal) ? text : Self.normalized(text)
    }

    /// Whether a text is certainly in the normal form. This is so for nearly all URLs.
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
