#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// An IPv4 or IPv6 address.
struct IPAddress: Sendable, Equatable {
    /// The 4 or 16 bytes, the most significant first.
    let bytes: [UInt8]

    /// Parses an address; nil if the text is not an IP address. An IPv6 address may be in brackets.
    init?(_ text: String) {
        var name = text
        if name.begins(with: "["), name.ends(with: "]") { name = String(Substring(name.utf8.dropFirst().dropLast())) }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, name, &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else if inet_pton(AF_INET6, name, &bytes) == 1 {
            self.bytes = bytes
        } else {
            return nil
        }
    }

    /// Whether the address has the same first bits as another address. If one is IPv4 and the other is IPv6, the result
    /// is false.
    func hasPrefix(of other: IPAddress, bits: Int) -> Bool {
        guard bytes.count == other.bytes.count else { return false }
        let whole = bits / 8
        guard bytes.prefix(whole) == other.bytes.prefix(whole) else { return false }
        let rest = bits % 8
        guard rest > 0, whole < bytes.count else { return true }
        return (bytes[whole] ^ other.bytes[whole]) >> UInt8(8 - rest) == 0
    }
}
#endif
