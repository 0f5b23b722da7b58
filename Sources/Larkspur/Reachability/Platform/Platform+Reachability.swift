extension Platform {
    /// The platform's source of reachability.
    static var reachabilitySource: any ReachabilitySource {
        #if os(Linux) || os(Android)
        RoutedReachabilitySource(table: NetlinkRoutingTable(), resolver: HostResolver.addresses)
        #elseif canImport(Network)
        PathMonitorSource()
        #else
        UnavailableReachabilitySource(reason: "This system has no source of network changes.")
        #endif
    }
}
