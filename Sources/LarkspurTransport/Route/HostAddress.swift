#if canImport(FoundationNetworking)
/// The addresses of a host that are used without the resolver: for tests, and for servers that have no name yet.
public struct HostAddress: Sendable, Hashable {
    /// The host's name, as it appears in URLs.
    public var host: String
    /// The port, as it appears in URLs or follows from their scheme.
    public var port: Int
    /// The numerical addresses that are tried, in this order; at least one.
    public var addresses: [String]

    /// Creates the addresses of a host.
    /// - Parameters:
    ///   - host: The host's name, as it appears in URLs.
    ///   - port: The port, from 1 to 65535, as it appears in URLs or follows from their scheme.
    ///   - addresses: The numerical addresses that are tried, in this order; at least one.
    public init(host: String, port: Int, addresses: [String]) {
        self.host = host
        self.port = port
        self.addresses = addresses
    }

    /// The line in libcurl's notation; nil if any part is invalid.
    var curlLine: String? {
        guard (1...65535).contains(port), !host.isEmpty, !addresses.isEmpty,
            // At the beginning of a line, the first two modify the known addresses of a host, and the third stands for
            // all hosts.
            !host.utf8.starts(with: "-".utf8), !host.utf8.starts(with: "+".utf8), host != "*",
            host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !":,/[]".utf8.contains($0) }),
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

#if canImport(FoundationNetworking)
/// An IPv4 or IPv6 address.
struct IPAddress: Sendable, Equatable {
    /// The 4 or 16 bytes, the most significant first.
    let bytes: [UInt8]

    /// Parses an address; nil if the text is none. IPv6 may be in brackets.
    init?(_ text: String) {
        var name = text
        if name.utf8.first == UInt8(ascii: "["), name.utf8.last == UInt8(ascii: "]") {
            name = String(name.dropFirst().dropLast())
        }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, name, &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else if inet_pton(AF_INET6, name, &bytes) == 1 {
            self.bytes = bytes
        } else {
            return nil
        }
    }

    /// Whether the address begins with this many bits of another one; never if the versions differ.
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

#if canImport(FoundationNetworking)
/// Hosts that are connected to without a proxy.
struct HostException: Sendable, Equatable {
    private enum Hosts: Sendable, Equatable {
        case all
        /// The names without a dot.
        case local
        /// A host and, with a dot before its name, all of its subdomains; in lower case.
        case domain(String)
        /// The addresses that begin with this many bits of an address.
        case network(IPAddress, bits: Int)
    }

    private let hosts: Hosts
    private let port: Int?

    /// Parses an exception; nil if the text is none.
    init?(_ text: String) {
        let text = text.trimmingCharacters(in: .whitespaces).lowercased()
        if let network = Self.network(text) {
            (hosts, port) = (network, nil)
            return
        }
        var (name, port) = Self.split(text)
        if name.utf8.starts(with: "*.".utf8) { name = String(name.dropFirst(2)) }
        if name.utf8.first == UInt8(ascii: ".") { name = String(name.dropFirst()) }
        // A name may end with the dot of the root.
        if name.utf8.last == UInt8(ascii: ".") { name = String(name.dropLast()) }
        guard !name.isEmpty else { return nil }
        self.port = port
        switch name {
        case "*": hosts = .all
        case "<local>": hosts = .local
        default: hosts = Self.network(name) ?? .domain(name)
        }
    }

    /// - Parameter host: A name or an address, the latter with or without brackets.
    func matches(host: String, port: Int) -> Bool {
        if let own = self.port, own != port { return false }
        var host = host.lowercased()
        if host.utf8.last == UInt8(ascii: ".") { host = String(host.dropLast()) }
        switch hosts {
        case .all: return true
        case .local: return !host.utf8.contains(UInt8(ascii: ".")) && IPAddress(host) == nil
        case .domain(let domain):
            guard host.utf8.count > domain.utf8.count else { return host == domain }
            return host.utf8.dropLast(domain.utf8.count).last == UInt8(ascii: ".") && host.hasSuffix(domain)
        case .network(let network, let bits):
            return IPAddress(host).map { $0.hasPrefix(of: network, bits: bits) } ?? false
        }
    }

    private static func network(_ text: String) -> Hosts? {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
        guard parts.count == 2 else { return .network(address, bits: address.bytes.count * 8) }
        guard let bits = Int(parts[1]), (0...address.bytes.count * 8).contains(bits) else { return nil }
        return .network(address, bits: bits)
    }

    private static func split(_ text: String) -> (String, Int?) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
            let port = UInt16(text[text.utf8.index(after: colon)...])
        else { return (text, nil) }
        return (String(text[..<colon]), Int(port))
    }
}
#endif
