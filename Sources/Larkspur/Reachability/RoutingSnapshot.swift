/// The links, addresses and routes of the kernel at one time, as far as they decide whether the network can be reached.
struct RoutingSnapshot: Equatable, Sendable {
    /// A route to everywhere.
    struct DefaultRoute: Equatable, Sendable {
        let link: Int32
        let isV6: Bool
        /// The lower, the better.
        let metric: UInt32
    }

    var links: [Int32: NetworkLink] = [:]
    /// Whether there is an address to send from, of a scope wider than its link.
    var hasV4Address = false
    var hasV6Address = false
    var defaultRoutes: [DefaultRoute] = []

    /// The link through which the network is reached; nil if it is not.
    var linkTowardsNetwork: NetworkLink? {
        let usable = defaultRoutes.compactMap { route in
            self.link(route.link, isV6: route.isV6).flatMap { $0.isLoopback ? nil : (route, $0) }
        }
        // The metrics of the two families have nothing to do with each other; IPv4's are the users'.
        return usable.min { ($0.0.isV6 ? 1 : 0, $0.0.metric) < ($1.0.isV6 ? 1 : 0, $1.0.metric) }?.1
    }

    /// The link through which an address is reached; nil if it is not.
    /// - Parameter index: The link that the kernel would send through; nil for none.
    func link(towards address: NetworkAddress, through index: Int32?) -> NetworkLink? {
        index.flatMap { link($0, isV6: address.isV6, needsAddress: !address.isLinkLocal) }
    }

    /// A link that packets can go through, as there is an address to send them from.
    private func link(_ index: Int32, isV6: Bool, needsAddress: Bool = true) -> NetworkLink? {
        guard let link = links[index], link.isUp else { return nil }
        return link.isLoopback || !needsAddress || (isV6 ? hasV6Address : hasV4Address) ? link : nil
    }
}
