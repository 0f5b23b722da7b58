/// Knows from the kernel's routes what can be reached. Nothing is sent, but for the question for a host's addresses.
struct RoutedReachabilitySource: ReachabilitySource {
    /// Finds the addresses of a host; none if it is not known.
    typealias Resolver = @Sendable (String) async -> [NetworkAddress]

    let table: any RoutingTable
    let resolver: Resolver
    var clock: any Clock<Duration> = ContinuousClock()

    func watch(
        _ target: ReachabilityTarget,
        report: @escaping @Sendable (NetworkReachabilityStatus) -> Void
    ) throws(ReachabilityUnavailable) -> @Sendable () -> Void {
        let observation = RoutedObservation(target, table: table, resolver: resolver, clock: clock, report: report)
        // What changes from here on is heard of, so that what is read now cannot be the last.
        let stop = try table.watch { [weak observation] in observation?.update() }
        observation.update()
        return {
            stop()
            observation.cancel()
        }
    }
}
