import Larkspur
import LarkspurTesting

/// Where the embedded server is: the same URLs in each run, as the cache knows images by theirs.
struct Place {
    let server: LoopbackServer
    let url: (String) -> URL?

    init(besides cache: URL?) throws {
        #if canImport(FoundationNetworking)
        // A port would be another one in each run; a socket has a path.
        let path =
            cache.map { $0.standardizedFileURL.path + ".socket" }
            ?? FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).socket").path
        // One that a run has left that was killed.
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
