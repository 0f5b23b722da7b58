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
        /// The folder in which downloads are written, and in which one that was broken off keeps its beginning. Default: nil, the temporary folder, which many
        /// systems empty when they start.
        ///
        /// It has to exist. In the folder where finished files go, moving them is but a change of names.
        public var partialDownloadFolder: URL?
        /// How servers and the client prove who they are.
        public var tls = TLSConfiguration()

        /// Makes options with the defaults.
        public init() {}
    }

    /// How servers prove who they are.
    public struct TLSConfiguration: Sendable {
        /// A PEM file of the certificate authorities that are trusted instead of the system's. Default: nil, the system's.
        public var certificateAuthorities: URL?

        /// Makes a configuration with the defaults.
        /// - Parameter certificateAuthorities: A PEM file of the certificate authorities that are trusted instead of the system's. Default: nil, the system's.
        public init(certificateAuthorities: URL? = nil) { self.certificateAuthorities = certificateAuthorities }
    }
}
#endif
