#if canImport(FoundationNetworking)
import HTTPSyntax

/// The fixed addresses of a host, for tests, and for servers that have no name yet. They are used without a name
/// look-up.
public struct HostAddress: Sendable, Hashable {
    /// The host's name, as it appears in URLs.
    public var host: String
    /// The port, as it appears in URLs, or the default port of their scheme.
    public var port: Int
    /// The numerical addresses to try, in this order; at least one.
    public var addresses: [String]

    /// Creates the addresses of a host.
    /// - Parameters:
    ///   - host: The host's name, as it appears in URLs.
    ///   - port: The port, from 1 to 65535, as it appears in URLs, or the default port of their scheme.
    ///   - addresses: The numerical addresses to try, in this order; at least one.
    public init(host: String, port: Int, addresses: [String]) {
        self.host = host
        self.port = port
        self.addresses = addresses
    }

    /// The host in its canonical form; nil if there is none.
    var canonicalHost: CanonicalHost? { try? CanonicalHost(named: host) }

    /// The addresses in libcurl's notation; nil if a part is invalid.
    var curlLine: String? {
        guard (1...65535).contains(port), !addresses.isEmpty, let host = canonicalHost?.plainText,
            // In libcurl's notation, "-" at the beginning of a line removes the known addresses of a host. It has no
            // notation for an IPv6 address as the host.
            !host.utf8.starts(with: "-".utf8), !host.utf8.contains(UInt8(ascii: ":")),
            addresses.allSatisfy({ IPAddress($0) != nil })
        else { return nil }
        let numbers = addresses.map { address in
            address.utf8.contains(UInt8(ascii: ":")) && address.utf8.first != UInt8(ascii: "[")
                ? "[\(address)]" : address
        }
        return "\(host):\(port):\(numbers.joined(separator: ","))"
    }
}
#endif
