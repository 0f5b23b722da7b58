#if canImport(FoundationNetworking)
extension CurlURLSession {
    /// What a session's configuration has no words for.
    public struct Options: Sendable {
        /// Whether HTTP/2 is offered in the TLS handshake. Default: true.
        public var allowsHTTP2 = true
        /// Whether a redirect may lead from https to http. Default: false; such a task fails.
        public var allowsInsecureRedirects = false
        /// How many times its coded size content may have when it is decoded, as long as it is more than 16 MiB. Default: 100.
        ///
        /// It is what stands between a few kilobytes of a hostile server's and all of the memory.
        public var maximumExpansion = 100
        /// How servers and the client prove who they are. Default: servers by certificates of authorities that the system trusts, the client not at all.
        public var tls = TLSConfiguration()

        /// Makes options with the defaults.
        public init() {}
    }
}
#endif
