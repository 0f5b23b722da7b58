internal import HTTPSyntax

/// The canonical form of host names.
enum ServerName {
    /// Returns a name in lower case without the dot at its end, or an address in the system's notation. Nil if the text
    /// is neither a name nor an address.
    static func canonical(_ host: String) -> String? {
        var name = host[...]
        if name.begins(with: "["), name.ends(with: "]") { name = Substring(name.utf8.dropFirst().dropLast()) }
        if name.utf8.last == UInt8(ascii: ".") { name = Substring(name.utf8.dropLast()) }
        guard !name.isEmpty else { return nil }
        if name.utf8.contains(UInt8(ascii: ":")) { return sixthVersionAddress(name) }
        let bytes = name.utf8.map(\.asLowercase)
        guard bytes.allSatisfy({ $0.isLetter || $0.isDigit || "-._".utf8.contains($0) }) else { return nil }
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard !labels.contains(where: \.isEmpty) else { return nil }
        let lowercased = String(decoding: bytes, as: UTF8.self)
        return numericAddress(lowercased) ?? lowercased
    }

    /// Returns an IPv4 address in its usual notation. The text may have any notation that libcurl accepts: for example,
    /// 127.1 and 0x7f000001 become 127.0.0.1.
    private static func numericAddress(_ name: String) -> String? {
        var value = in_addr()
        guard inet_aton(name, &value) == 1 else { return nil }
        return text(of: &value, AF_INET)
    }

    private static func sixthVersionAddress(_ name: Substring) -> String? {
        // The zone after a percent sign is removed, because it identifies a network and not a host.
        let address = name.before("%")
        var value = in6_addr()
        guard inet_pton(AF_INET6, String(address), &value) == 1 else { return nil }
        return text(of: &value, AF_INET6)
    }

    private static func text(of value: UnsafeRawPointer, _ family: Int32) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer -> String? in
            guard let start = buffer.baseAddress, inet_ntop(family, value, start, 64) != nil else { return nil }
            return String(cString: start)
        }
    }
}
