#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// A URL with the scheme http+unix or https+unix. Its host is the percent-encoded path of a Unix-domain socket.
struct UnixSocketTarget: Equatable {
    static let schemes = ["http+unix", "https+unix"]
    /// The host that servers on sockets expect in the Host field. TLS uses the same name for them.
    static let host = "localhost"

    let socketPath: String
    /// The URL of the request, with the host that servers on sockets expect.
    let text: String

    init(_ url: URL) throws(RequestHead.Failure) {
        guard let scheme = url.scheme?.inLowercase, Self.schemes.contains(scheme) else { throw .unsupportedScheme }
        // The capacity of sockaddr_un, including the zero byte at the end.
        guard let path = url.host(percentEncoded: false), path.utf8.first == UInt8(ascii: "/"), url.port == nil,
            path.utf8.count < 108, !path.utf8.contains(0)
        else { throw .invalidSocketPath }
        socketPath = path
        let resource = url.path(percentEncoded: true)
        let query = url.query(percentEncoded: true).map { "?" + $0 } ?? ""
        let ordinary = scheme == Self.schemes[1] ? "https" : "http"
        text = "\(ordinary)://\(Self.host)\(resource.isEmpty ? "/" : resource)\(query)"
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .invalidURL }
    }
}

extension URL {
    /// Creates the URL of a resource on a Unix-domain socket, for tasks of a ``CurlURLSession``. An example is the
    /// Docker API. Nil if the result is not a valid URL.
    ///
    /// - Parameters:
    ///   - socketPath: The absolute path of the socket, at most 107 bytes long.
    ///   - resource: The path and query of the resource, percent-encoded. Characters that are not allowed there are
    ///     escaped. If the text does not begin with a slash, one is added. Default: "/".
    public init?(unixSocket socketPath: String, resource: String = "/") {
        let host = PercentEncoding.escapingAll(socketPath) { $0.isDigit || $0.isLetter }
        let slash = resource.utf8.first == UInt8(ascii: "/") ? "" : "/"
        guard let url = try? URLReference(reading: "http+unix://\(host)\(slash)\(resource)").url else { return nil }
        self = url
    }
}
#endif
