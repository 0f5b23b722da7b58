#if canImport(FoundationNetworking)
import Foundation

/// A folder for a cache, which goes with the test.
final class CacheDirectory: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("Larkspur-cache-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: url) }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path))?.sorted() ?? [] }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    func permissions(_ url: URL) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: url.path))?[.posixPermissions] as? Int
    }
}
#endif
