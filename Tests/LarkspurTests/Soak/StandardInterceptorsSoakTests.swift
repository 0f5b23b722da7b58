#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import Larkspur

/// The number of the many calls; 0 if it is not set.
private let soakCallCount = ProcessInfo.processInfo.environment["LARKSPUR_STANDARD_CALLS"].flatMap { Int($0) } ?? 0

/// The standard interceptors in real time, with servers that are healthy, slow, dead or partly failing. Prints a table
/// of the calls, their attempts, their time and their results, and then compares the first of many calls with the last
/// ones.
///
/// Runs only if LARKSPUR_STANDARD_CALLS sets the number of the many calls.
@Suite(
    "The standard interceptors with many calls",
    .serialized,
    .timeLimit(.minutes(60)),
    .enabled(if: soakCallCount > 0)
)
struct StandardInterceptorsSoakTests {
    private struct Row {
        var results: [String: Int] = [:]
        var longest = Duration.zero
    }

    private final class Tally: Sendable {
        let attempts = Mutex(0)
        let row = Mutex(Row())
    }

    private let server: LoopbackServer
    private let manager: SessionManager

    init() throws {
        server = try LoopbackServer()
        manager = SessionManager(baseURL: server.baseURL, transport: .curl)
        manager.reportsUnhandledFailures = false
        manager.interceptors = .standard()
    }

    @Test("Each state of a server has the result that its limits promise")
    func states() async throws {
        let gate = LoopbackServer.Gate()
        let down = Atomic(false)
        server.route("/ok") { _ in .text("done") }
        server.route("/slow") { _ in .text("late").held(until: gate) }
        server.route("/third") { _ in Int.random(in: 0..<10) < 3 ? .status(503) : .text("done") }
        server.route("/restarting") { _ in down.load(ordering: .relaxed) ? .fault(.closeBeforeHeader) : .text("done") }

        let healthy = try await row("healthy", calls: 2000, atOnce: 20, to: "ok")
        #expect(healthy.results == ["200": 2000])
        let slow = try await row("silent", calls: 20, atOnce: 20, to: "slow")
        #expect(slow.results == ["timed-out": 20] && slow.longest < .seconds(32))
        gate.open()
        let refusing = try await row("refuses connections", calls: 20, atOnce: 20, to: "http://127.0.0.1:9/")
        #expect(refusing.results == ["cannot-connect-to-host": 20] && refusing.longest < .seconds(16))
        let failing = try await row("30 % have status 503", calls: 5000, atOnce: 20, to: "third")
        #expect((failing.results["circuit-open"] ?? 0) > 0)
        try await Task.sleep(for: .seconds(36))

        let times = Task {
            try await Task.sleep(for: .seconds(5))
            down.store(true, ordering: .relaxed)
            try await Task.sleep(for: .seconds(10))
            down.store(false, ordering: .relaxed)
        }
        let restarting = try await row(
            "dead for 10 of 30 s",
            calls: 1500,
            atOnce: 1500,
            every: .milliseconds(20),
            to: "restarting"
        )
        try await times.value
        #expect((restarting.results["200"] ?? 0) > 900)
    }

    @Test("The last of many calls cost as much as the first calls")
    func flatness() async throws {
        server.route("/mostly") { _ in Int.random(in: 0..<1000) < 5 ? .status(503) : .text("done") }
        var tenths: [(cost: Double, memory: Int, resident: Int)] = []
        for _ in 0..<10 {
            let start = ProcessUsage.cpuTime
            _ = try await row("0.5 % have status 503", calls: soakCallCount / 10, atOnce: 32, to: "mostly")
            let cost = (ProcessUsage.cpuTime - start) / Double(soakCallCount / 10)
            server.clearRequests()
            tenths.append((cost, try #require(ProcessUsage.allocatedMemory), ProcessUsage.trimmedMemory))
        }
        let texts = tenths.map {
            String(format: "%.0f µs, %d of %d KiB", $0.cost * 1e6, $0.memory >> 10, $0.resident >> 10)
        }
        print("standard | a tenth of the calls each | \(texts.joined(separator: " | "))")
        #expect(tenths[9].cost <= tenths[1].cost * 1.5)
        // The allocator keeps more and more pages for the same objects, so the resident memory is only printed.
        #expect(tenths[9].memory <= tenths[1].memory + (1 << 20))
    }

    /// Makes calls, and prints their results.
    private func row(
        _ name: String,
        calls: Int,
        atOnce: Int,
        every interval: Duration = .zero,
        to path: String
    ) async throws -> Row {
        let tally = Tally()
        let clock = ContinuousClock()
        let start = clock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<calls {
                if number >= atOnce { try await group.next() }
                // The server keeps its requests until then.
                if number.isMultiple(of: 500) { server.clearRequests() }
                if interval > .zero { try await clock.sleep(until: start.advanced(by: interval * number)) }
                group.addTask {
                    let begin = clock.now
                    let response = await manager.get(path)
                        .observe([.attemptStarted]) { _ in tally.attempts.withLock { $0 += 1 } }
                        .response()
                    let time = begin.duration(to: clock.now)
                    let result = response.error.map { $0.statusCode.map(String.init) ?? $0.code.label } ?? "200"
                    tally.row.withLock { row in
                        row.results[result, default: 0] += 1
                        row.longest = max(row.longest, time)
                    }
                }
            }
            try await group.waitForAll()
        }
        let result = tally.row.withLock { $0 }
        let results = result.results.sorted { $0.value > $1.value }.map { "\($0.value) \($0.key)" }
        let seconds = { (duration: Duration) in String(format: "%.1f s", duration.timeInterval) }
        print(
            "standard | \(name) | \(calls) calls | \(tally.attempts.withLock { $0 }) attempts | "
                + "\(seconds(start.duration(to: clock.now))), the longest \(seconds(result.longest)) | "
                + results.joined(separator: ", ")
        )
        return result
    }
}
#endif
