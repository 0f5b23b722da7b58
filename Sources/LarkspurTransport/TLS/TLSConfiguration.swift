#if canImport(FoundationNetworking)
internal import CLibcurl
import HTTPSyntax

/// The TLS settings of a session: the trust in servers, the client's certificate, and the versions.
///
/// The settings are enforced in the TLS handshake, before any byte of a request is sent. If the loaded libcurl cannot
/// enforce a setting, all requests to which the setting applies fail.
public struct TLSConfiguration: Sendable, Hashable {
    /// The trusted certificate authorities, also for https proxies. Default: the authorities of the system.
    public var trustedRoots = TrustedRoots.system

    /// The required public keys of hosts, in addition to a valid certificate. Default: none.
    ///
    /// An http request to a host with pins fails before it is sent. If several entries have the same host and the same
    /// ``HostPins/includesSubdomains``, their keys are combined. For each host, an entry without subdomains replaces
    /// the entries with subdomains. If only entries with subdomains apply, the entry with the longest domain replaces
    /// the others.
    public var pins: [HostPins] = []

    /// The lists of revoked certificates. Default: nil, so that revocation is not checked.
    ///
    /// OpenSSL looks certificates up in the lists. Without it, together with
    /// ``dangerouslySkipsCertificateVerification``, and without trusted roots, all https requests fail.
    public var revocationLists: RevocationLists?

    /// The closure that decides whether a server is trusted. Default: nil, so that the other properties decide.
    ///
    /// The engine calls it by functions of OpenSSL. Without them, all https requests fail.
    public var serverTrust: ServerTrustEvaluator?

    /// The certificate and key for servers that request a client certificate. Default: nil, none.
    public var clientIdentity: ClientIdentity?

    /// The lowest allowed version of TLS. Default: 1.2.
    public var minimumVersion = TLSVersion.tls12

    /// The highest allowed version of TLS. Default: nil, for the highest version that the TLS library supports.
    public var maximumVersion: TLSVersion?

    /// Whether servers may have certificates that are expired, not valid yet, or from unknown authorities. Default:
    /// false.
    ///
    /// If true, any machine on the network path can impersonate the server, and read and change all data. ``pins`` for
    /// the server's own key prevent this, because pins are always checked.
    public var dangerouslySkipsCertificateVerification = false

    /// Whether servers may have certificates that were issued for other hosts. Default: false.
    ///
    /// If true, the owner of a valid certificate for any host can impersonate the server. ``pins`` for the server's own
    /// key prevent this.
    public var dangerouslySkipsHostNameVerification = false

    /// Whether servers may have certificates that contain the host only as the common name, and not as a
    /// subjectAltName. Default: false.
    ///
    /// RFC 9110 (section 4.3.4) requires that common names are ignored. The option is for old devices. If libcurl does
    /// not use OpenSSL, the engine cannot refuse such certificates.
    public var acceptsCommonNames = false

    /// Whether content is accepted if it ends with its connection and TLS has sent no close_notify. Without a
    /// close_notify, any machine on the network path may have truncated the content (RFC 9112, section 9.8). Default:
    /// false. If false, a task with such content fails after all received content was delivered.
    ///
    /// The option has no effect on content that has another end: a `Content-Length`, a last chunk, or the end of its
    /// HTTP/2 stream. A missing close_notify is detected only if libcurl uses OpenSSL.
    public var acceptsMissingCloseNotify = false

    /// The file to which the secrets of TLS connections are appended, so that a tool such as Wireshark can decrypt a
    /// recording of the traffic. Default: nil, none.
    ///
    /// A person who can read the file and a recording can read all data that was sent, including passwords. Use this
    /// option only for debugging.
    ///
    /// The lines have the format of NSS (draft-ietf-tls-keylogfile). If the file does not exist, it is created when the
    /// session is created, and only its owner can read it. An existing file must belong to the process's user, and
    /// other users must not have access to it. It must not be a symbolic link, a device or a pipe, and must not have a
    /// second name. Without OpenSSL, or if the file cannot be opened, all https requests fail. A line that cannot be
    /// written is lost.
    ///
    /// The environment variable `SSLKEYLOGFILE` specifies a file for all sessions of the process. libcurl itself writes
    /// this file, even if there is a key log.
    public var keyLog: URL?

    /// The pins that apply to every host, in addition to ``pins``; nil for none.
    package var pinsForAllHosts: Set<PublicKeyPin>?

    /// The anchors for all servers. In addition to the usual check, the chain of each server must be valid if only the
    /// anchors are trusted. Nil if there are no anchors.
    package var anchorsForAllHosts: [TLSCertificate]?

    /// The reason, as a sentence, why no https request is possible; nil if https requests are possible.
    package var contradiction: String?

    /// Creates a configuration with the defaults.
    public init() {}
}

/// The certificate authorities that are trusted.
public enum TrustedRoots: Sendable, Hashable {
    /// The authorities of the system.
    case system
    /// Only the given certificates. A certificate that is not an authority's certificate is trusted for its own server.
    /// If the list is empty, no server is trusted.
    case only([TLSCertificate])
    /// The authorities of the system and the given certificates.
    case systemAnd([TLSCertificate])
}

/// A version of TLS. Versions before 1.2 must no longer be used (RFC 8996), and are not available.
///
/// It is a struct and not an enum, so that a new version does not break existing `switch` statements. Give every
/// `switch` a `default`.
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

    /// Orders the versions. Earlier versions come first.
    public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.kind.rawValue < right.kind.rawValue }
}

/// The file to which the secrets of a session's TLS connections are appended.
///
/// The object exists longer than all connections. The connections use the file on the loop's thread.
final class TLSKeyLog: Sendable {
    // Safe: it does not change before deinit, and several threads may use it.
    nonisolated(unsafe) private let raw: OpaquePointer

    private init(_ raw: OpaquePointer) { self.raw = raw }

    /// Opens or creates a file.
    /// - Returns: The log, or the reason why there is none, as a sentence.
    static func open(_ file: URL) -> Result<TLSKeyLog, Failure> {
        var reason = [CChar](repeating: 0, count: 256)
        if let raw = libcurl_key_log_open(file.path, &reason, reason.count) { return .success(TLSKeyLog(raw)) }
        let text = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return .failure(Failure(sentence: "The key log \(file.path) cannot be written: \(text)."))
    }

    struct Failure: Error {
        let sentence: String
    }

    deinit { libcurl_key_log_close(raw) }

    /// Logs the secrets of a TLS context. Returns false if memory has run out.
    func attach(to tlsContext: UnsafeMutableRawPointer) -> Bool { libcurl_key_log_attach(raw, tlsContext) }
}
#endif
