#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// Hosts for which no proxy is used.
struct HostException: Sendable, Equatable {
    private enum Hosts: Sendable, Equatable {
        case all
        /// All names without a dot.
        case local
        /// A name in its canonical form, and all names below it.
        case domain(String)
        /// All addresses whose first bits are the same as those of this address.
        case network(IPAddress, bits: Int)
    }

    private let hosts: Hosts
    private let port: Int?

    /// Parses an exception; nil if the text is not a valid exception.
    init?(_ text: String) {
        let text = text.trimmingCharacters(in: .whitespaces)
        if let network = Self.network(text) {
            (hosts, port) = (network, nil)
            return
        }
        var (name, port) = Self.split(text)
        if name.begins(with: "*.") { name.unicodeScalars.removeFirst(2) }
        if name.begins(with: ".") { name.unicodeScalars.removeFirst() }
        self.port = port
        if name.utf8.elementsEqual("*".utf8) {
            hosts = .all
        } else if name.hasSameLetters(as: "<local>") {
            hosts = .local
        } else if let host = try? CanonicalHost(named: name) {
            hosts = host.address.map { .network($0, bits: $0.bytes.count * 8) } ?? .domain(host.name)
        } else {
            return nil
        }
    }

    func matches(_ host: CanonicalHost, port: Int) -> Bool {
        if let own = self.port, own != port { return false }
        switch hosts {
        case .all: return true
        case .local: return host.address == nil && !host.name.utf8.contains(UInt8(ascii: "."))
        case .domain(let domain):
            guard host.address == nil else { return false }
            guard host.name.utf8.count > domain.utf8.count else { return host.name == domain }
            return host.name.utf8.dropLast(domain.utf8.count).last == UInt8(ascii: ".") && host.name.ends(with: domain)
        case .network(let network, let bits):
            return host.address.map { $0.hasPrefix(of: network, bits: bits) } ?? false
        }
    }

    /// Parses an IPv6 address without a port, or a network: an address and the number of its bits.
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
