#if canImport(FoundationNetworking)
import Foundation

/// A file that is removed with its last reference.
final class TemporaryFile: Sendable {
    let url: URL

    init(_ content: Data) throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("Larkspur-test-\(UUID().uuidString)")
        try content.write(to: url)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Changes the file in place: "shorten", "lengthen" or "rewrite".
    func change(_ how: String) {
        guard let handle = try? FileHandle(forUpdating: url) else { return }
        defer { try? handle.close() }
        switch how {
        case "shorten": try? handle.truncate(atOffset: 1000)
        case "lengthen":
            _ = try? handle.seekToEnd()
            try? handle.write(contentsOf: Data("more".utf8))
        default: try? handle.write(contentsOf: Data("other".utf8))
        }
    }
}
#endif
