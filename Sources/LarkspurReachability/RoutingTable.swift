/// The links, addresses and routes of the kernel, or of a test.
protocol RoutingTable: Sendable {
    /// Starts to observe changes.
    /// - Parameter onChange: Called after a possible change, on one queue. Calls do not overlap. One call may report
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

/// The links, addresses and routes of the kernel at one time, as far as they matter for reachability.
///
/// The whole state is read again after each report of a change, because the kernel removes routes without a report when
/// a link goes down, and drops reports when there are too many.
struct RoutingSnapshot: Equatable, Sendable {
    /// A default route.
    struct DefaultRoute: Equatable, Sendable {
        let link: Int32
        let isV6: Bool
        /// The metric of the route; a lower one is preferred.
        let metric: UInt32
    }

    var links: [Int32: NetworkLink] = [:]
    /// Whether there is an IPv4 address from which packets can be sent beyond its link.
    var hasV4Address = false
    var hasV6Address = false
    var defaultRoutes: [DefaultRoute] = []

    /// The link through which the network is reachable; nil if it is not reachable.
    var linkTowardsNetwork: NetworkLink? {
        let usable = defaultRoutes.compactMap { route in
            self.link(route.link, isV6: route.isV6).flatMap { $0.isLoopback ? nil : (route, $0) }
        }
        // Metrics of different address families cannot be compared. Routes of IPv4 come first, because users set their
        // metrics.
        return usable.min { ($0.0.isV6 ? 1 : 0, $0.0.metric) < ($1.0.isV6 ? 1 : 0, $1.0.metric) }?.1
    }

    /// Returns the link through which an address is reachable; nil if it is not reachable.
    /// - Parameter index: The link through which the kernel would send; nil if there is no route.
    func link(towards address: NetworkAddress, through index: Int32?) -> NetworkLink? {
        index.flatMap { link($0, isV6: address.isV6, needsAddress: !address.isLinkLocal) }
    }

    /// Returns a link if packets can pass through it; otherwise nil. The link must be up. There must also be an address
    /// to send from, unless the link is the loopback or no address is needed.
    private func link(_ index: Int32, isV6: Bool, needsAddress: Bool = true) -> NetworkLink? {
        guard let link = links[index], link.isUp else { return nil }
        return link.isLoopback || !needsAddress || (isV6 ? hasV6Address : hasV4Address) ? link : nil
    }
}
