#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import Testing
import TestSupport

/// The 39 cases of the conformance suite for clients of the proposed Swift HTTP API, rebuilt from their names.
///
/// The original has them for HTTP/1.1 without TLS.
@Suite("Conformance of the client", .needsServers, .timeLimit(.minutes(5)))
struct ClientConformanceTests {
    typealias Received = StreamsServer.Received

    let server: StreamsServer
    /// A name for what the server counts.
    let key = UUID().uuidString

    init() throws { server = try StreamsServer() }

    private func expectFailure(
        _ target: String,
        _ port: Servers.Port,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let manager = try server.makeManager(port)
        await #expect(throws: LarkspurError.self, sourceLocation: sourceLocation) {
            let (_, content) = try await manager.get(target).open()
            _ = try await content.collect(upTo: 1 << 20)
        }
        // The next request succeeds.
        #expect(try await manager.get("status/200").open().head.statusCode == 200, sourceLocation: sourceLocation)
    }

    /// Expects a status and a text.
    private func expect(
        _ status: Int,
        _ text: String = "",
        from task: DataTask,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let (head, content) = try await task.open()
        #expect(head.statusCode == status, sourceLocation: sourceLocation)
        let received = String(decoding: try await content.collect(upTo: 1 << 21), as: UTF8.self)
        #expect(received == text, sourceLocation: sourceLocation)
        #expect(content.trailers == nil, sourceLocation: sourceLocation)
    }

    private func text(_ text: String) -> RequestBody { .writer { writer in try await writer.write(text) } }

    // MARK: Malformed and unusual responses

    @Test("A response that is not HTTP is an error", arguments: StreamsServer.ports)
    func notHTTP(_ port: Servers.Port) async throws { try await expectFailure("not-http", port) }

    /// Over HTTP/2, which has no such line, a field's name is in capitals (RFC 9113, section 8.2.1).
    @Test("HTTP or a field name in the wrong case is an error", arguments: StreamsServer.ports)
    func badCaseOfHTTP(_ port: Servers.Port) async throws { try await expectFailure("bad-case", port) }

    @Test("A status line may have no reason phrase", arguments: StreamsServer.ports)
    func noReasonPhrase(_ port: Servers.Port) async throws {
        try await expect(200, from: server.makeManager(port).get("no-reason"))
    }

    /// nghttp2 takes such a response over HTTP/2 for malformed: RFC 9110, section 8.6, forbids it to the server.
    @Test("A 204 with a length has no content, and is an error over HTTP/2", arguments: StreamsServer.ports)
    func noContentWithLength(_ port: Servers.Port) async throws {
        guard port != .streamsHTTP2 else { return try await expectFailure("length/204", port) }
        try await expect(204, from: server.makeManager(port).get("length/204"))
    }

    @Test("A 304 with a length has no content", arguments: StreamsServer.ports)
    func notModifiedWithLength(_ port: Servers.Port) async throws {
        try await expect(304, from: server.makeManager(port).get("length/304"))
    }

    @Test("Incomplete content is an error", arguments: StreamsServer.ports)
    func incompleteBody(_ port: Servers.Port) async throws { try await expectFailure("incomplete", port) }

    @Test("Content without a length ends with the connection", arguments: StreamsServer.ports)
    func noLength(_ port: Servers.Port) async throws {
        try await expect(200, "1234", from: server.makeManager(port).get("no-length"))
    }

    /// The original has as many bytes as the second length says.
    @Test("Conflicting lengths are an error", arguments: StreamsServer.ports, [4, 10])
    func conflictingLengths(_ port: Servers.Port, _ count: Int) async throws {
        try await expectFailure("conflicting-lengths?bytes=\(count)", port)
    }

    // MARK: Content

    @Test("A 200 response is delivered", arguments: StreamsServer.ports)
    func ok(_ port: Servers.Port) async throws {
        let manager = try server.makeManager(port)
        for method: HTTPMethod in [.head, .get, .put, .post, .delete] {
            try await expect(200, from: manager.request(method, "status/200"))
        }
    }

    @Test("The echo of a string is delivered", arguments: StreamsServer.ports)
    func echo(_ port: Servers.Port) async throws {
        try await expect(200, "Hello World", from: server.makeManager(port).post("echo", body: text("Hello World")))
    }

    @Test("The echo of 1 MB is delivered", arguments: StreamsServer.ports)
    func largeEcho(_ port: Servers.Port) async throws {
        let text = String(repeating: "A", count: 1_000_000)
        let body = RequestBody.writer(length: 1_000_000) { writer in try await writer.write(text) }
        try await expect(200, text, from: server.makeManager(port).post("echo", body: body))
    }

    private func expectDecoding(_ coding: String, _ port: Servers.Port) async throws {
        let (head, content) = try await server.makeManager(port).get("coded/\(coding)").open()
        #expect(head.statusCode == 200)
        #expect(head.value(forHTTPHeaderField: "Content-Encoding") == (coding == "identity" ? nil : coding))
        #expect(try await content.collect(upTo: 100) == Data("TEST\n".utf8))
    }

    @Test("Gzip content is decoded", arguments: StreamsServer.ports)
    func gzip(_ port: Servers.Port) async throws { try await expectDecoding("gzip", port) }

    @Test("Deflate content is decoded", arguments: StreamsServer.ports)
    func deflate(_ port: Servers.Port) async throws { try await expectDecoding("deflate", port) }

    @Test("Brotli content is decoded", arguments: StreamsServer.ports)
    func brotli(_ port: Servers.Port) async throws { try await expectDecoding("br", port) }

    @Test("Content with the identity coding stays", arguments: StreamsServer.ports)
    func identity(_ port: Servers.Port) async throws { try await expectDecoding("identity", port) }

    @Test("Content may be read in part", arguments: StreamsServer.ports)
    func readInPart(_ port: Servers.Port) async throws {
        let manager = try server.makeManager(port)
        let first = try await manager.get("source?bytes=1000000").open { head, content in
            #expect(head.statusCode == 200)
            for try await chunk in content { return chunk.first }
            return nil
        }
        #expect(first == 0)
        try await expect(200, from: manager.get("status/200"))
    }

    @Test("Content may be read byte by byte", arguments: StreamsServer.ports)
    func readInDrips(_ port: Servers.Port) async throws {
        let (head, content) = try await server.makeManager(port).get("source?bytes=1000000").open()
        #expect(head.statusCode == 200)
        var count = 0
        var isRight = true
        for try await chunk in content {
            for byte in chunk {
                isRight = isRight && Int(byte) == count % 256
                count += 1
            }
        }
        #expect(isRight)
        #expect(count == 1_000_000)
    }

    @Test("An empty produced body arrives", arguments: StreamsServer.ports, [0, nil] as [Int64?])
    func emptyBody(_ port: Servers.Port, _ length: Int64?) async throws {
        let body = RequestBody.writer(length: length) { writer in try await writer.finish() }
        let received = try await server.makeManager(port).post("request", body: body).value(as: Received.self)
        #expect(received.method == "POST")
        #expect(received.content.isEmpty)
        #expect(received.fields["content-length"] == length.map { ["\($0)"] })
    }

    // MARK: Fields

    @Test("A custom header arrives", arguments: StreamsServer.ports)
    func customHeader(_ port: Servers.Port) async throws {
        let task = try server.makeManager(port)
            .post("request", body: text("Hello World"), headers: ["X-Foo": "BARbaz"])
        #expect(try await task.value(as: Received.self).fields["x-foo"] == ["BARbaz"])
    }

    @Test("An empty header value arrives", arguments: StreamsServer.ports)
    func emptyHeaderValue(_ port: Servers.Port) async throws {
        let task = try server.makeManager(port).post("request", headers: ["X-Test": ""])
        #expect(try await task.value(as: Received.self).fields["x-test"] == [""])
    }

    @Test("A response to HEAD with a length has no content", arguments: StreamsServer.ports)
    func headWithLength(_ port: Servers.Port) async throws {
        let (head, content) = try await server.makeManager(port).head("head-length").open()
        #expect(head.statusCode == 200)
        #expect(head.value(forHTTPHeaderField: "Content-Length") == "1000")
        #expect(try await content.collect(upTo: 100).isEmpty)
        #expect(content.trailers == nil)
    }

    /// The values of one or more fields.
    private func split(_ values: [String]) -> [String] {
        values.flatMap { $0.split(separator: ",") }.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test("A response's field may have several values", arguments: StreamsServer.ports)
    func severalValuesOfResponse(_ port: Servers.Port) async throws {
        let (head, _) = try await server.makeManager(port).get("values").open()
        #expect(split(head.value(forHTTPHeaderField: "X-Test").map { [$0] } ?? []) == ["one", "two"])
    }

    @Test("A request's field may have several values", arguments: StreamsServer.ports)
    func severalValuesOfRequest(_ port: Servers.Port) async throws {
        var headers = HTTPHeaders()
        headers.add(HTTPHeaders.Field(name: "X-Test", value: "one"))
        headers.add(HTTPHeaders.Field(name: "X-Test", value: "two"))
        let received = try await server.makeManager(port).get("request", headers: headers).value(as: Received.self)
        #expect(split(received.fields["x-test"] ?? []) == ["one", "two"])
    }

    @Test("Parameters in the URL arrive", arguments: StreamsServer.ports)
    func parameters(_ port: Servers.Port) async throws {
        let received = try await server.makeManager(port).get("request?foo=bar&bar=baz&baz=qux&qux=&foo=phew")
            .value(as: Received.self)
        #expect(received.parameters == ["foo": ["bar", "phew"], "bar": ["baz"], "baz": ["qux"], "qux": [""]])
    }

    @Test("A cookie that a server sets is sent back", arguments: StreamsServer.ports)
    func cookie(_ port: Servers.Port) async throws {
        let manager = try server.makeManager(port)
        let (head, content) = try await manager.get("cookie").open()
        _ = try await content.collect(upTo: 100)
        let set = try #require(head.value(forHTTPHeaderField: "Set-Cookie"))
        #expect(set.hasPrefix("foo="))
        let received = try await manager.get("request").value(as: Received.self)
        #expect(received.fields["cookie"] == [set])
    }

    // MARK: Redirects and statuses

    @Test("A redirect is followed", arguments: StreamsServer.ports, [301, 308])
    func redirect(_ port: Servers.Port, _ status: Int) async throws {
        let received = try await server.makeManager(port).get("redirect?status=\(status)&to=/request")
            .value(as: Received.self)
        #expect(received.method == "GET")
        #expect(received.content.isEmpty)
    }

    @Test("An endless redirect is an error", arguments: StreamsServer.ports)
    func endlessRedirect(_ port: Servers.Port) async throws {
        let manager = try server.makeManager(port)
        let error = await #expect(throws: LarkspurError.self) { _ = try await manager.get("redirect-loop/ping").open() }
        #expect(error?.code == .tooManyRedirects)
    }

    @Test("A 404 is delivered as a response", arguments: StreamsServer.ports)
    func notFound(_ port: Servers.Port) async throws {
        try await expect(404, from: server.makeManager(port).get("status/404"))
    }

    @Test("An unusual but valid status is delivered", arguments: StreamsServer.ports)
    func statusOutOfRange(_ port: Servers.Port) async throws {
        try await expect(999, from: server.makeManager(port).get("status/999"))
    }

    /// A 304 brings the fields `ETag` and `Cached`. The server takes another tag after each 304, so that the response
    /// after it is new.
    @Test("A stored response is revalidated by its ETag", arguments: StreamsServer.ports)
    func eTag(_ port: Servers.Port) async throws {
        let manager = try server.makeManager(port)
        for tag in ["0", "1", "2"] {
            for isCached in ["false", "true"] {
                let (head, content) = try await manager.get("etag?key=\(key)").open()
                #expect(head.statusCode == 200)
                #expect(head.value(forHTTPHeaderField: "ETag") == tag)
                #expect(head.value(forHTTPHeaderField: "Cached") == isCached)
                #expect(try await content.collect(upTo: 100) == Data(tag.utf8))
            }
        }
    }

    // MARK: Calls

    @Test("Many requests at once succeed", arguments: StreamsServer.ports)
    func stress(_ port: Servers.Port) async throws {
        let manager = try server.makeManager(port)
        let count = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 {
                group.addTask { try await manager.get("request").value(as: Received.self).method }
            }
            return try await group.reduce(0) { $0 + ($1 == "GET" ? 1 : 0) }
        }
        #expect(count == 100)
    }

    @Test("The short form of a GET succeeds", arguments: StreamsServer.ports)
    func convenienceForGET(_ port: Servers.Port) async throws {
        let received = try await server.makeManager(port).get("request", as: Received.self).value(as: Received.self)
        #expect(received.method == "GET")
        #expect(received.content.isEmpty)
    }

    @Test("The short form of a POST succeeds", arguments: StreamsServer.ports)
    func convenienceForPOST(_ port: Servers.Port) async throws {
        let received = try await server.makeManager(port).post("request", body: .data(Data("Hello World".utf8)))
            .value(as: Received.self)
        #expect(received.method == "POST")
        #expect(received.content == "Hello World")
    }

    @Test("A call is cancelled before the head", arguments: StreamsServer.ports)
    func cancellationBeforeHead(_ port: Servers.Port) async throws {
        let manager = try server.makeManager(port)
        let task = Task { try await manager.get("stall?id=\(key)").open().head }
        _ = try await server.state(of: key, once: "end")
        task.cancel()
        let error = await #expect(throws: LarkspurError.self) { _ = try await task.value }
        #expect(error?.code == .cancelled)
        try await expect(200, from: manager.get("status/200"))
    }

    @Test("A call is cancelled before the body", arguments: StreamsServer.ports)
    func cancellationBeforeBody(_ port: Servers.Port) async throws {
        let manager = try server.makeManager(port)
        let heads = Recorder<Int>()
        let task = Task {
            try await manager.get("stall?head").open { head, content in
                heads.record(head.statusCode)
                // The content has an end only by the cancellation.
                for try await chunk in content { #expect(!chunk.isEmpty) }
            }
        }
        #expect(try await heads.first() == 200)
        task.cancel()
        let error = await #expect(throws: LarkspurError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        try await expect(200, from: manager.get("status/200"))
    }

    // MARK: Both at once

    @Test("Each byte of an upload is echoed before the next one is sent", arguments: StreamsServer.ports)
    func echoInterleaved(_ port: Servers.Port) async throws {
        let request = SentByHand()
        let (head, content) = try await server.makeManager(port).post("echo", body: request.body).open()
        #expect(head.statusCode == 200)
        var chunks = content.makeAsyncIterator()
        for _ in 0..<1000 {
            request.send("A")
            let chunk = try await chunks.next()
            #expect(chunk == Data("A".utf8))
        }
        request.finish()
        let end = try await chunks.next()
        #expect(end == nil)
    }

    /// The server sends the next byte when the last one has come back.
    @Test("Each byte from the server is sent back before the next one arrives", arguments: StreamsServer.ports)
    func speechInterleaved(_ port: Servers.Port) async throws {
        let request = SentByHand()
        let (head, content) = try await server.makeManager(port).post("converse?bytes=1000", body: request.body).open()
        #expect(head.statusCode == 200)
        var count = 0
        for try await chunk in content {
            #expect(chunk == Data("A".utf8))
            count += 1
            request.send("A")
        }
        request.finish()
        #expect(count == 1000)
    }

    // MARK: Trailers

    @Test("Trailers of a response are delivered", arguments: StreamsServer.ports)
    func trailersRead(_ port: Servers.Port) async throws {
        let (head, content) = try await server.makeManager(port).get("trailers").open()
        #expect(head.statusCode == 200)
        #expect(try await content.collect(upTo: 100) == Data("Response body".utf8))
        let trailers = try #require(content.trailers)
        #expect(trailers["X-Trailer-One"] == "first-value")
        #expect(trailers["X-Trailer-Two"] == "second-value")
        #expect(trailers["X-Checksum"] == "abc123")
    }

    @Test("Trailers of a request arrive", arguments: StreamsServer.ports)
    func trailersWritten(_ port: Servers.Port) async throws {
        let body = RequestBody.writer(trailers: ["X-Request-Trailer-One", "X-Request-Trailer-Two"]) { writer in
            try await writer.write("Hello World")
            try await writer.finish(trailers: [
                "X-Request-Trailer-One": "first-trailer-value", "X-Request-Trailer-Two": "second-trailer-value",
            ])
        }
        let received = try await server.makeManager(port).post("request", body: body).value(as: Received.self)
        #expect(received.content == "Hello World")
        #expect(received.trailers["x-request-trailer-one"] == ["first-trailer-value"])
        #expect(received.trailers["x-request-trailer-two"] == ["second-trailer-value"])
    }
}
#endif
