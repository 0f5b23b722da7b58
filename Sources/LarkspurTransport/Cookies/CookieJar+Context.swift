#if canImport(FoundationNetworking)

extension CookieJar {
    /// The parts of a URL that cookies depend on.
    struct Context {
        let host: CookieHost
        /// The path, percent-encoded as in the request.
        let path: String
        let isSecure: Bool

        init?(_ url: URL) {
            // A socket's path is not a domain that a cookie could belong to.
            guard let host = url.host(percentEncoded: false), !host.isEmpty, host.utf8.first != UInt8(ascii: "/")
            else { return nil }
            self.host = CookieHost(host)
            path = url.path(percentEncoded: true)
            isSecure = url.scheme?.lowercased() == "https"
        }
    }
}

#endif
