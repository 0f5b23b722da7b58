import Larkspur
import LarkspurTesting

/// The location of the embedded server. Its URLs are the same in each run, because the cache identifies images by their
/// URLs.
struct Place {
    let server: LoopbackServer
    let url: (String) -> URL?

    init(besides cache: URL?) throws {
        #if canImport(FoundationNetworking)
        // A port would differ in each run; a socket has a fixed path.
        let path =
            cache.map { $0.standardizedFileURL.path + ".socket" }
            ?? FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).socket").path
        // Removes the socket of an earlier run that was killed.
        try? FileManager.default.removeItem(atPath: path)
        server = try LoopbackServer(unixSocket: path)
        url = { URL(unixSocket: path, resource: $0) }
        #else
        let server = try LoopbackServer()
        self.server = server
        url = { server.url($0) }
        #endif
    }
}
