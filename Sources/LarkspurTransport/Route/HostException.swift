#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// Hosts for which no proxy is used.
struct HostException: Sendable, Equatable {
    private enum Hosts: Sendable, Equatable {
        case all
        /// All names without a dot.
        case local
        /// A host, in lower case. If the name begins with a dot, the subdomains are included.
        case domain(String)
        /// All addresses whose first bits are the same as those of this address.
        case network(IPAddress, bits: Int)
    }

    private let hosts: Hosts
    private let port: Int?

    /// Parses an exception; nil if the text is not a valid exception.
    init?(_ text: String) {
        let text = text.trimmingCharacters(in: .whitespaces).lowercased()
        if let network = Self.network(text) {
            (hosts, port) = (network, nil)
            return
        }
        var (name, port) = Self.split(text)
        if name.begins(with: "*.") { name.unicodeScalars.removeFirst(2) }
        if name.begins(with: ".") { name.unicodeScalars.removeFirst() }
        // A name may end with the dot of the DNS root.
        if name.ends(with: ".") { name.unicodeScalars.removeLast() }
        guard !name.isEmpty else { return nil }
        self.port = port
        switch name {
        case "*": hosts = .all
        case "<local>": hosts = .local
        default: hosts = Self.network(name) ?? .domain(name)
        }
    }

    /// - Parameter host: A name or an address. An address may have brackets.
    func matches(host: String, port: Int) -> Bool {
        if let own = self.port, own != port { return false }
        var host = host.lowercased()
        if host.ends(with: ".") { host.unicodeScalars.removeLast() }
        switch hosts {
        case .all: return true
        case .local: return !host.utf8.contains(UInt8(ascii: ".")) && IPAddress(host) == nil
        case .domain(let domain):
            guard host.utf8.count > domain.utf8.count else { return host == domain }
            return host.utf8.dropLast(domain.utf8.count).last == UInt8(ascii: ".") && host.ends(with: domain)
        case .network(let network, let bits):
            return IPAddress(host).map { $0.hasPrefix(of: network, bits: bits) } ?? false
        }
    }

    private static func network(_ text: String) -> Hosts? {
        let parts = text.parts(separatedBy: "/", maxSplits: 1, omittingEmptyParts: false)
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
