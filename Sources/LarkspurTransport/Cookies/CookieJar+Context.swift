#if canImport(FoundationNetworking)

extension CookieJar {
    /// What cookies depend on in a URL.
    struct Context {
        let host: CookieHost
        /// Percent-encoded as in the request.
        let path: String
        let isSecure: Bool

        init?(_ url: URL) {
            // A socket's path is no domain that a cookie could belong to.
            guard let host = url.host(percentEncoded: false), !host.isEmpty, host.utf8.first != UInt8(ascii: "/")
            else { return nil }
            self.host = CookieHost(host)
            path = url.path(percentEncoded: true)
            isSecure = url.scheme?.lowercased() == "https"
        }
    }
}

#endif
