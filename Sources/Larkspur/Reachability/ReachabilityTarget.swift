/// What is to be reached.
enum ReachabilityTarget: Hashable, Sendable {
    /// The network as such.
    case anyNetwork
    /// A host, by its name.
    case host(String)
    /// A host, by its address.
    case address(NetworkAddress)

    /// A host, by its name or an address in text.
    static func named(_ host: String) -> ReachabilityTarget {
        NetworkAddress(host).map { .address($0) } ?? .host(host)
    }
}
