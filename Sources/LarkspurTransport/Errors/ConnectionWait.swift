/// The wait of a request for a place at its host. The request waits because the maximum number of requests is running.
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
    /// The maximum number of requests to the host at a time. Nil if the request waits because of the limit of all
    /// connections of the session.
    package let limit: Int?
    /// The time at which the wait began.
    package let start: ContinuousClock.Instant
    /// The requests that have the places, the oldest first. Empty until the wait is reported.
    package var holders: [Holder] = []
    /// Whether no other request has waited as long at the host since a place was last free.
    package var isFirst = false

    package init(url: URL?, limit: Int?, start: ContinuousClock.Instant) {
        self.url = url
        self.limit = limit
        self.start = start
    }

    /// Returns the duration of the wait and its reason in words.
    /// - Parameters:
    ///   - now: The current time.
    ///   - text: Returns the text of a URL, without secrets.
    package func clause(at now: ContinuousClock.Instant, _ text: (URL) -> String) -> String {
        "it has waited \(Self.seconds(start.duration(to: now))) for a connection, because \(reason(at: now, text))"
    }

    /// Returns the reason of the wait in words: the limit, and the requests that have the places.
    /// - Parameters:
    ///   - now: The current time.
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

    /// The maximum number of requests that a text contains.
    private static let mostHolders = 8

    /// Returns a duration in seconds, with one decimal place.
    private static func seconds(_ duration: Duration) -> String {
        let tenths = duration.components.seconds * 10 + duration.components.attoseconds / 100_000_000_000_000_000
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
