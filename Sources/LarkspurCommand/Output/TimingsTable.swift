import HTTPSyntax
import Larkspur

/// The table with the phases of each request of an exchange, in milliseconds, and the properties of its TLS.
enum TimingsTable {
    private static let columns = ["status", "look-up", "connect", "TLS", "send", "wait", "content", "total"]

    /// Returns the table. Each request has a line, including redirects and authentication. A long URL is cut, so that
    /// the line fits into the width of tables.
    static func text(_ transactions: [TransactionMetrics]) -> String {
        guard !transactions.isEmpty else { return "The transport reports no times.\n" }
        let rows = transactions.map { metrics in
            let method = metrics.request.httpMethod ?? "GET"
            let status = metrics.response.map { String($0.statusCode) } ?? "-"
            return (
                request: "\(method) \(TerminalText.line(metrics.request.url?.absoluteString ?? ""))",
                numbers: [status] + phases(metrics).map(TableText.milliseconds)
            )
        }
        let numbers = TableText.text([[""] + columns] + rows.map { [""] + $0.numbers })
        let room = max(10, TableText.width - String(numbers.before("\n")).columns)
        let table = TableText.text(
            [["ms"] + columns] + rows.map { [TableText.cut($0.request, to: room)] + $0.numbers }
        )
        return table + tlsLines(transactions)
    }

    /// The version, cipher suite and group of each kind of TLS connection that was used.
    private static func tlsLines(_ transactions: [TransactionMetrics]) -> String {
        var lines: [String] = []
        for metrics in transactions {
            let parts = [metrics.tlsVersion, metrics.tlsCipherSuite, metrics.tlsKeyExchangeGroup].compactMap(\.self)
            let line = "TLS: \(parts.joined(separator: ", "))\n"
            if !parts.isEmpty, !lines.contains(where: { $0 == line }) { lines.append(line) }
        }
        return lines.joined()
    }

    /// Returns the durations of the phases. The metrics have the times at which the phases end.
    static func phases(_ metrics: TransactionMetrics) -> [Duration?] {
        let connected = metrics.secureConnectEnd ?? metrics.connectEnd
        return [
            metrics.nameLookupEnd,
            difference(metrics.nameLookupEnd, metrics.connectEnd),
            difference(metrics.connectEnd, metrics.secureConnectEnd),
            metrics.requestStart.map { max(.zero, $0 - (connected ?? .zero)) },
            difference(metrics.requestStart, metrics.responseStart),
            difference(metrics.responseStart, metrics.responseEnd),
            metrics.responseEnd,
        ]
    }

    private static func difference(_ start: Duration?, _ end: Duration?) -> Duration? {
        guard let start, let end else { return nil }
        return max(.zero, end - start)
    }
}
