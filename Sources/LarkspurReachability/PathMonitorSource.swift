#if canImport(Network)
internal import Network

/// A source that learns from the Network framework whether the network is reachable. It does not distinguish hosts.
struct PathMonitorSource: ReachabilitySource {
    // Safe: a monitor may be cancelled from any thread.
    private struct Monitor: @unchecked Sendable {
        let value = NWPathMonitor()
    }

    func watch(
        _ target: ReachabilityTarget,
        report: @escaping @Sendable (NetworkReachabilityStatus) -> Void
    ) throws(ReachabilityUnavailable) -> @Sendable () -> Void {
        let monitor = Monitor()
        monitor.value.pathUpdateHandler = { path in report(Self.status(of: path)) }
        monitor.value.start(queue: DispatchQueue(label: "larkspur.reachability", qos: .utility))
        return { monitor.value.cancel() }
    }

    private static func status(of path: NWPath) -> NetworkReachabilityStatus {
        // A path that has to be established first does not count yet.
        guard path.status == .satisfied else { return .notReachable }
        if path.usesInterfaceType(.wifi) { return .reachable(.wireless) }
        if path.usesInterfaceType(.cellular) { return .reachable(.cellular) }
        return .reachable(path.usesInterfaceType(.wiredEthernet) ? .wired : .other)
    }
}
#endif
