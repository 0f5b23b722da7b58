/// The pinned public keys of a host, of which it must have one.
public struct HostPins: Sendable, Hashable {
    /// The host's name in lower case; an international name in its ASCII form.
    public let host: String
    /// Whether the pins apply to all subdomains too. Default: false.
    public let includesSubdomains: Bool
    /// The keys in use.
    public let pins: Set<PublicKeyPin>
    /// The keys that are not in use yet, and that the server will use if the current ones are lost.
    public let backupPins: Set<PublicKeyPin>

    /// Creates the pins of a host: a certificate of its chain must have one of the keys.
    ///
    /// With the key of the server's own certificate, only certificates for that key are accepted; with the key of an
    /// authority, every certificate that it issues for the host is. Without a backup pin, the loss of a key locks out
    /// every client that is not updated in time.
    /// - Parameters:
    ///   - host: The name or address of the host, without scheme and port.
    ///   - includesSubdomains: Whether the pins apply to all subdomains too. Default: false.
    ///   - pins: The keys in use. Without any key, backups included, no server is accepted.
    ///   - backupPins: The keys in reserve, for the loss of those in use. They are accepted too. Default: none.
    /// - Throws: A ``TLSConfigurationError``: `malformedHost`, as pins of a misspelt host would protect nothing.
    public init(
        _ host: String,
        includesSubdomains: Bool = false,
        pins: Set<PublicKeyPin>,
        backupPins: Set<PublicKeyPin> = []
    ) throws(TLSConfigurationError) {
        let ascii = host.utf8.allSatisfy { $0 < 0x80 } ? host : URL(string: "https://\(host)/")?.host ?? host
        guard let name = ServerName.canonical(ascii) else {
            throw TLSConfigurationError(
                .malformedHost,
                "“\(host)” is no host: give its name alone, such as api.example.com, and includesSubdomains for those below it."
            )
        }
        self.host = name
        self.includesSubdomains = includesSubdomains
        self.pins = pins
        self.backupPins = backupPins
    }
}
