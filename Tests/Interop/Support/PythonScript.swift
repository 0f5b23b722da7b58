#if canImport(FoundationNetworking)
import Foundation
import Testing

/// A script of `Tests/Interop/Scripts`, which prints JSON.
struct PythonScript {
    private let file: URL
    private let interpreter: [String]

    /// - Parameter usesPackages: Whether it needs what `servers.sh` has installed.
    init(_ name: String, usesPackages: Bool = false) {
        let folder = ProcessInfo.processInfo.environment["LARKSPUR_INTEROP"] ?? ""
        interpreter = usesPackages ? [folder + "/python/bin/python"] : ["python3"]
        file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Scripts/\(name).py")
    }

    /// Runs it to its end.
    func run<Output: Decodable>(_ arguments: [String], as type: Output.Type = Output.self) throws -> Output {
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = interpreter + [file.path] + arguments
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return try JSONDecoder().decode(type, from: text)
    }
}
#endif
