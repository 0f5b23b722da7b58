#if canImport(FoundationNetworking)
/// What a session's TLS configuration comes to with the libcurl at hand: read once, when the session is made.
struct TLSSettings: Sendable {
    /// How what is configured is enforced.
    enum Method: Sendable {
        /// By options of libcurl's.
        case options(Options)
        /// By our own check within the handshake.
        case trust(ServerTrustRules)
    }

    /// What libcurl can do by itself, whatever TLS library it uses.
    struct Options: Sendable {
        /// Nil for the system's.
        var roots: [TLSCertificate]?
        var pins = PinTable([])
        var verifiesPeer = true
    }

    let configuration: TLSConfiguration
    let method: Method
    /// Whether anything is asked for beyond what every request gets.
    let isCustom: Bool
    /// Why no https request can be sent: a sentence; nil if they can.
    let defect: String?
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
        defect = Self.defect(of: configuration, abilities)
    }

    private static func defect(of configuration: TLSConfiguration, _ abilities: TLSAbilities) -> String? {
        if let contradiction = configuration.contradiction { return contradiction }
        if let maximum = configuration.maximumVersion, maximum < configuration.minimumVersion {
            return "The highest version of TLS that is allowed is below the lowest one."
        }
        if configuration.clientIdentity != nil, !abilities.takesIdentities {
            return "A client certificate cannot be used: libcurl uses \(abilities.library) for TLS."
        }
        guard let reason = abilities.trustUnavailability else { return nil }
        if case .systemAnd = configuration.trustedRoots {
            return "Roots besides those of the system cannot be trusted: \(reason)."
        }
        if configuration.anchorsForAllHosts != nil { return "Certificates cannot be pinned: \(reason)." }
        return nil
    }

    // MARK: Requests

    /// Checks whether a request may be sent at all, before there is a connection for it.
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

    /// Whether a task may be left to the superclass, which knows nothing of what is configured here.
    func admitsForeignTask(for url: URL?) -> Bool {
        guard isCustom, let url, let scheme = url.scheme?.lowercased(), scheme != "file", scheme != "data" else {
            return true
        }
        return scheme != "wss" && scheme != "ftps" && (pins.isEmpty || requirements(for: url.host ?? "").isEmpty)
    }

    /// The sets of keys of each of which a host has to have one.
    func requirements(for host: String) -> [Set<PublicKeyPin>] {
        pins.requirements(for: ServerName.canonical(host) ?? host)
    }
}

extension TLSConfiguration {
    /// Whether anything is asked for that is not every session's, beyond leniency in what libcurl alone would accept.
    fileprivate var isCustom: Bool {
        var plain = TLSConfiguration()
        plain.acceptsCommonNames = acceptsCommonNames
        plain.acceptsMissingCloseNotify = acceptsMissingCloseNotify
        return self != plain
    }

    /// Whether a certificate has to name its host in a subjectAltName; not where its names or all of it are not
    /// verified.
    fileprivate var refusesCommonNames: Bool {
        !acceptsCommonNames && !dangerouslySkipsHostNameVerification && !dangerouslySkipsCertificateVerification
    }

    /// Whether libcurl's own options do not suffice: they know the key of the server's own certificate alone, and no
    /// roots besides the system's.
    fileprivate var needsTrust: Bool {
        trustedRoots != .system || !pins.isEmpty || pinsForAllHosts != nil || anchorsForAllHosts != nil
    }
}
#endif
