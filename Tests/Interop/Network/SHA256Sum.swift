#if os(Linux)
import Foundation
import Testing

/// SHA-256 by `sha256sum`, which we did not write.
enum SHA256Sum {
    static func of(_ file: URL) throws -> String {
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sha256sum", file.path]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return String(text.prefix(64))
    }

    static func of(_ data: Data) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try data.write(to: folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try of(folder)
    }
}
#endif
