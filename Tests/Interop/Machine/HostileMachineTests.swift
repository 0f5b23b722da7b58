#if os(Linux)
import Foundation
import TestSupport
import Testing

/// Machines that are out of something, interrupt everything, or tell a wrong time.
@Suite("Faults of the machine", .needsFaultyNetwork, .seeded, .serialized, .timeLimit(.minutes(10)))
enum HostileMachineTests {}

/// A run of some tests in a process of its own, with libraries that are loaded before all others.
enum ChildRun {
    private static let variable = "LARKSPUR_FAULT_CHILD"

    /// Whether this is the process of a suite.
    static func isOf(_ suite: String) -> Bool { ProcessInfo.processInfo.environment[variable] == suite }

    /// Runs a suite, which is enabled only there. A failure has its output.
    static func expectSuccess(
        of suite: String,
        preloading library: String,
        environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let folder = TemporaryFolder()
        let output = try folder.file("output")
        let handle = try FileHandle(forWritingTo: output)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--testing-library", "swift-testing", "--filter", suite]
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            .merging([variable: suite, "LD_PRELOAD": library, TestSeed.variable: "\(TestSeed.value)"]) { $1 }
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        process.waitUntilExit()
        let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
        // A run of which all is left out succeeds as well.
        let hasRun = text.contains("passed after") && !text.contains("skipped")
        guard process.terminationReason != .exit || process.terminationStatus != 0 || !hasRun else { return }
        Issue.record(
            "\(process.terminationReason) \(process.terminationStatus):\n\(text.suffix(20_000))",
            sourceLocation: sourceLocation
        )
    }
}

extension Trait where Self == ConditionTrait {
    /// The suite runs only in a process that `ChildRun` starts for it.
    static func isChild(_ suite: String) -> Self {
        .enabled(if: ChildRun.isOf(suite), "Run in a process of its own.")
    }
}
#endif
