import LarkspurTesting
import LarkspurTransport
import Testing

@testable import Larkspur

/// Random sequences of everything that a program may do with a session manager and its calls, by three threads at once,
/// against a model of a call's life.
///
/// LARKSPUR_MODEL_RUNS sets the number of runs. The runs have the seeds from LARKSPUR_SEED on, so that a failing run
/// is the first one with its own seed.
@Suite("Random calls beside a model of their lifecycle", .serialized, .timeLimit(.minutes(60)))
struct CallModelTests {
    private static let setRuns = ProcessInfo.processInfo.environment["LARKSPUR_MODEL_RUNS"].flatMap { Int($0) }

    @Test(
        "Under any sequence of steps, each call ends once, as the model allows, and releases everything",
        arguments: backings
    )
    func sequences(_ backing: ModelRun.Backing) async throws {
        let folder = TemporaryFolder()
        let server = try ModelServer()
        let descriptors = Self.descriptorCount
        let runs = Self.setRuns ?? 60
        for number in 0..<runs {
            let seed = TestSeed.value &+ UInt64(number)
            var random = SeededGenerator(seed: seed)
            let operations = ModelOperation.sequence(using: &random)
            let run = { (operations: [ModelOperation], limit: Int) in
                await Self.violations(of: operations, seed, server, backing, folder.url, limit: .seconds(limit))
            }
            let violations = await run(operations, 180)
            if violations.isEmpty { continue }
            // The order of the threads differs from try to try.
            let smallest = await shrunk(operations) { candidate in
                for _ in 0..<20 where await !run(candidate, 4).isEmpty { return true }
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
        // Other tests of the process have descriptors, too, unless these are alone.
        guard Self.setRuns != nil else { return }
        print("\(runs) runs on \(backing), from \(TestSeed.variable)=\(TestSeed.value) on")
        try await eventually(in: ...(descriptors + 8)) { Self.descriptorCount }
    }

    private static let backings: [ModelRun.Backing] =
        TestTransport.allCases.contains(.curl) ? ModelRun.Backing.allCases : [.stub]

    private static var descriptorCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    private static func violations(
        of operations: [ModelOperation],
        _ seed: UInt64,
        _ server: ModelServer,
        _ backing: ModelRun.Backing,
        _ folder: URL,
        limit: Duration
    ) async -> [String] {
        let found = Recorder<[String]>()
        let run = ModelRun(operations, seed: seed, on: server, backing, folder, limit: limit)
        let seconds = Double(limit.components.seconds) * 4
        let hasEnded = await ends(within: seconds) {
            "\(TestSeed.variable)=\(seed) hangs after \(operations): \(run.description)"
        } _: {
            found.record(await run.violations())
        }
        server.forgetGates()
        return hasEnded ? found.values.flatMap(\.self) : ["The run hangs: \(run.description)"]
    }

    // MARK: The model

    private typealias Event = CallLife.Event

    @Test("The model allows the lifecycles that the documentation describes")
    func allowed() {
        var facts = CallLife.Facts()
        facts.handlers = [.content, .content]
        let end: [Event] = [
            .completed(.success), .handled(0, .success), .handled(1, .success), .notifiedCompletion(.success),
        ]
        let plain: [Event] = [.created, .resumed, .notifiedResumption, .attemptStarted, .attemptEnded]
        #expect(CallLife.violations(of: plain + end, facts) == [])
        let suspended: [Event] = [.suspended, .notifiedSuspension, .resumed, .notifiedResumption]
        #expect(CallLife.violations(of: plain + suspended + suspended + end, facts) == [])
        facts.mayBeCancelled = true
        let cancelled: [Event] = [
            .created, .cancelled, .completed(.cancelled), .handled(1, .cancelled), .handled(0, .cancelled),
            .notifiedCompletion(.cancelled),
        ]
        #expect(CallLife.violations(of: cancelled, facts) == [])
        facts.mayNeverStart = true
        facts.handlers = []
        #expect(CallLife.violations(of: [.created], facts) == [])
        facts.handlers = [.consumer]
        let refused: [Event] = [.created, .handled(0, CallLife.Outcome(code: .unsupported))]
        #expect(CallLife.violations(of: refused, facts) == [])
    }

    @Test(
        "The model rejects each other lifecycle",
        arguments: [
            // Completed twice, or not at all.
            [.created, .resumed, .completed(.success), .completed(.success), .handled(0, .success)],
            [.created, .resumed],
            // A handler that runs twice, early, or with another outcome.
            [.created, .resumed, .completed(.success), .handled(0, .success), .handled(0, .success)],
            [.created, .resumed, .handled(0, .success), .completed(.success)],
            [.created, .resumed, .completed(.success), .handled(0, .cancelled)],
            [.created, .resumed, .completed(.success)],
            // Changes that do not follow each other.
            [.created, .resumed, .resumed, .completed(.success), .handled(0, .success)],
            [.created, .suspended, .resumed, .completed(.success), .handled(0, .success)],
            [.created, .resumed, .cancelled, .suspended, .completed(.cancelled), .handled(0, .cancelled)],
            [.resumed, .completed(.success), .handled(0, .success)],
            [.created, .completed(.success), .handled(0, .success)],
            // Success after a cancellation.
            [.created, .resumed, .cancelled, .completed(.success), .handled(0, .success)],
            // Two attempts at once, or one before the start.
            [.created, .resumed, .attemptStarted, .attemptStarted, .completed(.success), .handled(0, .success)],
            [.created, .attemptStarted, .resumed, .completed(.success), .handled(0, .success)],
            // An outcome without a cause.
            [
                .created, .resumed, .completed(CallLife.Outcome(code: .connectionLost)),
                .handled(0, CallLife.Outcome(code: .connectionLost)),
            ],
        ] as [[CallLife.Event]]
    )
    func forbidden(_ life: [CallLife.Event]) {
        var facts = CallLife.Facts()
        (facts.isNotified, facts.mayBeCancelled, facts.handlers) = (false, true, [.content])
        #expect(!CallLife.violations(of: life, facts).isEmpty)
    }

    @Test("A failing sequence shrinks to the steps that it needs")
    func shrinking() async {
        let smallest = await shrunk(Array(0..<40)) { $0.contains(7) && $0.contains(23) }
        #expect(smallest == [7, 23])
    }
}
