#if canImport(FoundationNetworking)
import LarkspurTransport

/// A folder for the downloads of one test, removed with what is in it when it is released.
final class DownloadFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(
        "Tests-\(UUID().uuidString)",
        isDirectory: true
    )

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? [] }

    var options: CurlURLSession.Options {
        var options = CurlURLSession.Options()
        options.partialDownloadFolder = url
        return options
    }
}
#endif
