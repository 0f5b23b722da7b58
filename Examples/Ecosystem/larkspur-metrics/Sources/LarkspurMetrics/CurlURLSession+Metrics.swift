#if canImport(FoundationNetworking)
public import CoreMetrics
public import Larkspur

extension CurlURLSession {
    /// Records the session's connections and requests as gauges. Call it regularly, for example every ten seconds.
    ///
    ///     while !Task.isCancelled {
    ///         await session.recordConnections()
    ///         try await Task.sleep(for: .seconds(10))
    ///     }
    ///
    /// The gauges of an origin that has no connections and requests any more are set to 0 once, if the call gets the
    /// result of the previous call.
    /// - Parameters:
    ///   - last: The result of the previous call; nil for the first call. Default: nil.
    ///   - factory: The factory of the metrics. Default: that of the metrics system, as it is now.
    /// - Returns: The connections that were recorded.
    @discardableResult
    public func recordConnections(
        after last: [OriginConnections]? = nil,
        factory: any MetricsFactory = MetricsSystem.factory
    ) async -> [OriginConnections] {
        let origins = await connections
        for origin in origins { origin.record(factory) }
        let present = Set(origins.map(\.origin))
        for origin in last ?? [] where !present.contains(origin.origin) { origin.recordZero(factory) }
        return origins
    }
}

extension OriginConnections {
    fileprivate func record(_ factory: any MetricsFactory) {
        record(open: (active: busy, idle: idle), requests: (active: activeRequests, waiting: waitingRequests), factory)
        guard let oldestAge else { return }
        let seconds = Double(oldestAge.components.seconds) + Double(oldestAge.components.attoseconds) / 1e18
        gauge("http.client.connection.oldest", [], factory).record(seconds)
    }

    fileprivate func recordZero(_ factory: any MetricsFactory) {
        record(open: (active: 0, idle: 0), requests: (active: 0, waiting: 0), factory)
        gauge("http.client.connection.oldest", [], factory).record(0)
    }

    private func record(
        open: (active: Int, idle: Int),
        requests: (active: Int, waiting: Int),
        _ factory: any MetricsFactory
    ) {
        let name = "http.client.open_connections"
        gauge(name, [("http.connection.state", "active")], factory).record(open.active)
        gauge(name, [("http.connection.state", "idle")], factory).record(open.idle)
        let requestName = "http.client.connection.requests"
        gauge(requestName, [("state", "active")], factory).record(requests.active)
        gauge(requestName, [("state", "waiting")], factory).record(requests.waiting)
    }

    private func gauge(_ label: String, _ more: [(String, String)], _ factory: any MetricsFactory) -> Gauge {
        var dimensions = more
        let url = URL(string: origin)
        if let host = url?.host { dimensions.append(("server.address", host)) }
        if let port = url?.port { dimensions.append(("server.port", "\(port)")) }
        if let scheme = url?.scheme { dimensions.append(("url.scheme", scheme)) }
        return Gauge(label: label, dimensions: dimensions, factory: factory)
    }
}
#endif
