/// The kernel's links, addresses and routes, or a test's.
protocol RoutingTable: Sendable {
    /// Begins to watch.
    /// - Parameter onChange: Is called on one queue, one call at a time, after something may have changed, however much
    ///   that was.
    /// - Returns: What ends it.
    /// - Throws: ``ReachabilityUnavailable`` where the kernel does not tell.
    func watch(
        onChange: @escaping @Sendable () -> Void
    ) throws(ReachabilityUnavailable) -> @Sendable () -> Void

    /// What there is now; nil if the kernel does not tell.
    func snapshot() -> RoutingSnapshot?

    /// The index of the link through which a packet to an address would be sent; nil if there is no way.
    func link(towards address: NetworkAddress) -> Int32?

    /// What a link is.
    func interface(of link: NetworkLink) -> NetworkReachabilityStatus.Interface
}
