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

    @Test("Every outcome is permitted by the grammar, and the next request succeeds")
    func outcomes() async throws {
        let seed = UInt64(clamping: Self.number("LARKSPUR_SEED") ?? Int.random(in: 1...1_000_000_000))
        let count = Self.requestedCount ?? 400
        let server = try GeneratedServer()
        let run = try GeneratedRun(server)
        // The session is warm after these, so that they measure a machine.
        let usual = try await run.timeOfUsualRequests(200)
        var failures: [(case: GeneratedCase, violations: [String])] = []
        var (growth, lastingGrowth) = (0, 0)
        let usage = ProcessUsage()
        for part in [0..<(count / 2), (count / 2)..<count] where failures.isEmpty {
            let usage = ProcessUsage()
            let seeds = part.map { seed &+ UInt64($0) }
            failures = try await perform(seeds, run)
            (growth, lastingGrowth) = (usage.growth, usage.lastingGrowth)
        }
        let time = usage.time / Double(max(1, count))
        for (generated, violations) in failures { try await report(generated, violations, run) }
        try await run.finish()
        #expect(run.callsOfOtherEnds.isEmpty, "LARKSPUR_SEED=\(seed)")
        #expect(try run.partialFiles.isEmpty, "LARKSPUR_SEED=\(seed)")
        server.stop()
        // No connection of the session is left, on either side.
        try await eventually(0) { ProcessUsage.socketCount { server.owns(port: $0) } }
        // Other tests would be measured too.
        guard Self.requestedCount != nil, count >= 1_000 else { return }
        print(
            "generated responses: \(count) from seed \(seed), \(usage.seconds) s; CPU time: \(Int(time * 1e6)) µs a case,",
            "\(Int(usual * 1e6)) µs a usual request; memory in the second half: \(growth >> 20) MiB more at most,",
            "\(lastingGrowth >> 20) MiB at its end"
        )
        // Eight calls at a time, with responses of up to 150 KB, or of 10 MB until the client has had enough. What the
        // allocator keeps for later grows with the number of cases.
        #expect(growth < 160 << 20 + count << 13, "LARKSPUR_SEED=\(seed)")
        #expect(time < usual * 30, "LARKSPUR_SEED=\(seed)")
    }

    /// Runs cases, several at a time on one session. Returns those that have failed.
    private func perform(
        _ seeds: [UInt64],
        _ run: GeneratedRun
    ) async throws -> [(case: GeneratedCase, violations: [String])] {
        let progress = Progress(seeds: seeds, allowsTLS: run.server.certificate != nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
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
        return progress.failures
    }

    /// The cases that are left, and those that have failed.
    private final class Progress: Sendable {
        private struct State {
            var index = 0
            var failures: [(case: GeneratedCase, violations: [String])] = []
        }

        private let seeds: [UInt64]
        private let allowsTLS: Bool
        private let state = Mutex(State())

        init(seeds: [UInt64], allowsTLS: Bool) {
            self.seeds = seeds
            self.allowsTLS = allowsTLS
        }

        var failures: [(case: GeneratedCase, violations: [String])] { state.withLock { $0.failures } }

        /// The next case; nil at the end. A few failures say enough.
        func next() -> GeneratedCase? {
            let index: Int? = state.withLock { state in
                guard state.index < seeds.count, state.failures.count < 3 else { return nil }
                state.index += 1
                return state.index - 1
            }
            return index.map { GeneratedCase(seed: seeds[$0], allowsTLS: allowsTLS) }
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
