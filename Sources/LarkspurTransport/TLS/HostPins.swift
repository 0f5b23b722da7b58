/// The public keys one of which a host has to have.
public struct HostPins: Sendable, Hashable {
    /// The host, in lower case; an international name in its ASCII form.
    public let host: String
    /// Whether the pins hold for all hosts below it too. Default: false.
    public let includesSubdomains: Bool
    /// The keys that are in use.
    public let pins: Set<PublicKeyPin>
    /// Keys that are not in use yet, and that the server will have when those in use are lost.
    public let backupPins: Set<PublicKeyPin>

    /// Pins a host: a certificate of its chain has to have one of the keys.
    ///
    /// With the key of the server's own certificate only that may change; with the key of an authority, every
    /// certificate that it issues for the host is good. Without a backup pin, a key that is lost locks every client out
    /// that is not updated in time.
    /// - Parameters:
    ///   - host: A name or address, without scheme and port.
    ///   - includesSubdomains: Whether the pins hold for all hosts below it too. Default: false.
    ///   - pins: The keys that are in use. Without any key, backups included, no server is accepted.
    ///   - backupPins: Keys kept aside, for when those in use are lost. They count as much. Default: none.
    /// - Throws: `malformedHost`, as pins of a host that is misspelt would protect nothing.
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
