#if canImport(FoundationNetworking)
/// The options of a ``CurlURLSession`` for which `URLSessionConfiguration` has no properties.
public struct EngineOptions: Sendable {
    /// The use of HTTP/2, which is offered in the TLS handshake. Default: ``HTTP2Use/whereTrusted``. With this value,
    /// HTTP/2 is used only if the loaded libcurl reports every truncated response.
    public var http2 = HTTP2Use.whereTrusted
    /// The use of HTTP/3 for https requests. Default: ``HTTP3Use/never``.
    ///
    /// HTTP/3 needs a libcurl with HTTP/3 (``CurlURLSession/supportsHTTP3``), TLS 1.3, and a session that offers
    /// HTTP/2, to which requests fall back where QUIC does not work. A session with pins also needs an OpenSSL whose
    /// functions the engine can call. If one of these conditions is not met, the option has no effect; see
    /// ``CurlURLSession/offersHTTP3``.
    public var http3 = HTTP3Use.never
    /// Whether a redirect may lead from https to http. Default: false. If false, a task that would follow such a
    /// redirect fails.
    public var allowsInsecureRedirects = false
    /// The maximum number of redirects that a task follows. Default: 20. A task that receives another redirect fails
    /// with the code `httpTooManyRedirects`.
    public var maximumRedirects = 20
    /// Whether a request with a method that is not idempotent, such as POST, is sent again after its connection was
    /// lost before the response.
    ///
    /// Default: false. If a byte of the request may have been sent, the task fails with `networkConnectionLost`,
    /// because the server may have processed the request (RFC 9110, section 9.2.2).
    ///
    /// A request is always sent again in two cases: it has an `Idempotency-Key` field, or the server reports that it
    /// did not process the request.
    public var resendsNonIdempotentRequests = false
    /// The maximum ratio of the decoded size of content to its encoded size. It applies when the decoded content is
    /// larger than 16 MiB. Default: 100.
    ///
    /// Without this limit, a hostile server could fill the memory with a few kilobytes of encoded content.
    public var maximumExpansion = 100
    /// The maximum number of bytes that are collected for a completion handler, or for an async method that returns the
    /// whole content. Default: nil, so that there is no limit, as with URLSession on other platforms.
    ///
    /// If a response has more decoded content, the task fails with the code `dataLengthExceedsMaximum`. If the response
    /// announces more content, the task fails before the content arrives. The content is not collected for delegates,
    /// `bytes(for:)`, downloads and session managers, so the limit does not apply to them.
    public var maximumContentSize: Int?
    /// The maximum number of bytes of the decoded content of a response, however it is received: collected, as chunks,
    /// or in a file. Default: nil, so that there is no limit. If a response has or announces more content, the task
    /// fails with the code `dataLengthExceedsMaximum`. The messages of WebSockets have a limit of their own
    /// (``WebSocketOptions/maximumMessageSize``).
    public var maximumResponseSize: Int?
    /// The addresses to which connections may be opened. Default: ``AllowedAddresses/all``.
    ///
    /// If addresses are limited, only http and https URLs are loaded. A request to a Unix-domain socket, or to the
    /// origin of ``dnsOverHTTPS``, fails. Stored responses and `URLProtocol` classes of the program need no connection,
    /// so the rule does not apply to them. The queries of the system's resolver and of ``dnsOverHTTPS`` are no requests
    /// of the session.
    public var allowedAddresses = AllowedAddresses.all
    /// The ports of URLs that may be requested. Default: nil, so that all ports are allowed.
    ///
    /// A request to another port fails with the code `dataNotAllowed` before a connection is opened. If ports are
    /// limited, only http and https URLs are loaded.
    public var allowedPorts: Set<Int>?
    /// The proxies to use. Default: ``ProxyChoice/automatic``, the proxies of the configuration. If the configuration
    /// has no dictionary of proxies, these are the proxies of the environment.
    public var proxy = ProxyChoice.automatic
    /// The hosts with fixed addresses. Their names are not looked up. Default: none.
    public var hostAddresses: [HostAddress] = []
    /// The address or the network interface from which connections are made. Default: nil, so that the system chooses
    /// it.
    public var localAddress: String?
    /// The family of the addresses to which connections are opened. Default: ``AddressFamily/any``.
    ///
    /// The option applies to servers and proxies, whether their addresses come from a look-up, from
    /// ``hostAddresses``, from ``resolver`` or from a URL. A request to a server or proxy without an address of the
    /// family fails with the code `cannotFindHost`. The option does not apply to Unix-domain sockets, nor to the
    /// server of ``dnsOverHTTPS``.
    public var addressFamily = AddressFamily.any
    /// The absolute path of a Unix-domain socket, at most 107 bytes long, to which all connections are opened in place
    /// of the hosts of URLs. Default: nil, so that only URLs with a path of a socket lead to one.
    ///
    /// The fields, cookies and credentials of a request, and the host name that TLS verifies, are those of its URL.
    /// Names are not looked up, and neither proxies nor HTTP/3 are used. If the path is not valid, every request fails
    /// with the code `cannotFindHost`. If ``allowedAddresses`` or ``allowedPorts`` limit the servers, every request is
    /// refused.
    public var unixSocket: String?
    /// The addresses of the name servers, each with a port if necessary. Default: none, so that the system's name
    /// servers are used.
    ///
    /// Only a libcurl that was built with c-ares supports this option. The libcurl of Debian, Ubuntu and Fedora is
    /// built without c-ares. If such a libcurl receives name servers, every request fails with the code
    /// `cannotFindHost`.
    public var nameServers: [String] = []
    /// The URL of a server of DNS over HTTPS (RFC 8484), which looks up the names of hosts. Default: nil, so that the
    /// system's name servers are used.
    ///
    /// libcurl sends the queries over connections of the session. ``tls`` applies to this server too. The system looks
    /// up the name of this server. If the URL does not begin with https, or libcurl was built without DNS over HTTPS,
    /// every request fails with the code `cannotFindHost`. ``resolver`` takes precedence over this option.
    public var dnsOverHTTPS: URL?
    /// The closure that looks up the names of hosts and proxies. Default: nil, so that libcurl looks up the names.
    ///
    ///     options.resolver = { host in [ResolvedAddress("192.0.2.7", timeToLive: .seconds(60))] }
    ///
    /// If no valid addresses of its host are known, the closure is called before a request waits for a connection. This
    /// happens even if there is a connection to the host. Requests for the same host share a call. The closure runs in
    /// a Swift task, which is cancelled when the last of these requests is cancelled. If the closure throws an error,
    /// the requests fail with this error. The time of the call is a part of the request timeout. The closure is not
    /// called for addresses and for ``hostAddresses``.
    public var resolver: HostResolver?
    /// The time for which the addresses of a name are used for further connections after they were looked up. Default:
    /// 60 seconds, libcurl's default.
    ///
    /// With zero, or a negative time, the name is looked up for each connection. Other times are rounded up to whole
    /// seconds. The time applies to the look-ups of the system, of ``nameServers`` and of ``dnsOverHTTPS``. It replaces
    /// the times to live of the answers, which libcurl does not read. It does not apply to ``resolver``, whose
    /// addresses have their own times, and to ``hostAddresses``. Open connections are used whatever their age is,
    /// unless there is a ``maximumConnectionAge``.
    public var nameCacheTime: Duration = .seconds(60)
    /// The time for which a connection without requests stays open for later requests. Default: 60 seconds.
    ///
    /// The default is the shortest time after which common servers and load balancers close idle connections. A request
    /// on a connection that the server is closing may be lost. The time is rounded up to whole seconds, and is at least
    /// one second. A connection that has been idle for a longer time is never used again. It is closed by the session's
    /// next request, or when no request has run for this time.
    public var idleConnectionTime: Duration = .seconds(60)
    /// The age at which a connection receives no more requests. Default: nil, so that there is no limit.
    ///
    /// With a limit, requests move to the servers that a load balancer or a changed DNS entry provides. The age is
    /// rounded up to whole seconds, and is at least one second. It is checked when a request is about to be sent on an
    /// open connection. An older HTTP/2 connection that still has requests is closed when they have ended (from libcurl
    /// 8.21 on, by the next request after that), and new requests share a new connection. With ``maximumConnections``,
    /// such a connection gets new requests until it has none, because there may be no room for another connection. The
    /// option needs libcurl 7.80. With older versions, every request fails.
    public var maximumConnectionAge: Duration?
    /// The maximum number of connections to all hosts together, including idle connections. It is at least 1. Default:
    /// nil, so that there is no limit.
    ///
    /// A limit by default would slow down programs that send to many hosts, and would not be noticed. Requests beyond
    /// the limit wait in the same way as requests beyond `httpMaximumConnectionsPerHost` of the configuration. During
    /// the wait, their timeouts do not run. Idle connections are closed if there is no room for a new connection.
    /// WebSockets do not count.
    public var maximumConnections: Int?
    /// The time after which the engine also tries the addresses of the other family (IPv4 or IPv6), while the attempts
    /// with the first family continue. Default: 200 milliseconds, libcurl's default.
    ///
    /// RFC 8305 (section 5) calls this time the Connection Attempt Delay. It recommends 250 milliseconds, and requires
    /// at least 100.
    public var addressFamilyDelay: Duration = .milliseconds(200)
    /// The time after which the other machine of a connection is lost if it confirms nothing, although the system asks
    /// it to. Default: 25 seconds. Nil turns this check off.
    ///
    /// Each task that uses the connection then fails with `networkConnectionLost`, and is not sent again. The other
    /// machine is the server, or the proxy or load balancer before it. Its system confirms, so a program that only
    /// takes long is not lost. While no bytes arrive, the system sends a small packet (a TCP keepalive probe) after
    /// two fifths of the time, and then every fifth of the time; by default after 10 seconds, and then every 5 seconds
    /// until a confirmation arrives. The time is rounded up to whole seconds, and is at least one second.
    ///
    /// The check begins when the connection is open. It does not apply to HTTP/3, which has its own, and to
    /// Unix-domain sockets. Without the check, probes are sent after 60 seconds, and a task waits until one of its
    /// timeouts.
    public var deadPeerTime: Duration? = .seconds(25)
    /// The folder for partial files of downloads. Default: nil, so that the temporary folder is used. Many systems
    /// remove its files when they start.
    ///
    /// The folder has to exist. If it is on the same file system as the destination, a finished file only has to be
    /// renamed.
    public var partialDownloadFolder: URL?
    /// The hosts that require https because of HTTP Strict Transport Security (RFC 6797). Default: nil, so that no host
    /// requires https.
    ///
    /// A request for an http URL of such a host is sent over https. A redirect to such a URL is also followed over
    /// https. The URL is changed before caches, cookies, credentials and `URLProtocol` classes are used. The task's
    /// `originalRequest` is unchanged, and its `currentRequest` has the https URL. Responses over https add hosts to
    /// the store, unless ``tls`` turns off the verification of certificates or host names.
    public var hsts: HSTSStore?
    /// The settings of TLS: the servers that are trusted, and the client's certificate. Default: the authorities that
    /// the system trusts, and no client certificate.
    public var tls = TLSConfiguration()
    /// The TLS configurations of hosts, in place of ``tls``. Default: none.
    ///
    /// A redirect to another host gets the configuration of that host. For each host, an entry without subdomains
    /// replaces the entries with subdomains; of these, the entry with the longest domain applies. Of several entries
    /// for the same host, the last one applies. Connections and TLS sessions are used only for requests with the same
    /// configuration.
    ///
    /// The configuration of a server also applies to an https proxy through which the connection to the server passes.
    /// If the proxy forwards requests without such a tunnel, the configuration for the proxy's name applies to it. With
    /// ``dnsOverHTTPS`` without ``resolver``, every request fails with the code `cannotFindHost`, because libcurl does
    /// not separate the connections to that server.
    public var hostTLS: [HostTLS] = []

    /// Creates options with the defaults.
    public init() {}
}
#endif
