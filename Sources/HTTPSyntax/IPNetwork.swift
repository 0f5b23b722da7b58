/// The addresses with the same first bits, such as `10.0.0.0/8` (RFC 4632 and RFC 4291, section 2.3).
package struct IPNetwork: Sendable, Hashable {
    private let address: IPAddress
    private let bits: Int

    /// Creates the network that contains only one address.
    package init(_ address: IPAddress) {
        self.address = address
        bits = address.bytes.count * 8
    }

    /// Parses an address without a port, alone or with a slash and a number of bits. Nil if the text is neither.
    package init?(_ text: String) {
        let parts = text.parts(separatedBy: "/", maxSplits: 1, omittingEmptyParts: false)
        guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
        self.init(address)
        guard parts.count == 2 else { return }
        guard let bits = Int(parts[1]), (0...address.bytes.count * 8).contains(bits) else { return nil }
        self = IPNetwork(address: address, bits: bits)
    }

    private init(address: IPAddress, bits: Int) {
        self.address = address
        self.bits = bits
    }

    /// Whether the network contains an address.
    package func contains(_ other: IPAddress) -> Bool { other.hasPrefix(of: address, bits: bits) }
}
