#if canImport(FoundationNetworking)
import Foundation
import Synchronization
import TestSupport

/// A crossing that has failed.
struct CrossingFailure: Sendable {
    let crossing: Crossing
    let violations: [String]
}

/// Performs crossings in child processes, so that one that ends its process is named, and the others go on.
struct CrossingChild: Sendable {
    /// The variable with the path of the child's orders: a line with the numbers of workers, seconds and failures, and
    /// a line for each crossing.
    static let variable = "LARKSPUR_CROSSING_CHILD"

    /// The number of crossings at once.
    let workers: Int
    /// The seconds after which a crossing that has not ended is a failure.
    let limit: Int
    /// The number of failures after which no other crossing begins.
    let maximumFailures: Int

    // MARK: In the child

    /// Carries out the orders of the environment.
    static func runOrders() async throws {
        guard let path = ProcessInfo.processInfo.environment[variable] else { return }
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        let numbers = (lines.first ?? "").split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 3 else { return }
        let servers = try CrossingServers()
        let folder = TemporaryFolder()
        let (lastLine, failures) = (Counter(), Counter())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<numbers[0] {
                group.addTask {
                    while failures.count < numbers[2], case let line = lastLine.next(), line < lines.count,
                        let crossing = Crossing(lines[line])
                    {
                        TestChild.report("begins \(line)")
                        let violations = await violations(of: crossing, servers, folder.url, limit: Double(numbers[1]))
                        if !violations.isEmpty { _ = failures.next() }
                        let data = (try? JSONEncoder().encode(violations)) ?? Data()
                        TestChild.report("ends \(line) \(String(decoding: data, as: UTF8.self))")
                    }
                }
            }
        }
        // What has not ended may keep the process from its end.
        _ = consume folder
        _exit(0)
    }

    private static func violations(
        of crossing: Crossing,
        _ servers: CrossingServers,
        _ folder: URL,
        limit: Double
    ) async -> [String] {
        do {
            return try await CrossingRun(crossing, on: servers, in: folder).violations(limit: limit)
        } catch {
            return ["the crossing itself: \(error)"]
        }
    }

    /// A number that threads count up.
    private final class Counter: Sendable {
        private let value = Atomic(0)

        var count: Int { value.load(ordering: .relaxed) }

        func next() -> Int { value.add(1, ordering: .relaxed).newValue }
    }

    // MARK: In the parent

    /// The crossings of the child that have begun, and the failures.
    private struct Progress {
        var begun: Set<Int> = []
        var ended: Set<Int> = []
        var failures: [CrossingFailure] = []
    }

    /// Performs crossings, and returns those that have failed.
    /// - Parameter ended: Called with the number of crossings that have ended since the last call.
    func failures(of crossings: [Crossing]) async throws -> [CrossingFailure] {
        var failures: [CrossingFailure] = []
        var left = crossings
        while !left.isEmpty, failures.count < maximumFailures {
            let (progress, end) = try await run(left)
            failures += progress.failures
            let suspects = progress.begun.subtracting(progress.ended).sorted().map { left[$0] }
            // A child that cannot even begin would be started forever.
            guard !progress.begun.isEmpty else { throw CocoaError(.executableLoad) }
            if suspects.count == 1, end != .exit || left.count == 1 {
                failures.append(CrossingFailure(crossing: suspects[0], violations: ["ends the process: \(end)"]))
            } else if !suspects.isEmpty {
                // One of them has ended the process.
                let alone = CrossingChild(workers: 1, limit: limit, maximumFailures: 1)
                var hasFailed = false
                for suspect in suspects {
                    let found = try await alone.failures(of: Array(repeating: suspect, count: 8))
                    hasFailed = hasFailed || !found.isEmpty
                    failures += found
                }
                if !hasFailed {
                    let together = ["one of \(suspects.count) crossings at once ends the process, \(end): \(suspects)"]
                    failures.append(CrossingFailure(crossing: suspects[0], violations: together))
                }
            }
            if failures.count >= maximumFailures { break }
            left = left.indices.filter { !progress.begun.contains($0) }.map { left[$0] }
        }
        return failures
    }

    private func run(_ crossings: [Crossing]) async throws -> (Progress, TestChild.End) {
        let folder = TemporaryFolder()
        let lines = ["\(workers) \(limit) \(maximumFailures)"] + crossings.map(\.description)
        let orders = try folder.file("orders", Data(lines.joined(separator: "\n").utf8))
        let progress = Mutex(Progress())
        let child = TestChild(
            "CrossingTests/child",
            environment: [Self.variable: orders.path],
            limit: Int32(limit + 60) * 1_000
        )
        let end = try await child.run { report in
            let words = report.split(separator: " ", maxSplits: 2)
            guard words.count > 1, let line = Int(words[1]) else { return }
            progress.withLock { progress in
                guard words[0] == "ends" else { progress.begun.insert(line - 1); return }
                progress.ended.insert(line - 1)
                let violations =
                    words.count > 2 ? try? JSONDecoder().decode([String].self, from: Data(words[2].utf8)) : nil
                guard let violations, !violations.isEmpty else { return }
                progress.failures.append(CrossingFailure(crossing: crossings[line - 1], violations: violations))
            }
        }
        return (progress.withLock { $0 }, end)
    }
}
#endif
