#if canImport(FoundationNetworking)
/// The required keys of servers, by their names.
struct PinTable: Sendable {
    private var hosts: [String: Set<PublicKeyPin>] = [:]
    private var domains: [String: Set<PublicKeyPin>] = [:]
    /// The keys for all hosts; nil if hosts without pins of their own may have any key.
    private let everywhere: Set<PublicKeyPin>?

    init(_ pins: [HostPins], everywhere: Set<PublicKeyPin>? = nil) {
        self.everywhere = everywhere
        for pin in pins {
            let keys = pin.pins.union(pin.backupPins)
            if pin.includesSubdomains {
                domains[pin.host, default: []].formUnion(keys)
            } else {
                hosts[pin.host, default: []].formUnion(keys)
            }
        }
    }

    var isEmpty: Bool { hosts.isEmpty && domains.isEmpty && everywhere == nil }

    /// Returns sets of keys; a server must have one key of each set. The more specific pins of a name replace those of
    /// its parent domains.
    /// - Parameter name: The name in its canonical form.
    func requirements(for name: String) -> [Set<PublicKeyPin>] {
        var requirements: [Set<PublicKeyPin>] = []
        if let everywhere { requirements.append(everywhere) }
        if let own = hosts[name] ?? domain(of: name) { requirements.append(own) }
        return requirements
    }

    private func domain(of name: String) -> Set<PublicKeyPin>? {
        guard !domains.isEmpty else { return nil }
        var rest = name[...]
        while true {
            if let keys = domains[String(rest)] { return keys }
            guard let dot = rest.firstIndex(of: ".") else { return nil }
            rest = rest[dot...].dropFirst()
        }
    }
}
#endif
