#if canImport(FoundationNetworking)

extension CookieJar {
    /// What cookies depend on in a URL.
    struct Context {
        let host: CookieHost
        /// Percent-encoded as in the request.
        let path: String
        let isSecure: Bool

        init?(_ url: URL) {
            guard let host = url.host(percentEncoded: false), !host.isEmpty else { return nil }
            self.host = CookieHost(host)
            path = url.path(percentEncoded: true)
            isSecure = url.scheme?.lowercased() == "https"
        }
    }
}

#endif
