import Larkspur
import LarkspurRedis
import Synchronization

/// Sends requests from many tasks for some time, with a rate that several processes share.
struct RateScenario {
    private struct Report: Encodable {
        var succeeded = 0
        /// The number of failed calls with each error.
        var failures: [String: Int] = [:]
        /// The number of events that report the store.
        var events = 0
    }

    /// Counts the events that report the store.
    private final class EventCounter: CallObserver {
        let kinds: Set<CallEvent.Kind> = [.sharedStoreFailed]
        private let number = Mutex(0)

        var count: Int { number.withLock { $0 } }

        func observe(_ event: CallEvent) { number.withLock { $0 += 1 } }
    }

    private let arguments: Arguments
    private let manager: SessionManager
    private let counter = EventCounter()

    init(_ arguments: Arguments, _ store: RedisStore) {
        self.arguments = arguments
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = arguments.number("tasks")
        manager = SessionManager(baseURL: arguments.server, configuration: configuration)
        manager.observers.append(counter)
        manager.interceptors.attempt = [
            .rateLimit(
                arguments.number("rate"),
                burst: arguments.number("burst"),
                store: store,
                key: arguments["key"],
                shareWithoutStore: 1 / Double(arguments.number("processes"))
            )
        ]
    }

    func run() async throws {
        printLine("ready")
        _ = readLine()
        let end = ContinuousClock.now + .seconds(arguments.number("seconds"))
        let pause = Duration.microseconds(arguments.number("pause"))
        var report = await withTaskGroup(of: Report.self) { [manager] group in
            for _ in 0..<arguments.number("tasks") {
                group.addTask {
                    var report = Report()
                    while ContinuousClock.now < end {
                        let error = await manager.get("work").response().error
                        if let error { report.failures["\(error)", default: 0] += 1 } else { report.succeeded += 1 }
                        if pause > .zero { try? await Task.sleep(for: pause) }
                    }
                    return report
                }
            }
            return await group.reduce(into: Report()) { sum, part in
                sum.succeeded += part.succeeded
                sum.failures.merge(part.failures, uniquingKeysWith: +)
            }
        }
        report.events = counter.count
        try printJSON(report)
    }
}
