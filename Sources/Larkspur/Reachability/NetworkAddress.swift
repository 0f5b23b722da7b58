/// An IP address.
struct NetworkAddress: Hashable, Sendable {
    /// The bytes of the address: 4 for IPv4, 16 for IPv6.
    let bytes: [UInt8]
    /// The index of the link that a link-local address belongs to; 0 for none.
    let zone: UInt32

    var isV6: Bool { bytes.count == 16 }
    /// Whether the address is valid only on its link. An address of that link is then enough to send from.
    var isLinkLocal: Bool { isV6 && bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 }

    /// - Parameters:
    ///   - bytes: The 4 or 16 bytes, in network byte order.
    ///   - zone: The index of the link. Default: 0, none.
    init?(bytes: [UInt8], zone: UInt32 = 0) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        // An IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) uses the routes of IPv4.
        let isMapped =
            bytes.count == 16 && bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 255 && bytes[11] == 255
        self.bytes = isMapped ? Array(bytes.suffix(4)) : bytes
        self.zone = isMapped ? 0 : zone
    }

    /// Parses an address in text or as in a URL: `192.0.2.1`, `2001:db8::1`, `[::1]`, `fe80::1%eth0`. Nil for names and
    /// for short forms.
    init?(_ text: String) {
        var text = Substring(text)
        if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
        guard !text.utf8.contains(0) else { return nil }
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.map(String.init) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4)
        if parts.count == 1, inet_pton(AF_INET, address, &bytes) == 1 {
            self.init(bytes: bytes)
            return
        }
        bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, address, &bytes) == 1 else { return nil }
        var zone: UInt32 = 0
        if parts.count == 2 {
            let name = String(parts[1])
            zone = UInt32(name) ?? if_nametoindex(name)
            guard zone != 0 else { return nil }
        }
        self.init(bytes: bytes, zone: zone)
    }
}
