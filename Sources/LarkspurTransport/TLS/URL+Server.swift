#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// What TLS has to know of a URL.
extension URL {
    /// Whether a request to it goes over TLS, be it on a Unix-domain socket.
    var isSecure: Bool {
        guard let scheme else { return false }
        return scheme.hasSameLetters(as: "https") || scheme.hasSameLetters(as: "https+unix")
    }

    /// The host that its server has to be; of one that listens on a socket that is "localhost", as its requests say.
    var nameOfServer: String {
        if let scheme, scheme.hasSameLetters(as: "https+unix") { return UnixSocketTarget.host }
        return host ?? ""
    }
}
#endif
