#if canImport(FoundationNetworking)
import LarkspurTransport
import Synchronization
import Testing

/// Responses whose end is uncertain, or that break off, in every way of using a session.
@Suite("The end of responses on the wire", .timeLimit(.minutes(5)))
struct FramingReplyTests {
    /// The outcome of one request to a server that answers so and closes the connection.
    private func outcome(
        _ reply: String,
        _ style: Style = .delegate,
        method: String = "GET",
        configuration: URLSessionConfiguration = .testing
    ) async throws -> Outcome {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(reply)
        }
        defer { server.stop() }
        return try await style.send(URLRequest(server.url, method), configuration: configuration)
    }

    static let uncertainHeads = [
        "Content-Length: 0x32", "Content-Length: 1.000", "Content-Length: 5 0", "Content-Length: +5",
        "Content-Length: 5;", "Content-Length: 5.0", "Content-Length: -5", "Content-Length:", "Content-Length: five",
        "Content-Length: 18446744073709551615", "Content-Length: 1000000000000000000000000000000",
        "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5, 6", "Content-Length : 50", "Content-Length\t: 5",
        "Content-Length:\r\n 5", "Content-Length: 5\r\n 0", "Transfer-Encoding : chunked",
        "Transfer-Encoding:\r\n chunked", "Transfer-Encoding: chunked\r\n\t", "Transfer-Encoding: gzip",
        "Transfer-Encoding: chunked, gzip", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: xchunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip", "Transfer-Encoding: chunked;q=1",
        "Transfer-Encoding: chunked, chunked\r\nContent-Length: 5",
        "Transfer-Encoding: chunked\r\nContent-Length: 15\r\nTransfer-Encoding: chunked",
    ]

    @Test(
        "A response with an uncertain end is an error with every style of task",
        arguments: uncertainHeads,
        Style.allCases
    )
    func uncertain(fields: String, style: Style) async throws {
        for content in ["hello", "5\r\nhello\r\n0\r\n\r\n"] {
            let outcome = try await outcome("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n\(content)", style)
            #expect([.badServerResponse, .cannotParseResponse].contains(outcome.code))
            #expect(outcome.data?.isEmpty != false)
        }
    }

    static let brokenContents: [(String, String)] = [
        ("Content-Length: 6", "hello"), ("Content-Length: 9223372036854775807", "hello"),
        ("Transfer-Encoding: chunked", "5\r\nhello\r\n"), ("Transfer-Encoding: chunked", "5\r\nhello\r\n0\r\n"),
        ("Transfer-Encoding: chunked", "6\r\nhello"), ("Transfer-Encoding: chunked", ""),
        ("Transfer-Encoding: chunked", "0x5\r\nhello\r\n0\r\n\r\n"),
        ("Transfer-Encoding: chunked", "0 5\r\nhello\r\n0\r\n\r\n"),
        ("Transfer-Encoding: chunked", "5\r\nhello\r\n0,\r\n\r\n"),
        ("Transfer-Encoding: chunked", "5\r\nhello\r\n00000000000000000\r\n\r\n"),
        ("Transfer-Encoding: chunked", "5\r\nhello world\r\n0\r\n\r\n"),
        ("Transfer-Encoding: chunked", "5\r\nhello\r\n0\r\nno trailer\r\n\r\n"),
        ("Transfer-Encoding: chunked", "hello"),
        ("Content-Length: 5\r\nTransfer-Encoding: chunked", "hello"),
        ("Transfer-Encoding: chunked, chunked", "5\r\nhello\r\n"),
        ("Transfer-Encoding: chunked, chunked", "hello"),
    ]

    @Test("Incomplete content is an error with every style of task", arguments: brokenContents, Style.allCases)
    func broken(reply: (fields: String, content: String), style: Style) async throws {
        let outcome = try await outcome("HTTP/1.1 200 OK\r\n\(reply.fields)\r\n\r\n\(reply.content)", style)
        #expect([.networkConnectionLost, .badServerResponse, .cannotParseResponse].contains(outcome.code))
        if style != .delegate { #expect(outcome.data?.isEmpty != false) }
    }

    static let wholeReplies: [(head: String, content: String, text: String)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5", "hello", "hello"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\nContent-Length: 5", "hello", "hello"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n", "hello"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n", "hello"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 30", "5\r\nhello\r\n0\r\n\r\n", "hello"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked", "5\r\nhello\r\n0\r\n\r\n", "hello"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: b\r\nTransfer-Encoding: Chunked",
            "2\r\nhe\r\n3\r\nllo\r\n0\r\nX-Sum: 1\r\n\r\n", "hello"
        ),
        // The content is decoded once.
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked,chunked,chunked",
            "a\r\n5\r\nhello\r\n\r\n0\r\n\r\n", "5\r\nhello\r\n"
        ),
        ("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n", "hello"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 5", "hello", "hello"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity", "hello", "hello"), ("HTTP/1.1 200 OK", "hello", "hello"),
        ("HTTP/1.0 200 OK", "", ""), ("HTTP/1.1 204 No Content\r\nContent-Length: 5", "", ""),
        ("HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked", "", ""),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 5", "", ""),
        ("HTTP/1.1 103 Hints\r\nContent-Length: 9\r\n\r\nHTTP/1.1 200 OK", "hello", "hello"),
        (
            "HTTP/1.1 103 Hints\r\nTransfer-Encoding: chunked\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5", "hello",
            "hello"
        ),
        ("HTTP/1.1 100 Go\r\nContent-Length: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5", "hello", "hello"),
    ]

    @Test(
        "A response with a certain end is a success with every style of task",
        arguments: wholeReplies,
        Style.allCases
    )
    func whole(reply: (head: String, content: String, text: String), style: Style) async throws {
        let outcome = try await outcome("\(reply.head)\r\n\r\n\(reply.content)", style)
        #expect(outcome.error == nil)
        #expect(outcome.text == reply.text)
    }

    @Test("A response to HEAD has no content, whatever its fields announce", arguments: Style.allCases)
    func head(style: Style) async throws {
        for fields in ["Content-Length: 5", "Transfer-Encoding: chunked", "Transfer-Encoding: gzip", "X-A: b"] {
            let outcome = try await outcome("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n", style, method: "HEAD")
            #expect(outcome.error == nil)
            #expect(outcome.data?.isEmpty != false)
        }
    }

    @Test("A response to CONNECT ends with its head, and later bytes are not content", arguments: Style.allCases)
    func connect(style: Style) async throws {
        for fields in ["Content-Length: 5", "X-A: b"] {
            let server = try RawServer { connection in
                connection.readHead()
                connection.write("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\ntunnel")
                connection.read(atLeast: .max)
            }
            defer { server.stop() }
            let outcome = try await style.send(URLRequest(server.url, "CONNECT"))
            #expect(outcome.error == nil)
            #expect(outcome.data?.isEmpty != false)
        }
    }

    @Test("Data before a response is not delivered", arguments: ["101", "cr", "lf-cr", "cr-line", "nul"])
    func dataFirst(name: String) async throws {
        let heads = [
            "101": "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", "cr": "HTTP/1.1 200 OK\r\n\r\r\n",
            "lf-cr": "HTTP/1.1 200 OK\n\rContent-Length: 5\n\r\n\r", "cr-line": "HTTP/1.1 200 OK\r\n\rX-A: b\r\n\r\n",
            "nul": "HTTP/1.1 200 OK\r\n\0X-A: b\r\n\r\n",
        ]
        let log = DelegateLog()
        let server = try RawServer { connection in
            connection.readHead()
            connection.write((heads[name] ?? "") + "hello world, hello world")
        }
        defer { server.stop() }
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let outcome = try await log.outcome(of: session.dataTask(with: server.url))
        #expect(outcome.error != nil)
        #expect(log.names == ["completed"])
    }

    // MARK: Connections

    @Test(
        "A connection is reused only after a response whose end is unambiguous",
        arguments: [
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked", "2\r\nok\r\n0\r\n\r\n", 1),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2", "ok", 1),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked", "2\r\nok\r\n0\r\n\r\n", 3),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                "2\r\nok\r\n0\r\n\r\n", 3
            ),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked", "2\r\nok\r\n0\r\n\r\n", 3),
            (
                "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked", "2\r\nok\r\n0\r\n\r\n",
                3
            ),
        ]
    )
    func reuse(head: String, content: String, connections: Int) async throws {
        let count = Mutex(0)
        let server = try RawServer { connection in
            count.withLock { $0 += 1 }
            while !connection.readHead().isEmpty { connection.write("\(head)\r\n\r\n\(content)") }
        }
        defer { server.stop() }
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        for _ in 0..<3 { #expect(try await session.outcome(of: server.url).text == "ok") }
        #expect(count.withLock { $0 } == connections)
    }

    @Test(
        "An incomplete download leaves resume data, except after a repeated chunked coding",
        arguments: [true, false]
    )
    func resumption(isTwice: Bool) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            let fields = "ETag: \"a\"\r\nTransfer-Encoding: chunked\(isTwice ? ", chunked" : "")"
            connection.write("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n5\r\nhello\r\n")
        }
        defer { server.stop() }
        let outcome = try await Style.download.send(URLRequest(url: server.url))
        #expect(outcome.code == .networkConnectionLost)
        let resumeData = (outcome.error as? URLError)?.downloadTaskResumeData
        #expect((resumeData == nil) == isTwice)
        resumeData.map(CurlURLSession.discardResumeData)
    }

    // MARK: Redirects and challenges

    static let brokenFirst = [
        "Content-Length: 50\r\n\r\nmoved", "Transfer-Encoding: chunked\r\n\r\n5\r\nmoved\r\n",
        "Transfer-Encoding: chunked\r\n\r\n0x5\r\nmoved", "Content-Length: 50\r\nContent-Encoding: gzip\r\n\r\nmoved",
    ]

    @Test("A redirect whose own content is incomplete is followed", arguments: brokenFirst, Style.allCases)
    func redirect(rest: String, style: Style) async throws {
        let server = try RawServer { connection in
            let isFirst = String(decoding: connection.readHead(), as: UTF8.self).hasPrefix("GET / ")
            connection.write(
                isFirst
                    ? "HTTP/1.1 302 Found\r\nLocation: /next\r\n\(rest)"
                    : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            )
        }
        defer { server.stop() }
        let outcome = try await style.send(URLRequest(url: server.url))
        #expect(outcome.error == nil)
        #expect(outcome.text == "ok")
    }

    @Test("A challenge whose content is incomplete is handled", arguments: brokenFirst, [Style.handler, .download])
    func challenge(rest: String, style: Style) async throws {
        let server = try RawServer { connection in
            let head = String(decoding: connection.readHead(), as: UTF8.self)
            connection.write(
                head.contains("Authorization: Basic")
                    ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
                    : "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\n\(rest)"
            )
        }
        defer { server.stop() }
        let url = try #require(URL(string: server.url.absoluteString.replacing("//", with: "//user:secret@")))
        let outcome = try await style.send(URLRequest(url: url))
        #expect(outcome.error == nil)
        #expect(outcome.text == "ok")
    }

    @Test("A redirect that is accepted as the response must be complete", arguments: brokenFirst)
    func refusedRedirect(rest: String) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 302 Found\r\nLocation: /next\r\n\(rest)")
        }
        defer { server.stop() }
        let session = CurlURLSession(configuration: .testing, delegate: RedirectRefuser(), delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let outcome = try await session.outcome(of: server.url)
        #expect(outcome.error is URLError)
    }

    @Test("A challenge with endless content is handled, and little of its content is read")
    func endlessChallenge() async throws {
        let written = Mutex(0)
        let server = try RawServer { connection in
            let head = String(decoding: connection.readHead(), as: UTF8.self)
            guard !head.contains("Authorization: Digest") || head.contains("nonce=\"a\"") else {
                return connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
            let stale = head.contains("nonce=\"a\"")
            connection.write(
                "HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"\(stale ? "b" : "a")\""
                    + "\(stale ? ", stale=true" : "")\r\nContent-Length: 1000000000\r\n\r\n"
            )
            let part = Data(count: 1 << 16)
            for _ in 0..<1000 {
                guard connection.write(part) else { return }
                written.withLock { $0 += part.count }
            }
        }
        defer { server.stop() }
        let url = try #require(URL(string: server.url.absoluteString.replacing("//", with: "//user:secret@")))
        let outcome = try await Style.handler.send(URLRequest(url: url))
        #expect(outcome.error == nil)
        #expect(outcome.text == "ok")
        // Buffers of two systems between them, and no more than that: the whole would be 62 MiB for each of the two.
        #expect(written.withLock { $0 } < 40 << 20)
    }
}
#endif
