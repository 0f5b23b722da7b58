#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import Larkspur

/// Responses from a grammar, with deviations from HTTP, in every way of making a call.
///
/// The number of cases is `LARKSPUR_GENERATED_CASES`. The seed of the first case is `LARKSPUR_SEED`, and each further
/// case adds 1. So a case that fails is repeated with its seed and one case.
@Suite("Generated responses", .timeLimit(.minutes(60)))
struct GeneratedResponseTests {
    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    private static let requestedCount = number("LARKSPUR_GENERATED_CASES")

    @Test("Every outcome is one that the grammar permits, and the next request succeeds")
    func outcomes() async throws {
        let seed = UInt64(clamping: Self.number("LARKSPUR_SEED") ?? Int.random(in: 1...1_000_000_000))
        let count = Self.requestedCount ?? 400
        let server = try GeneratedServer()
        let run = try GeneratedRun(server)
        let progress = Progress(seed: seed, count: count, allowsTLS: server.certificate != nil)
        let usage = ProcessUsage()
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Several calls at a time share the session and its connections.
            for _ in 0..<8 {
                group.addTask {
                    while let generated = progress.next() {
                        let violations = try await run.violations(of: generated)
                        if !violations.isEmpty { progress.note(violations, of: generated) }
                    }
                }
            }
            try await group.waitForAll()
        }
        for (generated, violations) in progress.failures { try await report(generated, violations, run) }
        try await run.finish()
        #expect(run.callsOfOtherEnds.isEmpty, "LARKSPUR_SEED=\(seed)")
        server.stop()
        // No connection of the session is left, on either side.
        try await eventually(0) { ProcessUsage.socketCount { server.owns(port: $0) } }
        if Self.requestedCount != nil {
            print("generated responses: \(count) cases from seed \(seed), \(usage.description(cases: count))")
            #expect(usage.growth < 200 << 20, "LARKSPUR_SEED=\(seed): the memory has grown by \(usage.growth) bytes")
        }
    }

    /// The cases that are left, and those that have failed.
    private final class Progress: Sendable {
        private struct State {
            var index: UInt64 = 0
            var failures: [(case: GeneratedCase, violations: [String])] = []
        }

        private let seed: UInt64
        private let count: Int
        private let allowsTLS: Bool
        private let state = Mutex(State())

        init(seed: UInt64, count: Int, allowsTLS: Bool) {
            self.seed = seed
            self.count = count
            self.allowsTLS = allowsTLS
        }

        var failures: [(case: GeneratedCase, violations: [String])] { state.withLock { $0.failures } }

        /// The next case; nil at the end. A few failures say enough.
        func next() -> GeneratedCase? {
            let index: UInt64? = state.withLock { state in
                guard state.index < count, state.failures.count < 3 else { return nil }
                state.index += 1
                return state.index - 1
            }
            return index.map { GeneratedCase(seed: seed &+ $0, allowsTLS: allowsTLS) }
        }

        func note(_ violations: [String], of generated: GeneratedCase) {
            state.withLock { $0.failures.append((generated, violations)) }
        }
    }

    /// Finds the simplest case of a failure, and records it.
    private func report(_ generated: GeneratedCase, _ first: [String], _ run: GeneratedRun) async throws {
        let shrunk = try await generated.shrunk { simpler in
            // Segments and resets arrive differently each time.
            var violations: [String] = []
            for _ in 0..<3 where violations.isEmpty { violations = try await run.violations(of: simpler) }
            return !violations.isEmpty
        }
        var violations: [String] = []
        for _ in 0..<10 where violations.isEmpty { violations = try await run.violations(of: shrunk) }
        Issue.record(
            """
            LARKSPUR_SEED=\(generated.seed) LARKSPUR_GENERATED_CASES=1 repeats this case: \
            \(violations.isEmpty ? ["not in ten further runs"] : violations)
            \(shrunk)
            It was at first: \(first)
            \(generated)
            """
        )
    }
}
#endif
