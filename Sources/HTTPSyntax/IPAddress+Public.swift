extension IPAddress {
    /// Whether the address belongs to the public internet.
    ///
    /// These addresses do not: the blocks of IANA's registries of special-purpose addresses (RFC 6890), multicast, IPv6
    /// outside of 2000::/3, and 168.63.129.16, at which Azure serves its virtual machines. If an IPv6 address contains
    /// an IPv4 address (mapped, compatible, or in 64:ff9b::/96), the IPv4 address decides. Addresses of 6to4, Teredo
    /// and 64:ff9b:1::/48 are not public, because unknown relays decide where they lead.
    package var isPublic: Bool {
        if bytes.count == 4 { return !Self.specialIPv4.contains { $0.contains(self) } }
        if let embedded { return embedded.isPublic }
        return Self.globalIPv6.contains { $0.contains(self) } && !Self.specialIPv6.contains { $0.contains(self) }
    }

    /// The address to which the system connects: the IPv4 address within a mapped IPv6 address (RFC 4291, section
    /// 2.5.5.2), otherwise the address itself.
    package var unmapped: IPAddress { Self.mapped.contains { $0.contains(self) } ? lastFourBytes : self }

    /// The IPv4 address that an IPv6 address contains; nil if it contains none.
    private var embedded: IPAddress? { Self.embeddings.contains { $0.contains(self) } ? lastFourBytes : nil }

    private var lastFourBytes: IPAddress { IPAddress(bytes: Array(bytes.suffix(4))) }

    /// Creates networks from constants. The tests try addresses in each of them.
    private static func networks(_ texts: String...) -> [IPNetwork] { texts.compactMap(IPNetwork.init) }

    private static let mapped = networks("::ffff:0:0/96")

    /// The blocks of IPv6 addresses whose last four bytes are an IPv4 address: compatible and mapped addresses (RFC
    /// 4291, section 2.5.5), and addresses of translators (RFC 6052). `::` and `::1` are in the first block.
    private static let embeddings = networks("::/96", "64:ff9b::/96") + mapped

    /// The addresses that are assigned to networks (RFC 4291, section 2.4).
    private static let globalIPv6 = networks("2000::/3")

    /// IANA's registry of special-purpose IPv4 addresses, multicast, and Azure's address.
    private static let specialIPv4 = networks(
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "168.63.129.16/32",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4"
    )

    /// IANA's registry of special-purpose IPv6 addresses, as far as they are within 2000::/3.
    private static let specialIPv6 = networks(
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",
        "2620:4f:8000::/48",
        "3fff::/20"
    )
}
