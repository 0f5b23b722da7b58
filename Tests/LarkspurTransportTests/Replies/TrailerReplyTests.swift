#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite("Trailers of responses", .timeLimit(.minutes(5)))
struct TrailerReplyTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Head: h\r\n\r\n2\r\nok\r\n0\r\n"

    /// The trailers of a task for a reply of these bytes, read when its end is reported.
    private func trailers(of reply: Data, isDownload: Bool = false) async throws -> (Outcome, [String: String]?) {
        server.route("/reply", .raw([.bytes(reply)]))
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        let outcomes = Recorder<Outcome>()
        let url = server.url("/reply")
        let task: URLSessionTask =
            isDownload
            ? session.downloadTask(with: url) { file, response, error in
                let data = file.flatMap { try? Data(contentsOf: $0) }
                outcomes.record(Outcome(data: data, response: response, error: error))
            }
            : session.dataTask(with: url) { outcomes.record(Outcome(data: $0, response: $1, error: $2)) }
        task.resume()
        return (try await outcomes.first(), task.responseTrailers)
    }

    static let sections: [(lines: String, trailers: [String: String]?)] = [
        ("", nil),
        ("X-Sum: 1\r\n", ["X-Sum": "1"]),
        ("etag: \"a\"\r\nx-SUM:1\r\nX-sum : 2\r\n", ["Etag": "\"a\"", "x-SUM": "1, 2"]),
        ("Server-Timing: a\r\nServer-Timing: b\r\n", ["Server-Timing": "a, b"]),
        ("X-Sum: 1\r\n  2\r\n\t3\r\n \r\n", ["X-Sum": "1 2 3"]),
        ("X-Sum: caf\u{E9}\r\n", ["X-Sum": "café"]),
        ("X-Sum: a\0b\r\n", ["X-Sum": "a b"]),
        ("X-Sum:\r\n", ["X-Sum": ""]),
        ("Content-Length: 9\r\nX-Sum: 1\r\nSet-Cookie: a=b\r\nHost: h\r\nIf-Match: *\r\n", ["X-Sum": "1"]),
        ("Content-Length: 9\r\nTransfer-Encoding: gzip\r\n", nil),
        ("X-Head: t\r\n", ["X-Head": "t"]),
    ]

    @Test(
        "The trailers of chunked content are available at its end, separate from the header fields",
        arguments: sections
    )
    func chunked(lines: String, trailers: [String: String]?) async throws {
        let reply = try #require((Self.head + lines + "\r\n").data(using: .isoLatin1))
        for isDownload in [false, true] {
            let (outcome, received) = try await self.trailers(of: reply, isDownload: isDownload)
            #expect(outcome.text == "ok")
            #expect(received == trailers)
            #expect(outcome.field("X-Sum") == nil)
            #expect(outcome.field("X-Head") == "h")
        }
    }

    @Test("An incomplete response has no trailers")
    func truncated() async throws {
        let (outcome, trailers) = try await trailers(of: Data((Self.head + "X-Sum: 1\r\n").utf8))
        #expect(outcome.code == .networkConnectionLost)
        #expect(trailers == nil)
    }

    @Test("The trailers of a redirect are not those of the next response", arguments: ["", "X-Last: 2\r\n"])
    func redirect(lines: String) async throws {
        let last = try #require((Self.head + lines + "\r\n").data(using: .isoLatin1))
        server.route("/last", .raw([.bytes(last)]))
        let head = "HTTP/1.1 302 Found\r\nLocation: /last\r\nTransfer-Encoding: chunked\r\n\r\n"
        let (outcome, trailers) = try await trailers(of: Data((head + "0\r\nX-Sum: 1\r\n\r\n").utf8))
        #expect(outcome.text == "ok")
        #expect(trailers == (lines.isEmpty ? nil : ["X-Last": "2"]))
    }

    @Test("A task of another session has no trailers")
    func otherSession() {
        // It is not started: trailers end a process that uses FoundationNetworking.
        #expect(URLSession.shared.dataTask(with: server.url("/")).responseTrailers == nil)
    }
}
#endif
