package import Foundation

/// A folder that is removed with its contents when it is released.
package final class TemporaryFolder: Sendable {
    package let url = FileManager.default.temporaryDirectory.appendingPathComponent(
        "Tests-\(UUID().uuidString)",
        isDirectory: true
    )

    package init() { try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    package func file(_ name: String, _ content: Data = Data()) throws -> URL {
        let file = url.appendingPathComponent(name)
        try content.write(to: file)
        return file
    }
}
