/// A source that derives reachability from the kernel's routes. It sends nothing, except for the look-up of a host's
/// addresses.
struct RoutedReachabilitySource: ReachabilitySource {
    /// A closure that returns the addresses of a host; none if the host is not known.
    typealias Resolver = @Sendable (String) async -> [NetworkAddress]

    let table: any RoutingTable
    let resolver: Resolver
    var clock: any Clock<Duration> = ContinuousClock()

    func watch(
        _ target: ReachabilityTarget,
        report: @escaping @Sendable (NetworkReachabilityStatus) -> Void
    ) throws(ReachabilityUnavailable) -> @Sendable () -> Void {
        let observation = RoutedObservation(target, table: table, resolver: resolver, clock: clock, report: report)
        // Changes are observed before the state is first read, so that no change between the two is missed.
        let stop = try table.watch { [weak observation] in observation?.update() }
        observation.update()
        return {
            stop()
            observation.cancel()
        }
    }
}
