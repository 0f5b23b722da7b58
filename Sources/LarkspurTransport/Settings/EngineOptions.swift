#if canImport(FoundationNetworking)
/// The options of a ``CurlURLSession`` for which `URLSessionConfiguration` has no properties.
public struct EngineOptions: Sendable {
    /// The use of HTTP/2, which is offered in the TLS handshake. Default: ``HTTP2Use/whereTrusted``, only with those
    /// versions of libcurl that report every truncated response.
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
    /// HTTP/2: requests fall back to HTTP/2 where QUIC does not work. Otherwise the option has no effect, see
    /// ``CurlURLSession/offersHTTP3``.
    public var http3 = HTTP3Use.off
    /// Whether a redirect may lead from https to http. Default: false, a task fails when it would follow such a
    /// redirect.
    public var allowsInsecureRedirects = false
    /// Whether a request with a method that is not idempotent, such as POST, is sent again if the connection is lost
    /// before the response. Default: false, the task fails with `networkConnectionLost` if a byte of the request may
    /// have been sent, as the server may have executed it (RFC 9110, section 9.2.2).
    ///
    /// A request is always sent again if it has an `Idempotency-Key` field, or if the server reports that it did not
    /// process the request.
    public var resendsNonIdempotentRequests = false
    /// The largest quotient of decoded and encoded size, for content that is larger than 16 MiB when decoded. Default:
    /// 100.
    ///
    /// Without a limit, a few kilobytes from a hostile server could fill the memory.
    public var maximumExpansion = 100
    /// The largest number of bytes that are collected for a completion handler, or for an async method that returns the
    /// whole content. Default: nil, no limit, as with URLSession on other platforms.
    ///
    /// A response with more decoded content fails with the code `dataLengthExceedsMaximum`. If it announces more, it
    /// fails before its content arrives. There is no limit for delegates, `bytes(for:)` and downloads, as nothing is
    /// collected for them.
    public var maximumContentSize: Int?
    /// The proxies to use. Default: ``ProxyChoice/automatic``, those of the configuration, otherwise those of the
    /// environment.
    public var proxy = ProxyChoice.automatic
    /// The hosts with fixed addresses, for which the resolver is not asked. Default: none.
    public var hostAddresses: [HostAddress] = []
    /// The address or the network interface from which connections are made. Default: nil, the system's choice.
    public var localAddress: String?
    /// The addresses of the name servers, each with a port if necessary. Default: none, the system's name servers.
    ///
    /// Only a libcurl that was built with c-ares supports this. Those of Debian, Ubuntu and Fedora were not. With
    /// these, every request fails with the code `cannotFindHost`.
    public var nameServers: [String] = []
    /// The folder for partial files of downloads. Default: nil, the temporary folder, which many systems empty when
    /// they start.
    ///
    /// The folder has to exist. If it is on the same file system as the finished files, these only have to be renamed.
    public var partialDownloadFolder: URL?
    /// The settings of TLS: the servers that are trusted, and the client's certificate. Default: the authorities that
    /// the system trusts, and no client certificate.
    public var tls = TLSConfiguration()

    /// Creates options with the defaults.
    public init() {}
}
#endif
