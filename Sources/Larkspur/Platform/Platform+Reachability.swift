extension Platform {
    /// Who knows whether something can be reached.
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
