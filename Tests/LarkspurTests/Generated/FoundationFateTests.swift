#if canImport(FoundationNetworking)
import Foundation
import TestSupport
import Testing

@testable import Larkspur

/// The fate of FoundationNetworking's `URLSession` with generated responses, beside the fate of the engine's.
///
/// `LARKSPUR_FATE_CASES` is the number of cases, and `LARKSPUR_FATE_TABLE` the file for the table;
/// `Tests/Programs/foundation_fate.sh` sets both. `LARKSPUR_SEED` is the seed of the first case.
@Suite("Foundation beside the engine", .serialized, .timeLimit(.minutes(60)))
struct FoundationFateTests {
    private static let environment = ProcessInfo.processInfo.environment

    @Test(
        "The child process carries out the orders of its parent process",
        .enabled(if: environment[FateChild.variable] != nil)
    )
    func child() async throws { try await FateChild.runOrders() }

    @Test(
        "The parent process notices a child that ends or stops reporting",
        .enabled(if: environment[FateChild.variable] == nil)
    )
    func observation() async throws {
        let fates = try await FateChild(client: .abort, seed: 1).fates(count: 2)
        #expect(fates == [.endsProcess, .endsProcess])
        // A real wait takes a minute.
        if Self.environment["LARKSPUR_FATE_TABLE"] != nil {
            #expect(try await FateChild(client: .hang, seed: 1).fates(count: 1) == [.neverEnds])
        }
    }

    @Test(
        "The engine handles each response correctly, and each outcome of Foundation is counted",
        .enabled(if: environment[FateChild.variable] == nil)
    )
    func comparison() async throws {
        let count = Self.environment["LARKSPUR_FATE_CASES"].flatMap { Int($0) } ?? 30
        let seed = Self.environment["LARKSPUR_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...1_000_000_000)
        let engine = try await FateChild(client: .engine, seed: seed).fates(count: count)
        let foundation = try await FateChild(client: .foundation, seed: seed).fates(count: count)
        for (number, fate) in engine.enumerated() where fate != .right {
            Issue.record("LARKSPUR_SEED=\(seed &+ UInt64(number)) LARKSPUR_FATE_CASES=1: \(fate.title)")
        }
        #expect(engine.count == count && foundation.count == count)
        if let file = Self.environment["LARKSPUR_FATE_TABLE"] {
            let table = FateTable(seed: seed, engine: engine, foundation: foundation)
            try Data(table.text.utf8).write(to: URL(fileURLWithPath: file))
        }
    }
}

/// A table in Markdown: a row for each kind of deviation, and the numbers of its fates.
struct FateTable {
    private static let columns = Fate.allCases
    private var rows: [String: [Fate: Int]] = [:]
    private var engine: [String: Int] = [:]
    private let count: Int
    private let seed: UInt64

    init(seed: UInt64, engine: [Fate], foundation: [Fate]) {
        self.seed = seed
        count = foundation.count
        for (number, fate) in foundation.enumerated() {
            let row = FateCase(seed: seed, number: UInt64(number)).row
            rows[row, default: [:]][fate, default: 0] += 1
            if engine[number] == .right { self.engine[row, default: 0] += 1 }
        }
    }

    var text: String {
        var lines = [
            "\(count) generated responses over http, from seed \(seed).", "",
            "| response | tried | the engine: right | FoundationNetworking: "
                + Self.columns.map(\.title).joined(separator: " | ") + " |",
            "| --- |" + String(repeating: " --- |", count: Self.columns.count + 2),
        ]
        let last = "several of these"
        for name in rows.keys.filter({ $0 != last }).sorted() + [last] {
            if let row = rows[name] { lines.append(line(name, row, engine[name])) }
        }
        let sums = rows.values.reduce(into: [Fate: Int]()) { $0.merge($1, uniquingKeysWith: +) }
        lines.append(line("all", sums, engine.values.reduce(0, +)))
        return lines.joined(separator: "\n") + "\n"
    }

    private func line(_ name: String, _ row: [Fate: Int], _ engine: Int?) -> String {
        let numbers = [row.values.reduce(0, +), engine ?? 0] + Self.columns.map { row[$0] ?? 0 }
        return "| \(name) | " + numbers.map { $0 == 0 ? "–" : "\($0)" }.joined(separator: " | ") + " |"
    }
}
#endif
