#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import TestSupport
import Testing

@testable import LarkspurTransport

/// Thousands of tasks that end together while they wait: the cost grows with their number.
@Suite("Costs of ending many tasks", .enabled(if: Growth.isMeasured), .serialized, .timeLimit(.minutes(5)))
struct CancellationCostTests {
    /// The place where the tasks wait.
    enum Wait: CaseIterable {
        case place, oneName, manyNames

        var needsResolver: Bool { self != .place }
    }

    /// A number of tasks of one engine, none of which can begin.
    private final class Crowd {
        let engine: TestEngine
        let tasks: [TaskCore]

        init(of count: Int, waitingFor wait: Wait) {
            var options = EngineOptions()
            if wait.needsResolver {
                options.resolver = { _ in
                    for await _ in AsyncStream<Void>.makeStream().stream {}
                    throw CancellationError()
                }
            }
            let engine = TestEngine(
                .testing {
                    $0.urlCache = nil
                    $0.httpMaximumConnectionsPerHost = 1
                },
                options: options
            )
            if wait == .place {
                engine.exchanges.connections.queue(of: Destination(URL(string: "http://origin.test/")))
                    .enqueue(FakeConnectionUser(0), priority: 1)
            }
            self.engine = engine
            tasks = (0..<count).compactMap {
                try? engine.makeTask(url: "http://\(wait == .manyNames ? "h\($0)." : "")origin.test/")
            }
        }

        /// Begins all tasks. May be called again after all have ended.
        func begin() {
            engine.exchanges.now = .now
            for task in tasks { engine.exchanges.begin(task) }
        }

        func expectEnd() {
            engine.outbox.send()
            #expect(engine.exchanges.isEmpty)
        }
    }

    @Test(
        "The cost of cancelling tasks is linear, in order and in reverse order",
        arguments: Wait.allCases,
        [false, true]
    )
    func cancellation(wait: Wait, isReversed: Bool) {
        let crowds = { Crowd(of: $0, waitingFor: wait) }
        let growth = Growth.factor(of: crowds, upTo: 1 << 12) { crowd in
            crowd.begin()
            for task in isReversed ? crowd.tasks.reversed() : crowd.tasks {
                crowd.engine.exchanges[task]?.end(.failure(URLError(.cancelled)))
            }
            crowd.expectEnd()
        }
        #expect(growth < Growth.linear)
    }

    @Test("The cost of the tasks' time limit is linear", arguments: Wait.allCases)
    func expiry(wait: Wait) {
        let crowds = { Crowd(of: $0, waitingFor: wait) }
        let growth = Growth.factor(of: crowds, upTo: 1 << 12) { crowd in
            crowd.begin()
            // Those that wait for a place report it.
            crowd.engine.exchanges.now = crowd.engine.exchanges.now.adding(2)
            crowd.engine.exchanges.expireDue()
            crowd.engine.exchanges.now = .distantFuture
            crowd.engine.exchanges.expireDue()
            crowd.expectEnd()
        }
        #expect(growth < Growth.linear)
    }
}
#endif
