import Foundation
import LarkspurTesting
import Synchronization

/// A file on a server that breaks off its first replies, each after so many bytes of what was asked for.
final class BrokenFile: Sendable {
    let content: Data
    private let cuts: Mutex<[Int]>

    init(_ size: Int, cuts: [Int]) {
        var generator = SeededGenerator()
        content = generator.bytes(size)
        self.cuts = Mutex(cuts)
    }

    func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Response {
        var offset = 0
        if let range = request.headers["Range"], request.headers["If-Range"] == "\"v1\"" {
            offset = Int(range.dropFirst("bytes=".count).dropLast()) ?? 0
        }
        var head = offset > 0 ? "HTTP/1.1 206 Partial Content\r\n" : "HTTP/1.1 200 OK\r\n"
        if offset > 0 { head += "Content-Range: bytes \(offset)-\(content.count - 1)/\(content.count)\r\n" }
        let rest = content.dropFirst(offset)
        head += "ETag: \"v1\"\r\nContent-Length: \(rest.count)\r\n\r\n"
        let cut = cuts.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        return .raw([.text(head), .bytes(rest.prefix(cut ?? rest.count))], ending: cut == nil ? .negotiated : .close)
    }
}
