#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import Testing

/// Uploads to tuspyserver, which we did not write, through a proxy that cuts each connection after 3 MiB.
@Suite("Resumable uploads to an independent tus server", .needsServers, .timeLimit(.minutes(5)))
struct ResumableUploadInteropTests {
    let servers: Servers
    let file: URL

    init() throws {
        servers = try Servers()
        file = servers.file("content/large")
    }

    private static let transports: [(name: String, transport: Transport)] = [
        ("curl", .curl), ("foundation", .foundation),
    ]

    private func makeManager(_ port: Servers.Port, _ index: Int) throws -> SessionManager {
        let manager = SessionManager(
            baseURL: try servers.url(port, "/", host: "127.0.0.1"),
            transport: Self.transports[index].transport
        )
        return manager
    }

    /// The server requires this metadata.
    private let resumable = ResumableUpload.tus(
        metadata: ["filename": "large", "filetype": "application/octet-stream"]
    )

    private func stored(_ resumption: UploadResumption?) throws -> Data {
        try servers.contents(of: "tus/\(try #require(resumption).url.lastPathComponent)")
    }

    @Test("A file and data arrive completely although every connection is cut", arguments: [0, 1], [true, false])
    func cuts(transport: Int, isFile: Bool) async throws {
        let manager = try makeManager(.tusBehindProxy, transport)
        let content = try Data(contentsOf: file)
        var resumable = resumable
        let (created, continuation) = AsyncStream.makeStream(of: UploadResumption.self)
        resumable.didCreate = { continuation.yield($0) }
        let task = manager.upload("files", from: isFile ? .file(file) : .data(content), resumable: resumable)
        let response = await task.response()
        #expect(response.error == nil && response.statusCode == 204)
        continuation.finish()
        var resumption: UploadResumption?
        for await next in created { resumption = next }
        #expect(try stored(resumption) == content)
        #expect(task.uploadProgress.completedUnitCount == Int64(content.count))
        // The creation, and at least four requests for each of offset and content.
        #expect(task.timeline.transactions.count >= 8 || transport == 1)
    }

    @Test("A cancelled upload continues in another task", arguments: [0, 1])
    func continuing(transport: Int) async throws {
        let manager = try makeManager(.tus, transport)
        var resumable = resumable
        resumable.maximumPartSize = 1 << 20
        let task = manager.upload("files", from: .file(file), resumable: resumable)
        for await count in task.uploadCounts where count > 2 << 20 {
            task.cancel()
            break
        }
        #expect(await task.response().error?.code == .cancelled)
        let resumption = try #require(task.resumption)
        let other = try makeManager(.tus, transport)
        let end = await other.upload("files", from: .file(file), resumable: self.resumable.continuing(resumption))
            .response()
        #expect(end.error == nil)
        #expect(try stored(resumption) == Data(contentsOf: file))
    }
}
#endif
