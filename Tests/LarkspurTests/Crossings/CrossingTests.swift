#if canImport(FoundationNetworking)
import Foundation
import TestSupport
import Testing

/// Calls that combine two features of the client: kinds of bodies, connections, responses, ways to call, orders from
/// within, and what is around them.
///
/// LARKSPUR_CROSSINGS sets their number, LARKSPUR_SEED the random ones, and LARKSPUR_CROSSING gives choices that all of
/// them have, such as `body=writer size=large`. So a failure, which is printed with its choices, is repeated.
@Suite("Crossings", .timeLimit(.minutes(240)))
struct CrossingTests {
    private static let environment = ProcessInfo.processInfo.environment

    @Test("A call ends once, a success has exactly its content, and no connection has bytes of another call")
    func crossings() async throws {
        let text = Self.environment["LARKSPUR_CROSSING"] ?? ""
        let fixed = try #require(Crossing.fixedChoices(text), "\(text)")
        let count = Self.environment["LARKSPUR_CROSSINGS"].flatMap { Int($0) } ?? 200
        let available = try CrossingServers().choices.enumerated().map { axis, choices in
            fixed[axis].map { [$0] } ?? choices
        }
        let start = ContinuousClock.now
        // All pairs first, in a run that has room for them.
        let pairs = count < Self.countWithPairs ? [] : Self.pairs(available)
        var random = SeededGenerator()
        let crossings = (0..<count).map { number in
            number < pairs.count ? pairs[number] : Crossing(fixed: fixed, available, using: &random)
        }
        let child = CrossingChild(workers: 4, limit: 30, maximumFailures: Self.maximumFailures)
        for failure in try await child.failures(of: crossings) { try await report(failure) }
        guard Self.environment["LARKSPUR_CROSSINGS"] != nil else { return }
        let (covering, time) = (min(count, pairs.count), start.duration(to: .now))
        print("crossings: \(count), \(covering) of them for all pairs, from seed \(TestSeed.value), \(time)")
    }

    /// Performs the crossings of a child process.
    @Test(.enabled(if: environment[CrossingChild.variable] != nil))
    func child() async throws { try await CrossingChild.runOrders() }

    /// The number of crossings from which on a run begins with all pairs.
    private static let countWithPairs = 600
    private static let maximumFailures = environment["LARKSPUR_CROSSING_FAILURES"].flatMap { Int($0) } ?? 3

    private static func pairs(_ available: [[Int]]) -> [Crossing] {
        CoveringArray(available, isPossible: Crossing.isPossible).rows.map { Crossing(choices: $0) }
    }

    /// Finds the simplest crossing of a failure, and records it.
    private func report(_ failure: CrossingFailure) async throws {
        guard Self.environment["LARKSPUR_CROSSING_SHRINKS"] != "0" else {
            Issue.record("LARKSPUR_SEED=\(TestSeed.value): \(failure.crossing): \(failure.violations)")
            return
        }
        let kind = failure.kind
        let child = CrossingChild(workers: 1, limit: 8, maximumFailures: 1)
        let shrunk = try await failure.crossing.shrunk { simpler in
            // The order of the threads differs from try to try.
            try await child.failures(of: Array(repeating: simpler, count: 4)).contains { $0.kind == kind }
        }
        let again = try await child.failures(of: Array(repeating: shrunk, count: 10))
        let command = "LARKSPUR_CROSSINGS=10 LARKSPUR_CROSSING='\(shrunk.allChoices)' swift test --filter CrossingTests"
        let seen = again.first.map { "\($0.violations)" } ?? "not in ten further runs"
        Issue.record(
            """
            LARKSPUR_SEED=\(TestSeed.value): \(failure.crossing)
            \(failure.violations.joined(separator: "\n"))
            Shrunk to: \(shrunk): \(seen)
            \(command)
            """
        )
    }
}

extension CrossingFailure {
    /// The beginning of the first violation, which a simpler crossing has to have too.
    fileprivate var kind: String {
        let words = (violations.first ?? "").split(separator: " ")
        // Numbers differ from crossing to crossing.
        return words.filter { $0.rangeOfCharacter(from: .decimalDigits) == nil }.prefix(4).joined(separator: " ")
    }
}
#endif
