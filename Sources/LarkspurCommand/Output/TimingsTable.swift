import Larkspur

/// The table with the phases of each request of an exchange, in milliseconds.
enum TimingsTable {
    private static let columns = ["status", "look-up", "connect", "TLS", "send", "wait", "content", "total"]

    /// Returns the table. Each request has a line, including redirects and authentication.
    static func text(_ transactions: [TransferMetrics]) -> String {
        guard !transactions.isEmpty else { return "The transport reports no times.\n" }
        let rows = transactions.map { metrics -> [String] in
            let method = metrics.request.httpMethod ?? "GET"
            let url = TerminalText.line(metrics.request.url?.absoluteString ?? "")
            let status = metrics.response.map { String($0.statusCode) } ?? "-"
            return ["\(method) \(url)", status] + phases(metrics).map(TableText.milliseconds)
        }
        return TableText.text([["ms"] + columns] + rows)
    }

    /// Returns the durations of the phases. The metrics have the times at which the phases end.
    static func phases(_ metrics: TransferMetrics) -> [Duration?] {
        let connected = metrics.secureConnect ?? metrics.connect
        return [
            metrics.nameLookup,
            difference(metrics.nameLookup, metrics.connect),
            difference(metrics.connect, metrics.secureConnect),
            metrics.requestStart.map { max(.zero, $0 - (connected ?? .zero)) },
            difference(metrics.requestStart, metrics.firstByte),
            difference(metrics.firstByte, metrics.end),
            metrics.end,
        ]
    }

    private static func difference(_ start: Duration?, _ end: Duration?) -> Duration? {
        guard let start, let end else { return nil }
        return max(.zero, end - start)
    }
}
