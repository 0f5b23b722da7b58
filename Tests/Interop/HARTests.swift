#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import LarkspurTesting
import Testing

/// The archives of a recorder, read by programs that we did not write.
@Suite("HTTP archives in other programs", .needsServers, .timeLimit(.minutes(5)))
struct HARTests {
    private struct Archive: Decodable {
        struct Entry: Decodable {
            let method: String
            let url: String
            let status: Int
            let text: String?
            let mimeType: String
            let start: String
            let time: Double
        }

        let version: String
        let isSameNumber: Bool
        let entries: [Entry]
    }

    let servers: Servers
    let server: LoopbackServer

    init() throws {
        servers = try Servers()
        server = try LoopbackServer()
    }

    @Test("A schema and a Python library find every call", arguments: [false, true])
    func read(isFoundation: Bool) async throws {
        server.route("/closed", .fault(.closeBeforeHeader))
        server.route("/control", .text("a\u{1}\u{1B}\u{7F}\u{2028}😀\n"))
        let manager = SessionManager(
            baseURL: server.baseURL,
            configuration: .ephemeral,
            transport: isFoundation ? .foundation : .automatic
        )
        let recorder = HARRecorder()
        manager.observers = [recorder]

        _ = await manager.get("gzip").response()
        _ = await manager.get("redirect-to", parameters: ["url": "/get?a=1&b=%20%C3%BC"]).response()
        _ = await manager.post("post", body: .json(["name": "Ada"])).response()
        _ = await manager.post("post", parameters: ["q": "a b&c"]).response()
        _ = await manager.get("image/png").response()
        _ = await manager.get("control").response()
        _ = await manager.head("get").response()
        _ = await manager.get("status/204").response()
        _ = await manager.get("status/500").response()
        _ = await manager.post("closed").response()
        let file = servers.file("calls-\(UUID().uuidString).har")
        try recorder.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }

        let archive = try PythonScript("read_archive", usesPackages: true).run([file.path], as: Archive.self)

        #expect(archive.version == "1.2")
        #expect(archive.isSameNumber)
        let entries = archive.entries
        let statuses = [200, 302, 200, 200, 200, 200, 200, 200, 204, 500, 0]
        #expect(entries.map(\.status) == (isFoundation ? statuses.filter { $0 != 302 } : statuses))
        #expect(entries.filter { $0.method == "POST" }.count == 3)
        #expect(entries.allSatisfy { $0.time >= 0 && $0.start.hasSuffix("+00:00") })
        #expect(entries.contains { $0.url.hasSuffix("/get?a=1&b=%20%C3%BC") })
        #expect(entries.contains { $0.text == "a\u{1}\u{1B}\u{7F}\u{2028}😀\n" })
        #expect(entries.contains { $0.mimeType == "image/png" })
    }
}
#endif
