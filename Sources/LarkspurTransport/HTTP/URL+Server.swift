#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The properties of a URL that TLS needs.
extension URL {
    /// Whether a request to the URL uses TLS, also on a Unix-domain socket.
    var isSecure: Bool { scheme?.isSecureScheme == true }

    /// The required host name of the URL's server. For a server on a socket it is "localhost", as in its requests.
    var nameOfServer: String {
        if let scheme, scheme.hasSameLetters(as: "https+unix") { return UnixSocketTarget.host }
        return host ?? ""
    }
}

extension String {
    /// Whether requests to URLs of the scheme use TLS.
    var isSecureScheme: Bool { hasSameLetters(as: "https") || hasSameLetters(as: "https+unix") }
}
#endif
