#if canImport(FoundationNetworking)
/// The options of a ``CurlURLSession`` that a `URLSessionConfiguration` has no properties for.
public struct EngineOptions: Sendable {
    /// Whether HTTP/2 is offered in the TLS handshake. Default: where the libcurl in use can be trusted with it.
    public var http2 = HTTP2Use.whereTrusted
    /// Whether HTTP/2 may be offered in the TLS handshake. Default: true.
    ///
    /// False for ``HTTP2Use/never``; setting it to true means ``HTTP2Use/whereTrusted``.
    public var allowsHTTP2: Bool {
        get { http2 != .never }
        set { if newValue != allowsHTTP2 { http2 = newValue ? .whereTrusted : .never } }
    }
    /// Whether a redirect may lead from https to http. Default: false; such a task fails.
    public var allowsInsecureRedirects = false
    /// Whether a request whose method is not idempotent, such as POST, is sent again if the connection is lost
    /// before a response. Default: false; such a task fails with `networkConnectionLost` once a byte of the request
    /// may have left, as the server may have executed it (RFC 9110, section 9.2.2).
    ///
    /// A request with an `Idempotency-Key` field is sent again whatever this says, as is one of which the server
    /// says that it did not process it.
    public var resendsNonIdempotentRequests = false
    /// The multiple of its coded size that content may have when it is decoded, as long as it is more than 16 MiB.
    /// Default: 100.
    ///
    /// It is what stands between a few kilobytes of a hostile server's and all of the memory.
    public var maximumExpansion = 100
    /// The number of bytes of content that are collected for a completion handler or an async method that returns
    /// content whole. Default: nil, any number, as with URLSession on other platforms.
    ///
    /// A response with more, once decoded, fails with the code `dataLengthExceedsMaximum`; one that announces more
    /// fails before its content comes. Delegates, `bytes(for:)` and downloads have no limit, as nothing is
    /// collected for them.
    public var maximumContentSize: Int?
    /// Which proxies are used. Default: those of the configuration, else those of the environment.
    public var proxy = ProxyChoice.automatic
    /// Hosts whose addresses are given here, so that nobody is asked for them. Default: none.
    public var hostAddresses: [HostAddress] = []
    /// The address, or the name of the network interface, from which connections are made. Default: nil, the
    /// system's choice.
    public var localAddress: String?
    /// The addresses of the name servers that are asked, each with a port if need be. Default: none, the system's.
    ///
    /// Only a libcurl that was built with c-ares can do this, which those of Debian, Ubuntu and Fedora are not;
    /// with any other every request fails.
    public var nameServers: [String] = []
    /// The folder in which downloads are written, and in which one that was broken off keeps its beginning.
    /// Default: nil, the temporary folder, which many systems empty when they start.
    ///
    /// It has to exist. In the folder where finished files go, moving them is but a change of names.
    public var partialDownloadFolder: URL?
    /// The settings of TLS: the servers that are trusted, and the client's certificate. Default: servers with
    /// certificates of authorities that the system trusts, and no client certificate.
    public var tls = TLSConfiguration()

    /// Makes options with the defaults.
    public init() {}
}
#endif
