/// The wait of a request for a place at its host, because as many requests are under way as there may be at a time.
package struct ConnectionWait: Sendable {
    /// A request that has a place.
    package struct Holder: Sendable {
        /// The request, without its content.
        package let request: URLRequest
        /// The time at which the transfer of the request began.
        package let start: ContinuousClock.Instant
    }

    /// The URL of the request that waits.
    package let url: URL?
    /// The maximum number of requests to the host at a time; nil if the limit of all connections of the session is
    /// reached.
    package let limit: Int?
    /// The time at which the wait began.
    package let start: ContinuousClock.Instant
    /// The requests that have the places, the oldest first. Empty until the wait was reported.
    package var holders: [Holder] = []
    /// Whether no other request has waited so long at the host since there was last a free place.
    package var isFirst = false

    package init(url: URL?, limit: Int?, start: ContinuousClock.Instant) {
        self.url = url
        self.limit = limit
        self.start = start
    }

    /// Returns the duration of the wait and its reason in words.
    /// - Parameters:
    ///   - now: The end of the wait so far.
    ///   - text: Returns the text of a URL, without secrets.
    package func clause(at now: ContinuousClock.Instant, _ text: (URL) -> String) -> String {
        "it has waited \(Self.seconds(start.duration(to: now))) for a connection, because \(reason(at: now, text))"
    }

    /// Returns the reason of the wait in words: the limit, and the requests that have the places.
    /// - Parameters:
    ///   - now: The end of the wait so far.
    ///   - text: Returns the text of a URL, without secrets.
    package func reason(at now: ContinuousClock.Instant, _ text: (URL) -> String) -> String {
        var reason =
            limit.map { "\($0) requests to its host are under way, as many as httpMaximumConnectionsPerHost permits" }
            ?? "as many requests are under way as maximumConnections permits"
        let shown = holders.prefix(Self.mostHolders).map { holder in
            let url = holder.request.url.map(text) ?? ""
            return "\(holder.request.httpMethod ?? "GET") \(url) since \(Self.seconds(holder.start.duration(to: now)))"
        }
        if !shown.isEmpty { reason += ": " + shown.joined(separator: ", ") }
        if holders.count > shown.count { reason += ", and \(holders.count - shown.count) more" }
        return reason
    }

    /// The maximum number of requests that a text names.
    private static let mostHolders = 8

    /// Returns a duration in seconds, with one digit after the point.
    private static func seconds(_ duration: Duration) -> String {
        let tenths = duration.components.seconds * 10 + duration.components.attoseconds / 100_000_000_000_000_000
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
