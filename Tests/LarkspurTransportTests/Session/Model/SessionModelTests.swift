#if canImport(FoundationNetworking)
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurTransport

/// Random sequences of everything that a program may do with a session and its tasks, by three threads at once, against
/// a model of a task's life.
///
/// LARKSPUR_MODEL_RUNS sets the number of runs. The runs have the seeds from LARKSPUR_SEED on, so that a failing run
/// is the first one with its own seed.
@Suite("Sessions beside a model of a task's life", .serialized, .timeLimit(.minutes(60)))
struct SessionModelTests {
    private static let setRuns = ProcessInfo.processInfo.environment["LARKSPUR_MODEL_RUNS"].flatMap { Int($0) }

    @Test("After any random operations on a session, each task has ended once, and no connection is left")
    func sequences() async throws {
        let folder = try DownloadFolder()
        let server = try SessionModelServer()
        let runs = Self.setRuns ?? 60
        for number in 0..<runs {
            let seed = TestSeed.value &+ UInt64(number)
            var random = SeededGenerator(seed: seed)
            let operations = SessionOperation.sequence(using: &random)
            let violations = await Self.violations(of: operations, seed, server, folder, limit: 180)
            if violations.isEmpty { continue }
            // The order of the threads differs from try to try.
            let smallest = await shrunk(operations) { candidate in
                for _ in 0..<20
                where await !Self.violations(of: candidate, seed, server, folder, limit: 4).isEmpty { return true }
                return false
            }
            Issue.record(
                """
                \(TestSeed.variable)=\(seed) LARKSPUR_MODEL_RUNS=1: \(violations.joined(separator: "\n"))
                Operations: \(operations)
                Shrunk to: \(smallest)
                """
            )
            return
        }
        if Self.setRuns != nil { print("\(runs) runs, from \(TestSeed.variable)=\(TestSeed.value) on") }
        try await eventually([]) { folder.files }
    }

    private static func violations(
        of operations: [SessionOperation],
        _ seed: UInt64,
        _ server: SessionModelServer,
        _ folder: DownloadFolder,
        limit: Int
    ) async -> [String] {
        let run = SessionModelRun(operations, on: server, folder, limit: .seconds(limit))
        let found = Recorder<[String]>()
        let hasEnded = await ends(within: Double(limit) * 4) {
            "\(TestSeed.variable)=\(seed) hangs after \(operations): \(run.description)"
        } _: {
            found.record(await run.violations())
        }
        return hasEnded ? found.values.flatMap(\.self) : ["The run hangs: \(run.description)"]
    }

    @Test(
        "The model rejects a task's life that URLSession does not have",
        arguments: [
            [], [.completed(.success), .completed(.success)], [.handled(.success)],
            [.response, .response, .completed(.success)], [.data, .completed(.success)], [.completed(.failure)],
            [.response, .completed(.success), .data], [.file, .completed(.success)],
            [.response, .metrics, .data, .completed(.success)], [.completed(.cancelled)],
        ] as [[TaskLife.Event]]
    )
    func forbidden(_ life: [TaskLife.Event]) {
        let facts = TaskLife.Facts(hasHandler: false, isDownload: false)
        #expect(!TaskLife.violations(of: life, facts).isEmpty)
        let usual: [TaskLife.Event] = [.response, .data, .data, .metrics, .completed(.success)]
        #expect(TaskLife.violations(of: usual, facts) == [])
    }
}
#endif
