import Synchronization

@testable import Larkspur
@testable import LarkspurReachability

/// A source of reachability that a test speaks for.
final class StubReachabilitySource: ReachabilitySource {
    typealias Report = @Sendable (NetworkReachabilityStatus) -> Void

    private struct State {
        var reports: [Report] = []
        var targets: [ReachabilityTarget] = []
        var stops = 0
    }

    private let state = Mutex(State())
    private let reason: String?

    /// - Parameter reason: Why it does not tell. Default: nil, as it does.
    init(unavailable reason: String? = nil) { self.reason = reason }

    func watch(
        _ target: ReachabilityTarget,
        report: @escaping Report
    ) throws(ReachabilityUnavailable) -> @Sendable () -> Void {
        if let reason { throw ReachabilityUnavailable(reason: reason) }
        state.withLock { state in
            state.reports.append(report)
            state.targets.append(target)
        }
        return { [weak self] in self?.state.withLock { $0.stops += 1 } }
    }

    var targets: [ReachabilityTarget] { state.withLock { $0.targets } }
    var starts: Int { state.withLock { $0.reports.count } }
    var stops: Int { state.withLock { $0.stops } }

    /// Reports statuses to whom watches last, or to an earlier one.
    func report(_ statuses: NetworkReachabilityStatus..., to start: Int? = nil) {
        let reports = state.withLock { $0.reports }
        guard let report = start.map({ reports[$0] }) ?? reports.last else { return }
        for status in statuses { report(status) }
    }
}
