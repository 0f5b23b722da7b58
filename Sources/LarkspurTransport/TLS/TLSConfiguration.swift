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
#endif

#if canImport(FoundationNetworking)
/// A version of TLS. Versions before 1.2 must not be used any more (RFC 8996), and are not available.
///
/// A struct rather than an enum, so that a new version does not break existing `switch` statements; give every `switch`
/// a `default`.
public struct TLSVersion: Sendable, Hashable, CaseIterable, Comparable, CustomStringConvertible {
    enum Kind: Int, Sendable {
        case tls12
        case tls13
    }

    let kind: Kind

    /// TLS 1.2 (RFC 5246).
    public static let tls12 = Self(kind: .tls12)
    /// TLS 1.3 (RFC 8446).
    public static let tls13 = Self(kind: .tls13)

    /// The versions that this release supports, the earliest first.
    public static let allCases: [Self] = [.tls12, .tls13]

    /// The name, such as `TLS 1.3`.
    public var description: String {
        switch kind {
        case .tls12: "TLS 1.2"
        case .tls13: "TLS 1.3"
        }
    }

    /// Orders the versions; earlier ones come first.
    public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.kind.rawValue < right.kind.rawValue }
}
#endif

/// The reason why a certificate, a key, a pin or a host cannot be used. It is thrown when the value is created, before
/// there is a session.
public struct TLSConfigurationError: Error, Sendable, Hashable {
    /// The kind of the error.
    ///
    /// A struct rather than an enum, so that a new reason does not break existing `switch` statements; give every
    /// `switch` a `default`.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// A short stable name for logs and metrics, such as `"malformed-certificate"`.
        public let label: String

        /// The label.
        public var description: String { label }

        /// A file is missing or cannot be read.
        public static let fileUnreadable = Self(label: "file-unreadable")
        /// The data are not a certificate, are a damaged one, or contain none.
        public static let malformedCertificate = Self(label: "malformed-certificate")
        /// The data are not a key of the required kind.
        public static let malformedKey = Self(label: "malformed-key")
        /// The text is not a SHA-256 hash in base64.
        public static let malformedPin = Self(label: "malformed-pin")
        /// The text is not a host name or address.
        public static let malformedHost = Self(label: "malformed-host")
        /// The key is encrypted, and there is no passphrase.
        public static let missingPassphrase = Self(label: "missing-passphrase")
    }

    /// The kind of the error.
    public let reason: Reason
    /// The error in one sentence, without secrets.
    public let message: String

    init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// Reads the contents of a file.
    static func contents(of file: URL) throws(TLSConfigurationError) -> Data {
        do {
            return try Data(contentsOf: file)
        } catch {
            throw TLSConfigurationError(
                .fileUnreadable,
                "The file \(file.path) cannot be read: \(error.localizedDescription)"
            )
        }
    }
}

extension TLSConfigurationError: LocalizedError {
    /// The sentence of ``message``.
    public var errorDescription: String? { message }
}
