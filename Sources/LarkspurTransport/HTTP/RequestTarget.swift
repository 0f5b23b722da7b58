#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// A URL in the form that libcurl accepts: absolute, in ASCII, without user information and fragment, with a valid host
/// and port.
struct RequestTarget: Equatable {
    let text: String
    let isSecure: Bool
    /// The path of the Unix-domain socket on which the server listens; nil if the URL's host names the server.
    let socketPath: String?

    init(_ url: URL) throws(RequestHead.Failure) {
        var whole = url.absoluteString
        let parts = whole.withUTF8 { Self.parts(of: $0) }
        guard let parts else { throw .invalidURL }
        if parts.scheme == .other {
            let target = try UnixSocketTarget(url)
            socketPath = target.socketPath
            isSecure = target.isSecure
            text = target.text
            return
        }
        socketPath = nil
        isSecure = parts.scheme == .https
        guard parts.isValid else { throw .invalidURL }
        // libcurl would send the user information without a challenge.
        if parts.end == whole.utf8.count, parts.hostStart == parts.authorityStart {
            text = whole
        } else {
            text = whole.withUTF8 {
                String(decoding: $0[..<parts.authorityStart], as: UTF8.self)
                    + String(decoding: $0[parts.hostStart..<parts.end], as: UTF8.self)
            }
        }
    }

    private enum Scheme {
        case http, https, other
    }

    private struct Parts {
        let scheme: Scheme
        var authorityStart = 0
        var hostStart = 0
        var end = 0
        var isValid = false
    }

    /// Splits a URL; nil if there is no scheme.
    private static func parts(of bytes: UnsafeBufferPointer<UInt8>) -> Parts? {
        guard let colon = bytes.firstIndex(where: { !$0.isToken }), bytes[colon] == UInt8(ascii: ":") else {
            return nil
        }
        var parts = Parts(scheme: scheme(bytes[..<colon]))
        guard parts.scheme != .other else { return parts }
        let start = colon + 3
        guard start < bytes.count, bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
        else { return parts }
        parts.authorityStart = start
        parts.end = bytes[start...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        let authority = bytes[start..<parts.end].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        parts.hostStart = authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? start
        parts.isValid =
            isHostAndPort(bytes[parts.hostStart..<authority.endIndex])
            && bytes[start..<parts.end].allSatisfy { $0 > 0x20 && $0 < 0x7F }
        return parts
    }

    private static func scheme(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Scheme {
        guard bytes.count == 4 || bytes.count == 5 else { return .other }
        guard zip(bytes, "https".utf8).allSatisfy({ $0.asLowercase == $1 }) else { return .other }
        return bytes.count == 4 ? .http : .https
    }

    private static func isHostAndPort(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var hostEnd = bytes.endIndex
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")), bracket > bytes.startIndex + 1 else {
                return false
            }
            hostEnd = bracket + 1
        } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
            hostEnd = colon
        }
        guard hostEnd > bytes.startIndex else { return false }
        guard hostEnd < bytes.endIndex else { return true }
        guard bytes[hostEnd] == UInt8(ascii: ":") else { return false }
        var port = 0
        for byte in bytes[(hostEnd + 1)...] {
            guard byte.isDigit, port <= 65535 else { return false }
            port = port * 10 + Int(byte &- UInt8(ascii: "0"))
        }
        return port <= 65535
    }
}

#endif

#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// A URL of the scheme http+unix or https+unix, whose host is the percent-encoded path of a Unix-domain socket.
struct UnixSocketTarget: Equatable {
    static let schemes = ["http+unix", "https+unix"]
    /// The value of the Host field that such servers expect, and their name in TLS.
    static let host = "localhost"

    let socketPath: String
    let isSecure: Bool
    /// The URL to request over the socket, with the host that such servers expect.
    let text: String

    init(_ url: URL) throws(RequestHead.Failure) {
        guard let scheme = url.scheme?.lowercased(), Self.schemes.contains(scheme) else { throw .unsupportedScheme }
        // The capacity of sockaddr_un, with the zero at its end.
        guard let path = url.host(percentEncoded: false), path.utf8.first == UInt8(ascii: "/"), url.port == nil,
            path.utf8.count < 108, !path.utf8.contains(0)
        else { throw .invalidSocketPath }
        socketPath = path
        isSecure = scheme == Self.schemes[1]
        let resource = url.path(percentEncoded: true)
        let query = url.query(percentEncoded: true).map { "?" + $0 } ?? ""
        text = "\(isSecure ? "https" : "http")://\(Self.host)\(resource.isEmpty ? "/" : resource)\(query)"
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .invalidURL }
    }
}

extension URL {
    /// Creates the URL of a resource of a server on a Unix-domain socket, such as the Docker API, for tasks of a
    /// ``CurlURLSession``. Nil if the result is not a valid URL.
    ///
    /// - Parameters:
    ///   - socketPath: The absolute path of the socket, of at most 107 bytes.
    ///   - resource: The path and query of the resource, percent-encoded. A slash is added at its beginning if it has
    ///     none. Default: "/".
    public init?(unixSocket socketPath: String, resource: String = "/") {
        let host = socketPath.utf8.map(\.percentEncoded).joined()
        self.init(string: "http+unix://\(host)\(resource.utf8.first == UInt8(ascii: "/") ? "" : "/")\(resource)")
    }
}

extension UInt8 {
    fileprivate var percentEncoded: String {
        if isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(asLowercase) {
            return String(decoding: CollectionOfOne(self), as: UTF8.self)
        }
        return (self < 16 ? "%0" : "%") + String(self, radix: 16, uppercase: true)
    }
}
#endif
