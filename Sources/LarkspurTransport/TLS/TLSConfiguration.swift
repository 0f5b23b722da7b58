#if canImport(FoundationNetworking)
/// How servers prove who they are to a session, and how the session does to them.
///
/// It is enforced within the TLS handshake, before anything of a request is sent. What the libcurl at hand cannot
/// enforce fails each request that it concerns.
public struct TLSConfiguration: Sendable, Hashable {
    /// The certificate authorities whose word counts; for https proxies too. Default: those of the system.
    public var trustedRoots = TrustedRoots.system

    /// The public keys that hosts have to have, besides a certificate that is valid. Default: none.
    ///
    /// Requests to a host with pins that would go over plain http fail before they are sent. Of several entries for a
    /// host, the keys count together; an entry for a host takes the place of those for domains above it.
    public var pins: [HostPins] = []

    /// What the client shows to servers that ask for a certificate. Default: nil, nothing.
    public var clientIdentity: ClientIdentity?

    /// The lowest version of TLS that is spoken. Default: 1.2.
    public var minimumVersion = TLSVersion.tls12

    /// The highest version of TLS that is spoken. Default: nil, the highest that the TLS library has.
    public var maximumVersion: TLSVersion?

    /// Accepts certificates of unknown authorities, and such that are expired or not yet valid. Default: false.
    ///
    /// Anybody on the way can then pose as the server, and read and change everything, unless ``pins`` name its key:
    /// those are checked all the same.
    public var dangerouslySkipsCertificateVerification = false

    /// Accepts certificates that are made out to other hosts. Default: false.
    ///
    /// Whoever has a valid certificate for any host at all can then pose as the server, unless ``pins`` name its key.
    public var dangerouslySkipsHostNameVerification = false

    /// Accepts certificates that name their host only in the common name of their subject, and not in a subjectAltName.
    /// Default: false.
    ///
    /// RFC 9110 (section 4.3.4) has common names not count. It is for old appliances. Only where libcurl uses OpenSSL
    /// can such certificates be refused.
    public var acceptsCommonNames = false

    /// Accepts content that ends where the connection does, although that was closed without TLS's close_notify.
    /// Default: false; such a task fails when all that has come is delivered, as anybody on the way could have cut the
    /// content short (RFC 9112, section 9.8).
    ///
    /// Content with a `Content-Length`, in chunks or over HTTP/2 has an end of its own. Only where libcurl uses OpenSSL
    /// can such an end be told.
    public var acceptsMissingCloseNotify = false

    /// The keys one of which every server has to have; nil for any.
    package var pinsForAllHosts: Set<PublicKeyPin>?

    /// The certificates in one of which the chain of every server has to end when they alone are trusted; nil for any.
    package var anchorsForAllHosts: [TLSCertificate]?

    /// Why no https request can be allowed: a sentence; nil if they can.
    package var contradiction: String?

    /// Makes a configuration with the defaults.
    public init() {}
}
#endif
