/// The links, addresses and routes of the kernel, or of a test.
protocol RoutingTable: Sendable {
    /// Starts to observe changes.
    /// - Parameter onChange: Called on one queue, one call at a time, after a possible change. One call may stand for
    ///   several changes.
    /// - Returns: A closure that ends the observation.
    /// - Throws: ``ReachabilityUnavailable``, if the kernel does not report changes.
    func watch(
        onChange: @escaping @Sendable () -> Void
    ) throws(ReachabilityUnavailable) -> @Sendable () -> Void

    /// Returns the current links, addresses and routes; nil if the kernel does not report them.
    func snapshot() -> RoutingSnapshot?

    /// Returns the index of the link through which the kernel would send a packet to an address; nil if there is no
    /// route.
    func link(towards address: NetworkAddress) -> Int32?

    /// Returns the kind of interface that a link is.
    func interface(of link: NetworkLink) -> NetworkReachabilityStatus.Interface
}
