extension Platform {
    /// The platform's source of reachability.
    static var reachabilitySource: any ReachabilitySource {
        #if os(Linux) || os(Android)
        RoutedReachabilitySource(table: NetlinkRoutingTable(), resolver: HostResolver.addresses)
        #elseif canImport(Network)
        PathMonitorSource()
        #else
        UnavailableReachabilitySource(reason: "Nobody tells of the network on this system.")
        #endif
    }
}
