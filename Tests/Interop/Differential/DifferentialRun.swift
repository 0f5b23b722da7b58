#if canImport(FoundationNetworking)
import Foundation
import TestSupport
import Testing

/// A comparison with others on thousands of random cases, which a script makes or reads in one run.
///
/// `LARKSPUR_SEED` sets the seed, and `LARKSPUR_DIFFERENTIAL_CASES` the number of cases.
struct DifferentialRun {
    /// The number of differences without a reason that are printed.
    private static let printedLimit = 10

    private let subject: String
    private(set) var agreed = 0
    /// The permitted differences by their reasons.
    private var reasons: [String: Int] = [:]
    private var unexplained = 0

    init(_ subject: String) { self.subject = subject }

    /// The number of cases that the environment sets.
    static let number = ProcessInfo.processInfo.environment["LARKSPUR_DIFFERENTIAL_CASES"].flatMap { Int($0) }

    static func count(_ standard: Int) -> Int { number ?? standard }

    /// The cases that a script makes of the run's seed.
    static func cases<Case: Decodable>(
        of script: String,
        _ count: Int,
        mode: [String] = [],
        as type: Case.Type = Case.self
    ) throws -> Case {
        try PythonScript(script, usesPackages: true).run(mode + ["\(TestSeed.value)", "\(count)"])
    }

    /// Passes lines of JSON to a script, and returns the readings that the script prints.
    static func readings<Line: Encodable, Reading: Decodable>(
        of lines: [Line],
        by script: String,
        mode: [String] = [],
        as type: Reading.Type = Reading.self
    ) throws -> Reading {
        let folder = TemporaryFolder()
        let file = folder.url.appendingPathComponent("lines.json")
        let encoder = JSONEncoder()
        try Data(lines.map { try encoder.encode($0) }.joined(separator: Data("\n".utf8))).write(to: file)
        return try PythonScript(script, usesPackages: true).run(mode + [file.path])
    }

    mutating func agree() { agreed += 1 }

    /// Records a difference.
    /// - Parameter reason: The reason for which it is permitted; nil if there is none.
    mutating func differ(
        _ reason: String?,
        _ text: @autoclosure () -> String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        if let reason { return reasons[reason, default: 0] += 1 }
        unexplained += 1
        guard unexplained <= Self.printedLimit else { return }
        Issue.record("\(subject): \(text())", sourceLocation: sourceLocation)
    }

    /// Prints the counts. A run in which little is compared proves nothing.
    func finish(agreeing minimum: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        let differences = reasons.sorted { $0.value > $1.value }.map { "\n    \($0.value): \($0.key)" }.joined()
        print("\(subject): \(agreed) agree, \(unexplained) differ without a reason; permitted:\(differences)")
        #expect(agreed >= minimum, sourceLocation: sourceLocation)
    }
}

extension Trait where Self == TimeLimitTrait {
    /// The limit of a test with the standard number of cases, or that of any number.
    static var differentialLimit: Self { .timeLimit(.minutes(DifferentialRun.number == nil ? 5 : 600)) }
}
#endif
