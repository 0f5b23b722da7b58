#if canImport(FoundationNetworking)
/// The TLS settings of a session: the trust in servers, the client's certificate and the versions.
///
/// The settings are enforced within the TLS handshake, before any part of a request is sent. If the loaded libcurl
/// cannot enforce a setting, each request that it concerns fails.
public struct TLSConfiguration: Sendable, Hashable {
    /// The trusted certificate authorities, for https proxies too. Default: those of the system.
    public var trustedRoots = TrustedRoots.system

    /// The required public keys of hosts, in addition to a valid certificate. Default: none.
    ///
    /// Requests over plain http to a host with pins fail before they are sent. Of several entries for a host, the keys
    /// are combined; an entry for a host replaces those for its parent domains.
    public var pins: [HostPins] = []

    /// The certificate and key for servers that request a client certificate. Default: nil, none.
    public var clientIdentity: ClientIdentity?

    /// The lowest allowed version of TLS. Default: 1.2.
    public var minimumVersion = TLSVersion.tls12

    /// The highest allowed version of TLS. Default: nil, the highest of the TLS library.
    public var maximumVersion: TLSVersion?

    /// Whether certificates of unknown authorities, and expired or not yet valid ones, are accepted. Default: false.
    ///
    /// Any machine on the network path can then impersonate the server, and read and change everything, unless ``pins``
    /// contain the server's key: pins are checked all the same.
    public var dangerouslySkipsCertificateVerification = false

    /// Whether certificates that are made out to other hosts are accepted. Default: false.
    ///
    /// Any owner of a valid certificate for any host can then impersonate the server, unless ``pins`` contain the
    /// server's key.
    public var dangerouslySkipsHostNameVerification = false

    /// Whether certificates are accepted that name their host only in the common name of their subject, and not in a
    /// subjectAltName. Default: false.
    ///
    /// By RFC 9110 (section 4.3.4), common names do not count. The option is for old appliances. Such certificates can
    /// be refused only if libcurl uses OpenSSL.
    public var acceptsCommonNames = false

    /// Whether content is accepted that ends with its connection, although the connection was closed without TLS's
    /// close_notify. Default: false; such a task fails after all received content was delivered, as any machine on the
    /// network path could have truncated the content (RFC 9112, section 9.8).
    ///
    /// Content with a `Content-Length`, in chunks or over HTTP/2 has an end of its own. A missing close_notify can be
    /// detected only if libcurl uses OpenSSL.
    public var acceptsMissingCloseNotify = false

    /// The keys of which every server must have one; nil for any.
    package var pinsForAllHosts: Set<PublicKeyPin>?

    /// The certificates in which the chain of every server must end when only they are trusted; nil for any.
    package var anchorsForAllHosts: [TLSCertificate]?

    /// The reason why no https request can be allowed, a sentence; nil if they can.
    package var contradiction: String?

    /// Creates a configuration with the defaults.
    public init() {}
}

/// The certificate authorities that are trusted to vouch for servers.
public enum TrustedRoots: Sendable, Hashable {
    /// The authorities of the system.
    case system
    /// Only the given certificates. A certificate that is not an authority's is trusted for its own server. With none,
    /// no server is trusted.
    case only([TLSCertificate])
    /// The authorities of the system and the given certificates.
    case systemAnd([TLSCertificate])
}
#endif
