#if canImport(FoundationNetworking)
import HTTPSyntax

/// The effective TLS settings of a session with the loaded libcurl. They are computed only once, when the session is
/// created.
final class TLSSettings: Sendable {
    /// The way in which the configuration is enforced.
    enum Method: Sendable {
        /// Options of libcurl.
        case options(Options)
        /// The engine's own check in the handshake.
        case trust(ServerTrustRules)
    }

    /// The settings that libcurl's own options can enforce, with any TLS library.
    struct Options: Sendable {
        /// The trusted roots; nil for the roots of the system.
        var roots: [TLSCertificate]?
        var pins = PinTable([])
        var verifiesPeer = true
    }

    let configuration: TLSConfiguration
    let method: Method
    /// Whether the configuration differs from the default configuration.
    let isCustom: Bool
    /// Whether the identity of servers is verified. False if certificates or host names are not verified.
    var verifiesServers: Bool {
        !configuration.dangerouslySkipsCertificateVerification && !configuration.dangerouslySkipsHostNameVerification
    }
    /// The reason why no https request can be sent, as a sentence; nil if https requests can be sent.
    let defect: String?
    /// The log of the secrets of connections; nil if there is none.
    let keyLog: TLSKeyLog?
    private let pins: PinTable

    /// - Parameter abilities: The abilities of the libcurl in use.
    init(_ configuration: TLSConfiguration, abilities: TLSAbilities) {
        self.configuration = configuration
        isCustom = configuration.isCustom
        pins = PinTable(configuration.pins, everywhere: configuration.pinsForAllHosts)
        let requiresNames = configuration.refusesCommonNames
        if configuration.needsTrust || requiresNames, abilities.trustUnavailability == nil {
            method = .trust(
                ServerTrustRules(
                    requiresValidChain: !configuration.dangerouslySkipsCertificateVerification,
                    requiresNames: requiresNames,
                    requiresAnchor: configuration.anchorsForAllHosts != nil,
                    pins: pins
                )
            )
        } else {
            var options = Options(pins: pins, verifiesPeer: !configuration.dangerouslySkipsCertificateVerification)
            if case .only(let roots) = configuration.trustedRoots { options.roots = roots }
            method = .options(options)
        }
        let openedLog = Self.keyLog(of: configuration, abilities)
        keyLog = try? openedLog?.get()
        defect = Self.defect(of: configuration, abilities) ?? openedLog?.failure?.sentence
    }

    private static func keyLog(
        of configuration: TLSConfiguration,
        _ abilities: TLSAbilities
    ) -> Result<TLSKeyLog, TLSKeyLog.Failure>? {
        guard let file = configuration.keyLog else { return nil }
        if let reason = abilities.trustUnavailability {
            return .failure(TLSKeyLog.Failure(sentence: "There can be no key log: \(reason)."))
        }
        return TLSKeyLog.open(file)
    }

    private static func defect(of configuration: TLSConfiguration, _ abilities: TLSAbilities) -> String? {
        if let contradiction = configuration.contradiction { return contradiction }
        if let maximum = configuration.maximumVersion, maximum < configuration.minimumVersion {
            return "The highest version of TLS that is allowed is below the lowest one."
        }
        if configuration.clientIdentity != nil, let reason = abilities.identityUnavailability {
            return "A client certificate cannot be used: \(reason)."
        }
        if configuration.revocationLists != nil, configuration.dangerouslySkipsCertificateVerification {
            return "Revocation lists cannot be checked if certificates are not verified."
        }
        if configuration.revocationLists != nil, configuration.trustedRoots == .only([]) {
            return "Revocation lists cannot be checked if there are no trusted roots."
        }
        guard let reason = abilities.trustUnavailability else { return nil }
        if configuration.serverTrust != nil { return "No server trust evaluator can be called: \(reason)." }
        // libcurl's option needs a list of every issuer with OpenSSL. With GnuTLS 3.7.9, servers are accepted if a list
        // is missing, expired or forged.
        if configuration.revocationLists != nil { return "Revocation lists cannot be checked: \(reason)." }
        if configuration.clientIdentity?.isFromFiles == true {
            return "A client certificate that changes cannot be checked: \(reason)."
        }
        if case .systemAnd = configuration.trustedRoots {
            return "Roots besides those of the system cannot be trusted: \(reason)."
        }
        if configuration.anchorsForAllHosts != nil { return "Certificates cannot be pinned: \(reason)." }
        return nil
    }

    // MARK: Requests

    /// Checks whether the configuration permits a request, before there is a connection.
    func admit(_ url: URL?) throws(URLError) {
        guard isCustom, let url, url.scheme != nil else { return }
        let host = url.nameOfServer
        guard url.isSecure else {
            return try admitInsecure(url, host: host)
        }
        if let defect {
            throw .tls(.secureConnectionFailed, defect, url: url, TLSFailure(.notEnforceable, host: host))
        }
    }

    private func admitInsecure(_ url: URL, host: String) throws(URLError) {
        guard !pins.isEmpty, !requirements(for: host).isEmpty else { return }
        throw .tls(
            .appTransportSecurityRequiresSecureConnection,
            "Public keys are pinned for “\(host)”, which a request over plain http could not check.",
            url: url,
            TLSFailure(.insecureRequest, host: host)
        )
    }

    /// Whether the superclass may perform a task, although it does not apply this configuration.
    func admitsForeignTask(for url: URL?) -> Bool {
        guard isCustom, let url, let scheme = url.scheme?.inLowercase, scheme != "file", scheme != "data" else {
            return true
        }
        guard scheme != "wss", scheme != "ftps" else { return false }
        if pins.isEmpty { return true }
        // If the pins of a host cannot be looked up, the host may have pins.
        guard let host = try? CanonicalHost(of: url) else { return false }
        return requirements(for: host.name).isEmpty
    }

    /// Returns sets of keys. A host must have at least one key of each set.
    /// - Parameter host: The host in its canonical form (``CanonicalHost/name``).
    func requirements(for host: String) -> [Set<PublicKeyPin>] { pins.requirements(for: host) }
}

extension TLSConfiguration {
    /// Whether the configuration differs from the default configuration. Options that only turn off the engine's
    /// additional checks are ignored.
    fileprivate var isCustom: Bool {
        var plain = TLSConfiguration()
        plain.acceptsCommonNames = acceptsCommonNames
        plain.acceptsMissingCloseNotify = acceptsMissingCloseNotify
        return self != plain
    }

    /// Whether a certificate must contain its host as a subjectAltName. False if host names or certificates are not
    /// verified.
    fileprivate var refusesCommonNames: Bool {
        !acceptsCommonNames && !dangerouslySkipsHostNameVerification && !dangerouslySkipsCertificateVerification
    }

    /// Whether the configuration needs more than libcurl's own options. libcurl's options check only the key of the
    /// server's own certificate, and cannot add roots to the roots of the system.
    fileprivate var needsTrust: Bool {
        trustedRoots != .system || !pins.isEmpty || pinsForAllHosts != nil || anchorsForAllHosts != nil
            || serverTrust != nil || revocationLists != nil
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { return failure }
        return nil
    }
}

/// The TLS abilities of the loaded libcurl.
package struct TLSAbilities: Sendable {
    /// The reason why the engine cannot check servers in the handshake, as a sentence without its full stop. Nil if the
    /// engine can check them.
    package var trustUnavailability: String?
    /// The TLS library, such as "OpenSSL/3.0.19".
    package var library: String

    /// Whether libcurl takes certificates and keys from memory, as it does from 7.71 on.
    var takesBlobs = true

    package init(trustUnavailability: String?, library: String) {
        self.trustUnavailability = trustUnavailability
        self.library = library
    }

    /// The reason why clients' certificates and keys cannot be used, as a sentence without its full stop. OpenSSL and
    /// its derivatives read them from memory.
    var identityUnavailability: String? {
        guard
            ["OpenSSL", "quictls", "LibreSSL", "BoringSSL", "AWS-LC"].contains(where: { library.begins(with: $0 + "/") }
            )
        else { return "libcurl uses \(library) for TLS" }
        return takesBlobs ? nil : "this libcurl takes none from memory, which needs version 7.71"
    }
}
#endif
