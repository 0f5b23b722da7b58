#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Synchronization
import TestSupport

/// A file on a server, whose replies a test scripts; they tell a part from the whole as RFC 9110 has it.
final class ServedFile: Sendable {
    enum Reply: Sendable {
        /// What was asked for.
        case whole
        /// The beginning of what was asked for, of so many bytes, after which the connection is closed.
        case cut(after: Int)
        case other(LoopbackServer.Response)
    }

    static let tag = "\"v1\""

    let content: Data
    private let fields: LoopbackServer.Fields
    private let replies: Mutex<[Reply]>

    /// - Parameters:
    ///   - size: How many bytes it has.
    ///   - fields: The fields of all replies. Default: a strong tag.
    ///   - replies: What it answers, in order; then always what was asked for.
    init(_ size: Int, fields: LoopbackServer.Fields = ["ETag": tag], _ replies: [Reply] = []) {
        content = Self.bytes(size)
        self.fields = fields
        self.replies = Mutex(replies)
    }

    /// Bytes of which no two parts are the same.
    static func bytes(_ count: Int, seed: UInt64 = 7) -> Data {
        var generator = SeededGenerator(seed: seed)
        return (0..<(count + 7) / 8).map { _ in generator.next() }.withUnsafeBytes { Data($0.prefix(count)) }
    }

    func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Response {
        switch replies.withLock({ $0.isEmpty ? .whole : $0.removeFirst() }) {
        case .whole: part(request, cutAfter: nil)
        case .cut(let count): part(request, cutAfter: count)
        case .other(let response): response
        }
    }

    private func part(_ request: LoopbackServer.Request, cutAfter count: Int?) -> LoopbackServer.Response {
        let validator = fields["ETag"] ?? fields["Last-Modified"]
        var offset = 0
        if let range = request.headers["Range"], request.headers["If-Range"] ?? validator == validator {
            offset = Int(range.dropFirst("bytes=".count).dropLast()) ?? 0
        }
        var head = offset > 0 ? "HTTP/1.1 206 Partial Content\r\n" : "HTTP/1.1 200 OK\r\n"
        for field in fields { head += "\(field.name): \(field.value)\r\n" }
        if offset > 0 { head += "Content-Range: bytes \(offset)-\(content.count - 1)/\(content.count)\r\n" }
        let rest = content.dropFirst(offset)
        head += "Content-Length: \(rest.count)\r\n\r\n"
        return .raw(
            [.text(head), .bytes(rest.prefix(count ?? rest.count))],
            ending: count == nil ? .negotiated : .close
        )
    }
}

extension LoopbackServer {
    /// Serves a file at a path.
    func serve(_ file: ServedFile, at path: String = "/file") {
        route(path) { file.answer($0) }
    }
}
#endif
