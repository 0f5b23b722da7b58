import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import Larkspur

/// Random calls, logins and logouts of several processes whose ways to the store fail at random, and whose refreshes
/// fail at random.
///
/// LARKSPUR_MODEL_RUNS sets the number of runs. The runs have the seeds from LARKSPUR_SEED on.
@Suite("Random processes that share a credential", .timeLimit(.minutes(60)))
struct SharedCredentialModelTests {
    private static let runs =
        ProcessInfo.processInfo.environment["LARKSPUR_MODEL_RUNS"].flatMap { Int($0) }.map { max($0 / 10, 1) } ?? 30

    @Test("No token is refreshed twice, each call ends, and a new login works for all processes", .seeded)
    func randomProcesses() async throws {
        for number in 0..<Self.runs {
            let violations = try await SharedCredentialRun(seed: TestSeed.value &+ UInt64(number)).violations()
            #expect(violations.isEmpty, "\(TestSeed.variable)=\(TestSeed.value &+ UInt64(number))")
            if !violations.isEmpty { return }
        }
    }
}

/// One run of the model.
final class SharedCredentialRun: Sendable {
    private let random: Mutex<SeededGenerator>
    private let base = InMemorySharedStore(clock: FastClock())
    private let server = SingleUseServer()
    private let isCalm = Mutex(false)
    private let found = Recorder<String>()
    /// The probability that a step of the store fails.
    private let losses: Double

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        losses = [0, 0.02, 0.1, 0.3].randomElement(using: &generator) ?? 0
        random = Mutex(generator)
    }

    func violations() async throws -> [String] {
        let count = draw(2...5)
        let processes = try (0..<count).map { number in
            let process = try SharingProcess(number == 0 ? server.newest : nil, base, server, tokens)
            process.store.setFault { [self] _ in fault() }
            return process
        }
        await withTaskGroup(of: Void.self) { group in
            for process in processes {
                group.addTask { [self] in
                    for _ in 0..<40 { await act(process) }
                }
            }
        }
        // Now nothing fails any more.
        isCalm.withLock { $0 = true }
        try await processes[0].login.setCredential(server.login())
        for (number, process) in processes.enumerated() {
            // A login of another process that was not stored yet may come in between.
            try await eventually(200) { () -> Int? in
                try await processes[0].login.setCredential(server.login())
                return try await process.call()
            }
            if process.login.credential != server.newest { found.record("\(number) has an old credential") }
        }
        if !server.reused.isEmpty { found.record("reused: \(server.reused)") }
        return found.values
    }

    private func act(_ process: SharingProcess) async {
        switch draw(0...19) {
        case 0: process.login.credential = server.login()
        case 1: process.login.credential = nil
        case 2: try? await process.login.setCredential(server.login())
        case 3...6: server.revoke()
        default:
            do {
                let status = try await process.call()
                if status != 200, status != 401 { found.record("status \(String(describing: status))") }
            } catch {
                let code = (error as? LarkspurError)?.code
                if code != .credentialRefreshFailed, code != .sharedStoreUnavailable { found.record("\(error)") }
            }
        }
    }

    private var tokens: NumberedTokens {
        NumberedTokens { [self] token in
            switch isCalm.withLock({ $0 }) ? 9 : draw(0...9) {
            case 0: throw LarkspurError(.cannotFindHost, "no connection")
            case 1: throw LarkspurError(.timedOut, "lost before the server")
            case 2:
                _ = server.refresh(token)
                throw LarkspurError(.connectionLost, "lost after the server")
            default: return server.refresh(token)
            }
        }
    }

    private func fault() -> InMemorySharedStore.Fault? {
        guard !isCalm.withLock({ $0 }), draw(0...999) < Int(losses * 1000) else { return nil }
        return draw(0...1) == 0 ? .failed(URLError(.timedOut)) : .lost(URLError(.networkConnectionLost))
    }

    private func draw(_ range: ClosedRange<Int>) -> Int {
        random.withLock { Int.random(in: range, using: &$0) }
    }
}
