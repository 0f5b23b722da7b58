#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The URL of a request, and the parts of the URL that the engine reads often. They are stored here, because
/// `URLRequest` copies its URL at each read.
final class Destination {
    let url: URL?
    /// Whether the request uses TLS. This includes TLS on a Unix-domain socket.
    let isSecure: Bool
    /// The scheme, host and port. The host is in its canonical form. If there is no canonical form, all three are as
    /// written in the URL.
    let origin: String
    /// The URL in the form that libcurl accepts. Nil if there is no URL, or if libcurl would not accept it.
    let target: CurlURL?
    /// The normal form of the URL; nil if there is no `target`.
    let normalForm: String?
    /// Whether the URL contains its content.
    let isDataURL: Bool

    init(_ url: URL?) {
        self.url = url
        target = url.flatMap { try? CurlURL($0) }
        normalForm = if let url, let target { target.normalForm(of: url) } else { nil }
        isDataURL = url?.isDataURL == true
        var text = (target?.host == nil ? nil : target?.text) ?? url?.absoluteString ?? ""
        (isSecure, origin) = text.withUTF8 { bytes in
            let scheme = bytes.firstIndex(of: UInt8(ascii: ":")).map { String(decoding: bytes[..<$0], as: UTF8.self) }
            return (scheme?.isSecureScheme == true, String(decoding: bytes[..<Self.endOfOrigin(bytes)], as: UTF8.self))
        }
    }

    /// The server's host. Nil if the server is on a Unix-domain socket, or if the URL has no valid host.
    var host: CanonicalHost? { target?.host }

    /// Returns the index of the third slash. If a question mark comes earlier, returns its index.
    private static func endOfOrigin(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var slashes = 0
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "/") { slashes += 1 }
            if slashes == 3 || byte == UInt8(ascii: "?") { return index }
        }
        return bytes.count
    }
}

extension URL {
    /// Whether the URL contains its content.
    var isDataURL: Bool { scheme?.hasSameLetters(as: "data") == true }

    /// Whether a request to the URL uses TLS. This includes TLS on a Unix-domain socket.
    var isSecure: Bool { scheme?.isSecureScheme == true }

    /// The host name that TLS uses for the URL's server. For a server on a Unix-domain socket, the name is "localhost",
    /// as in requests to that server. The name is empty if the URL has no valid host.
    var nameOfServer: String {
        if let scheme, scheme.hasSameLetters(as: "https+unix") { return UnixSocketTarget.host }
        return (try? CanonicalHost(of: self))?.name ?? ""
    }
}

extension String {
    /// Whether requests to URLs of this scheme use TLS.
    var isSecureScheme: Bool { hasSameLetters(as: "https") || hasSameLetters(as: "https+unix") }
}

/// A URL with the scheme http+unix or https+unix. Its host is the percent-encoded path of a Unix-domain socket.
struct UnixSocketTarget: Equatable {
    static let schemes = ["http+unix", "https+unix"]
    /// The host that servers on sockets expect in the `Host` field. TLS uses the same name for these servers.
    static let host = "localhost"

    let socketPath: String
    /// The URL of the request, with the host that servers on sockets expect.
    let text: String

    init(_ url: URL) throws(RequestHead.Failure) {
        guard let scheme = url.scheme?.inLowercase, Self.schemes.contains(scheme) else { throw .unsupportedScheme }
        guard let path = url.host(percentEncoded: false), url.port == nil, Self.isPath(path) else {
            throw .invalidSocketPath
        }
        socketPath = path
        let resource = url.path(percentEncoded: true)
        let query = url.query(percentEncoded: true).map { "?" + $0 } ?? ""
        let ordinary = scheme == Self.schemes[1] ? "https" : "http"
        text = "\(ordinary)://\(Self.host)\(resource.isEmpty ? "/" : resource)\(query)"
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .invalidURL }
    }

    /// Returns whether a text is an absolute path that a socket can have.
    static func isPath(_ text: String) -> Bool {
        // The maximum is the capacity of sockaddr_un, including the zero byte at the end.
        text.utf8.first == UInt8(ascii: "/") && text.utf8.count < 108 && !text.utf8.contains(0)
    }
}

extension URL {
    /// Creates the URL of a resource on a Unix-domain socket, for tasks of a ``CurlURLSession``. An example is the
    /// Docker API. Nil if the result is not a valid URL.
    ///
    /// - Parameters:
    ///   - socketPath: The absolute path of the socket, at most 107 bytes long.
    ///   - resource: The path and query of the resource, percent-encoded. Characters that are not permitted there are
    ///     escaped. If the text does not begin with a slash, a slash is added. Default: "/".
    public init?(unixSocket socketPath: String, resource: String = "/") {
        let host = PercentEncoding.escapingAll(socketPath) { $0.isDigit || $0.isLetter }
        let slash = resource.utf8.first == UInt8(ascii: "/") ? "" : "/"
        guard let url = try? URLReference(reading: "http+unix://\(host)\(slash)\(resource)").url else { return nil }
        self = url
    }
}

extension URLReference {
    /// Whether the URL is for a server on a Unix-domain socket.
    var isOnSocket: Bool { scheme.map { UnixSocketTarget.schemes.contains($0.inLowercase) } ?? false }

    /// Whether scheme and authority are equal in every character.
    func hasSameServer(as other: URLReference) -> Bool {
        scheme?.inLowercase == other.scheme?.inLowercase && authority == other.authority
    }
}
#endif
