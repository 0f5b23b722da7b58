import Larkspur

/// The latencies of repeated requests, and their table.
struct LatencySummary: Equatable, Sendable {
    private(set) var latencies: [Duration] = []
    private(set) var errors = 0
    /// The number of responses for each status.
    private(set) var statuses: [Int: Int] = [:]

    mutating func add(_ latency: Duration, status: Int) {
        latencies.append(latency)
        statuses[status, default: 0] += 1
    }

    mutating func addError() { errors += 1 }

    /// Returns the smallest latency that a fraction of the responses does not exceed (the nearest rank); nil if there
    /// are no responses.
    static func percentile(_ fraction: Double, of sorted: [Duration]) -> Duration? {
        guard !sorted.isEmpty else { return nil }
        let rank = Int((fraction * Double(sorted.count)).rounded(.up))
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }

    /// Returns the table.
    /// - Parameter elapsed: The time from the first request to the last response.
    func table(elapsed: Duration) -> String {
        let sorted = latencies.sorted()
        let mean = sorted.isEmpty ? nil : sorted.reduce(.zero, +) / sorted.count
        let rate = elapsed > .zero ? Double(latencies.count) / (elapsed / .seconds(1)) : 0
        let times: [(String, Duration?)] = [
            ("min", sorted.first), ("mean", mean), ("p50", Self.percentile(0.5, of: sorted)),
            ("p90", Self.percentile(0.9, of: sorted)), ("p99", Self.percentile(0.99, of: sorted)),
            ("max", sorted.last),
        ]
        var rows = [["requests", String(latencies.count + errors)], ["errors", String(errors)]]
        rows += statuses.sorted { $0.key < $1.key }.map { ["status \($0.key)", String($0.value)] }
        rows.append(["requests/s", rate.decimal(digits: 1)])
        rows += times.map { ["\($0.0) ms", TableText.milliseconds($0.1)] }
        return TableText.text(rows)
    }
}
