#if canImport(FoundationNetworking)
import HTTPSyntax

/// The TLS configuration of a host, in place of the configuration of its session.
///
///     options.hostTLS = [try HostTLS("internal.example.com", includesSubdomains: true, internalTLS)]
public struct HostTLS: Sendable {
    /// The host's name in lower case. An international name is in its ASCII form.
    public let host: String
    /// Whether the configuration also applies to all subdomains. Default: false.
    public let includesSubdomains: Bool
    /// The configuration.
    public var configuration: TLSConfiguration

    /// Creates the configuration of a host.
    /// - Parameters:
    ///   - host: The name or address of the host, without scheme and port.
    ///   - includesSubdomains: Whether the configuration also applies to all subdomains. Default: false.
    ///   - configuration: The configuration. Nothing is taken from ``EngineOptions/tls``.
    /// - Throws: A ``TLSConfigurationError`` with the reason `malformedHost` if the text is not a host name or address.
    public init(
        _ host: String,
        includesSubdomains: Bool = false,
        _ configuration: TLSConfiguration
    ) throws(TLSConfigurationError) {
        self.host = try HostPins.canonicalName(host)
        self.includesSubdomains = includesSubdomains
        self.configuration = configuration
    }
}

/// The effective TLS settings of a session: those of the session, and those of hosts. Each has a number.
struct HostTLSTable: Sendable {
    /// The settings by their numbers. The settings of the session have the number 0.
    let settings: [TLSSettings]
    private var hosts: [TextKey: Int] = [:]
    private var domains: [TextKey: Int] = [:]

    /// - Parameters:
    ///   - rules: The configurations of hosts. Of several for the same host, the last one applies.
    ///   - abilities: The abilities of the libcurl in use.
    init(_ configuration: TLSConfiguration, _ rules: [HostTLS], abilities: TLSAbilities) {
        let own = TLSSettings(configuration, abilities: abilities)
        settings = [own] + rules.map { TLSSettings($0.configuration, abilities: abilities) }
        hasRules = !rules.isEmpty
        isCustom = own.isCustom || !rules.isEmpty
        for (index, rule) in rules.enumerated() {
            if rule.includesSubdomains { domains[rule.host] = index + 1 } else { hosts[rule.host] = index + 1 }
        }
    }

    /// Whether there are settings of hosts.
    let hasRules: Bool
    /// Whether any settings differ from the default configuration.
    let isCustom: Bool

    /// Whether connections with the settings of a number must not share their roots with others.
    ///
    /// libcurl keeps the roots of a connection, and uses them for other connections of the session that have the same
    /// path of the roots. The engine replaces these roots or adds others, which must be trusted only for the hosts of
    /// these settings.
    func needsOwnRoots(_ number: Int) -> Bool {
        hasRules && settings[number].configuration.trustedRoots != .system
    }

    subscript(number: Int) -> TLSSettings { settings[number] }

    /// Returns the number of the settings for a host. Settings without subdomains for this name take precedence. Of the
    /// others, those of the longest domain that contains the name apply.
    /// - Parameter name: The name in its canonical form.
    func number(for name: String) -> Int {
        guard hasRules else { return 0 }
        if let number = hosts[name] { return number }
        var rest = name[...]
        while true {
            if let number = domains[String(rest)] { return number }
            guard let (_, parent) = rest.cut(at: ".") else { return 0 }
            rest = parent
        }
    }

    /// Whether the superclass may perform a task, although it does not apply these settings.
    func admitsForeignTask(for url: URL?) -> Bool { settings.allSatisfy { $0.admitsForeignTask(for: url) } }

    /// Whether the settings call closures of the program on the session's thread.
    var callsClosure: Bool {
        settings.contains {
            $0.configuration.clientIdentity?.callsClosure == true || $0.configuration.serverTrust != nil
        }
    }
}
#endif
