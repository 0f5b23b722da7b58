#if canImport(FoundationNetworking)
/// The options of a ``CurlURLSession`` for which `URLSessionConfiguration` has no properties.
public struct EngineOptions: Sendable {
    /// The use of HTTP/2, which is offered in the TLS handshake. Default: ``HTTP2Use/whereTrusted``, only with versions
    /// of libcurl that report every truncated response.
    public var http2 = HTTP2Use.whereTrusted
    /// Whether HTTP/2 may be offered in the TLS handshake. Default: true.
    ///
    /// False for ``HTTP2Use/never``; setting it to true means ``HTTP2Use/whereTrusted``.
    public var allowsHTTP2: Bool {
        get { http2 != .never }
        set { if newValue != allowsHTTP2 { http2 = newValue ? .whereTrusted : .never } }
    }
    /// The use of HTTP/3 for https requests. Default: ``HTTP3Use/off``.
    ///
    /// It needs a libcurl with HTTP/3 (``CurlURLSession/supportsHTTP3``), TLS 1.3, no pins, and a session that offers
    /// HTTP/2, which is used where QUIC does not work. Otherwise the option has no effect: see
    /// ``CurlURLSession/offersHTTP3``.
    public var http3 = HTTP3Use.off
    /// Whether a redirect may lead from https to http. Default: false; a task that follows such a redirect fails.
    public var allowsInsecureRedirects = false
    /// Whether a request whose method is not idempotent, such as POST, is sent again if the connection is lost before a
    /// response. Default: false; such a task fails with `networkConnectionLost` once a byte of the request may have
    /// left, as the server may have executed it (RFC 9110, section 9.2.2).
    ///
    /// A request with an `Idempotency-Key` field is always sent again. So is one that the server reports as not
    /// processed.
    public var resendsNonIdempotentRequests = false
    /// The largest ratio of decoded content to its coded size, for content of more than 16 MiB. Default: 100.
    ///
    /// The limit keeps a few kilobytes from a hostile server from filling all of the memory.
    public var maximumExpansion = 100
    /// The largest number of bytes of content that are collected for a completion handler or an async method that
    /// returns the whole content. Default: nil, no limit, as with URLSession on other platforms.
    ///
    /// A response with more decoded content fails with the code `dataLengthExceedsMaximum`; one that announces more
    /// fails before its content arrives. Delegates, `bytes(for:)` and downloads have no limit, as nothing is collected
    /// for them.
    public var maximumContentSize: Int?
    /// The choice of proxies. Default: ``ProxyChoice/automatic``, those of the configuration, else those of the
    /// environment.
    public var proxy = ProxyChoice.automatic
    /// The hosts with fixed addresses, for which the resolver is not used. Default: none.
    public var hostAddresses: [HostAddress] = []
    /// The address, or the name of the network interface, from which connections are made. Default: nil, the system's
    /// choice.
    public var localAddress: String?
    /// The addresses of the name servers to use, each with a port if need be. Default: none, those of the system.
    ///
    /// Only a libcurl that was built with c-ares supports this. Those of Debian, Ubuntu and Fedora are not; with them
    /// every request fails with the code `cannotFindHost`.
    public var nameServers: [String] = []
    /// The folder for files of downloads under way, and for the beginning of interrupted downloads. Default: nil, the
    /// temporary folder, which many systems empty when they start.
    ///
    /// It has to exist. If it is on the file system of the finished files, moving these only renames them.
    public var partialDownloadFolder: URL?
    /// The settings of TLS: the servers that are trusted, and the client's certificate. Default: servers with
    /// certificates of authorities that the system trusts, and no client certificate.
    public var tls = TLSConfiguration()

    /// Creates options with the defaults.
    public init() {}
}
#endif
