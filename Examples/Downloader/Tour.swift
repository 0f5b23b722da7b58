import Larkspur
import LarkspurTesting

/// A demonstration that downloads from an embedded server, which interrupts one of the files and does not announce the
/// length of another one.
struct Tour {
    private let server: LoopbackServer
    private let folder: URL
    private let files: [(name: String, content: Data)] = [
        ("whole.bin", Tour.content(8 << 20, seed: 1)),
        ("broken-off.bin", Tour.content(6 << 20, seed: 2)),
        ("of-unknown-length.bin", Tour.content(4 << 20, seed: 3)),
    ]

    init() throws {
        server = try LoopbackServer()
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "Downloader-\(UUID().uuidString)",
            isDirectory: true
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var whole = LoopbackServer.Response.data(files[0].content)
        whole.headers["ETag"] = "\"whole\""
        server.route("/whole.bin", whole)

        let content = files[1].content
        var rest = LoopbackServer.Response.data(content)
        rest.headers["ETag"] = "\"broken-off\""
        rest.acceptsRanges = true
        let head = "HTTP/1.1 200 OK\r\nETag: \"broken-off\"\r\nContent-Length: \(content.count)\r\n\r\n"
        server.route("/broken-off.bin", .raw([.text(head), .bytes(content.prefix(content.count / 3))]), rest)

        let chunks = stride(from: 0, to: files[2].content.count, by: 1 << 16).map { start in
            files[2].content.dropFirst(start).prefix(1 << 16)
        }
        server.route("/of-unknown-length.bin", .chunked(chunks.map { Data($0) }))
    }

    /// Runs to the end, and returns the exit status: 0 if all files are identical to those of the server.
    func run() -> Int32 {
        defer {
            server.stop()
            try? FileManager.default.removeItem(at: folder)
        }
        let run = Run(files.map { server.url("/\($0.name)") }, to: folder, resumes: 3)
        let status = run.run()
        let isRight = files.allSatisfy { name, content in
            (try? Data(contentsOf: folder.appendingPathComponent(name))) == content
        }
        print(isRight ? "All files are as the server has them." : "A file is not as the server has it.")
        return isRight ? status : 1
    }

    private static func content(_ count: Int, seed: UInt64) -> Data {
        var value = seed
        let words = (0..<count / 8).map { _ in
            value = value &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return value
        }
        return words.withUnsafeBytes { Data($0) }
    }
}
