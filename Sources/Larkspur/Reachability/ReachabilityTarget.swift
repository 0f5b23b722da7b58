/// A target whose reachability is observed.
enum ReachabilityTarget: Hashable, Sendable {
    /// The network as a whole.
    case anyNetwork
    /// A host, by its name.
    case host(String)
    /// A host, by its address.
    case address(NetworkAddress)

    /// Returns the target for a host, given by its name or by an address in text.
    static func named(_ host: String) -> ReachabilityTarget {
        NetworkAddress(host).map { .address($0) } ?? .host(host)
    }
}
