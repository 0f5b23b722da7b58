import Larkspur
import LarkspurTesting

/// A demonstration that uploads to an embedded server, which responds with the content that it has received.
struct Tour {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/upload") { request in .text(Self.report(of: request)) }
    }

    /// Runs the upload, and returns the exit status.
    func run(_ arguments: Arguments) throws -> Int32 {
        defer { server.stop() }
        let own = arguments.files.isEmpty ? try makeFile() : nil
        // The program's own file is in the temporary folder.
        defer { own.map { try? FileManager.default.removeItem(at: $0) } }
        let files = own.map { [$0] } ?? arguments.files
        let sending = Sending(files, to: server.url("/upload"), bytesPerSecond: arguments.bytesPerSecond)
        guard sending.run(), let request = server.requests.last else { return 1 }
        // Each part must have the content of its file.
        let sent = try files.map { try Data(contentsOf: $0) }
        let isRight = request.parts.filter { $0.fileName != nil }.map(\.data) == sent
        print(isRight ? "The server has what was sent." : "The server has something else.")
        return isRight ? 0 : 1
    }

    private func makeFile() throws -> URL {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("Upload-\(UUID().uuidString).bin")
        var generator = SystemRandomNumberGenerator()
        let words = (0..<1 << 20).map { _ in generator.next() as UInt64 }
        try words.withUnsafeBytes { Data($0) }.write(to: file)
        return file
    }

    private static func report(of request: LoopbackServer.Request) -> String {
        let head = "\(request.method) with \(request.parts.count) parts, \(request.body.count) bytes in all\n"
        return head
            + request.parts.map { part in
                let name = part.name ?? "no name"
                guard let file = part.fileName else {
                    return "  \(name): \(String(decoding: part.data, as: UTF8.self))\n"
                }
                let type = part.headers["Content-Type"] ?? "no type"
                return "  \(name): \(file), \(type), \(part.data.count) bytes\n"
            }.joined()
    }
}
