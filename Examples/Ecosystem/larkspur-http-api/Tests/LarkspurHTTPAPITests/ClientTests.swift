import HTTPTypes
import Larkspur
import LarkspurHTTPAPI
import LarkspurTesting
import Synchronization
import Testing

@Suite("A client with the shape of the proposed HTTP API", .timeLimit(.minutes(5)))
struct ClientTests {
    let server: LoopbackServer
    let manager: SessionManager
    let client: SessionHTTPClient

    init() throws {
        server = try LoopbackServer()
        manager = SessionManager(baseURL: server.baseURL, configuration: .ephemeral)
        client = SessionHTTPClient(manager)
    }

    @Test("A response to GET has its status, fields and content, and its trailers are nil")
    func get() async throws {
        server.route("/users", .text("Ada", status: 201).adding("X-Count", "1"))
        let count = try name("X-Count")
        let (status, field, exchange) = try await perform(.get, "/users") { response, reader in
            (response.status, response.headerFields[count], try await collect(reader))
        }
        #expect(status == .created && field == "1" && exchange == Exchange("Ada", trailers: nil))
    }

    @Test("A writer provides the content of a POST, with or without a length", arguments: [nil, 8] as [Int64?])
    func post(length: Int64?) async throws {
        server.route("/users", method: "POST", .text("created"))
        let text = try await perform(
            .post,
            "/users",
            body: .restartable(knownLength: length) { writer in
                var writer = writer
                var buffer = UniqueArray(copying: "Hello ".utf8)
                try await writer.write(buffer: &buffer)
                #expect(buffer.count == 0)
                buffer.append(copying: "Me".utf8)
                try await writer.finish(buffer: &buffer)
            }
        ) { try await collect($1).text }

        #expect(text == "created")
        let request = try #require(server.requests.first)
        #expect(request.text == "Hello Me" && request.method == "POST")
        #expect(request.headers["Content-Length"] == length.map { "\($0)" })
        #expect(request.headers["Transfer-Encoding"] == (length == nil ? "chunked" : nil))
    }

    @Test("Empty content is sent with a length of 0 or in chunks", arguments: [nil, 0] as [Int64?])
    func emptyContent(length: Int64?) async throws {
        server.route("/users", .text("created"))
        let body = HTTPClientRequestBody<SessionHTTPClient.Writer>.restartable(knownLength: length) { writer in
            try await writer.finish()
        }
        #expect(try await perform(.post, "/users", body: body) { try await collect($1).text } == "created")
        #expect(server.requests.map(\.body) == [Data()])
    }

    @Test("A response is read while the content is written, byte by byte")
    func interleavedEcho() async throws {
        let echo = try EchoServer()
        let (turns, turn) = AsyncStream<Void>.makeStream()
        let body = HTTPClientRequestBody<SessionHTTPClient.Writer>.restartable { writer in
            var writer = writer
            var iterator = turns.makeAsyncIterator()
            for _ in 0..<1_000 {
                var buffer = UniqueArray(repeating: UInt8(ascii: "A"), count: 1)
                try await writer.write(buffer: &buffer)
                _ = await iterator.next()
            }
            try await writer.finish()
        }
        let buffers = try await perform(.post, "/echo", of: echo.baseURL, body: body) { _, reader in
            var counts: [Int] = []
            _ = try await reader.forEachBuffer { buffer in
                counts.append([UInt8](taking: &buffer).count)
                turn.yield()
            }
            return counts
        }
        #expect(buffers == Array(repeating: 1, count: 1_000))
    }

    @Test("The reader of a response ends with its trailers")
    func trailersRead() async throws {
        server.route("/sum", .chunked([Data("content".utf8)], trailers: ["X-One": "first", "X-Checksum": "abc123"]))
        let exchange = try await perform(.get, "/sum") { try await collect($1) }
        let trailers: HTTPFields = [try name("X-One"): "first", try name("X-Checksum"): "abc123"]
        #expect(exchange == Exchange("content", trailers: trailers))
    }

    @Test("The values with which a writer ends are the trailers of the request", arguments: [true, false])
    func trailersWritten(areNamed: Bool) async throws {
        let checksum = try name("X-Checksum")
        let fields: HTTPFields = areNamed ? [.trailer: "X-Checksum"] : [:]
        let body = HTTPClientRequestBody<SessionHTTPClient.Writer>.restartable { writer in
            var buffer = UniqueArray(copying: "content".utf8)
            try await writer.finish(buffer: &buffer, finalElement: [checksum: "abc123"])
        }
        _ = try await perform(.post, "/anything", fields: fields, body: body) { try await collect($1) }

        let request = try #require(server.requests.first)
        #expect(request.text == "content" && request.trailers["X-Checksum"] == "abc123")
        #expect(request.headers["Trailer"] == (areNamed ? "X-Checksum" : nil))
        #expect(request.headers["X-Checksum"] == nil)
    }

    @Test("For a redirect that keeps the content, seekable content is written again from its beginning")
    func redirect() async throws {
        server.route("/old", .redirect(to: "/new", status: 307))
        server.route("/new", .text("arrived"))
        let offsets = Mutex<[Int64]>([])
        let body = HTTPClientRequestBody<SessionHTTPClient.Writer>.seekable(knownLength: 5) { offset, writer in
            offsets.withLock { $0.append(offset) }
            var rest = UniqueArray(copying: "Hello".utf8.dropFirst(Int(offset)))
            try await writer.finish(buffer: &rest)
        }
        #expect(try await perform(.post, "/old", body: body) { try await collect($1).text } == "arrived")
        #expect(server.requests.map(\.text) == ["Hello", "Hello"])
        #expect(offsets.withLock { $0 } == [0, 0])
    }

    @Test("After a failure, a resumable upload writes seekable content from the byte that the server lacks")
    func resumableUpload() async throws {
        server.route("/files", method: "POST", .status(201, headers: ["Location": "/files/1"]))
        server.route("/files/1", method: "HEAD", .status(200, headers: ["Upload-Offset": "2", "Upload-Length": "5"]))
        server.route(
            "/files/1",
            method: "PATCH",
            .fault(.closeBeforeHeader),
            .status(204, headers: ["Upload-Offset": "5"])
        )
        let offsets = Mutex<[Int64]>([])
        var options = client.defaultRequestOptions
        options.resumableUpload = .tus
        let status = try await client.perform(
            request: request(.post, "/files"),
            body: .seekable(knownLength: 5) { offset, writer in
                offsets.withLock { $0.append(offset) }
                var writer = writer
                for byte in "Hello".utf8.dropFirst(Int(offset)) {
                    var buffer = UniqueArray(repeating: byte, count: 1)
                    try await writer.write(buffer: &buffer)
                }
                try await writer.finish()
            },
            options: options
        ) { response, _ in response.status }

        #expect(status == .noContent && offsets.withLock { $0 } == [0, 2])
        #expect(server.requests(to: "/files/1").filter { $0.method == "PATCH" }.map(\.text) == ["Hello", "llo"])

        let error = await #expect(throws: LarkspurError.self) {
            let body = HTTPClientRequestBody<SessionHTTPClient.Writer>.restartable(knownLength: 0) { writer in
                try await writer.finish()
            }
            try await client.perform(request: request(.post, "/files"), body: body, options: options) { _, _ in }
        }
        #expect(error?.code == .unsupported)
    }

    @Test("If the options refuse redirects, a redirect becomes the response")
    func redirectNotFollowed() async throws {
        var options = client.defaultRequestOptions
        options.followsRedirects = false
        let status = try await client.perform(request: request(.get, "/redirect/1"), body: nil, options: options) {
            response,
            reader in
            _ = try await collect(reader)
            return response.status
        }
        #expect(status == .found && server.requests.count == 1)

        options.followsRedirects = true
        let followed = try await client.perform(request: request(.get, "/redirect/1"), body: nil, options: options) {
            response,
            reader in response.status
        }
        #expect(followed == .ok)
    }

    @Test("A refusal ends the writing, and the call gets the response")
    func refusal() async throws {
        let (hasBegun, hasEnded) = (LoopbackServer.Gate(), LoopbackServer.Gate())
        let head = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 9\r\n\r\n"
        var refusal = LoopbackServer.Response.raw([.wait(hasBegun), .text(head + "too large")])
        refusal.requestBody = .refuse
        server.route("/files", refusal)
        let code = Mutex<LarkspurError.Code?>(nil)
        let body = HTTPClientRequestBody<SessionHTTPClient.Writer>.restartable { writer in
            var writer = writer
            defer { hasEnded.open() }
            do throws(LarkspurError) {
                while true {
                    var buffer = UniqueArray(repeating: UInt8(ascii: "A"), count: 1 << 16)
                    try await writer.write(buffer: &buffer)
                    hasBegun.open()
                }
            } catch {
                code.withLock { $0 = error.code }
                throw error
            }
        }
        let (status, text) = try await perform(.post, "/files", body: body) { response, reader in
            (response.status, try await collect(reader).text)
        }
        #expect(status == .contentTooLarge && text == "too large")
        await hasEnded.wait()
        #expect(code.withLock { $0 } == .sendingEnded)
    }

    @Test("The options of a request apply to its call")
    func options() {
        var options = client.defaultRequestOptions
        #expect(options.followsRedirects && !options.keepsSending && options.resumableUpload == nil)
        options.keepsSending = true
        options.timeouts = Timeouts(total: .seconds(60))
        #expect(options.callOptions.keepsSending && options.callOptions.timeouts == options.timeouts)
    }

    @Test("A cancellation before the head ends the request")
    func cancellationBeforeHead() async throws {
        server.route("/stall", .fault(.noResponse))
        let call = Task { try await perform(.get, "/stall") { _, _ in } }
        try await server.waitForRequests(1)
        call.cancel()
        let error = await #expect(throws: LarkspurError.self) { try await call.value }
        #expect(error?.code == .cancelled)
        #expect(try await perform(.get, "/get") { response, _ in response.status } == .ok)
    }

    @Test("A cancellation before the content ends the reading")
    func cancellationBeforeContent() async throws {
        let (isHere, never) = (LoopbackServer.Gate(), LoopbackServer.Gate())
        server.route("/stall", .stream([.text("A"), .wait(never), .text("B")]))
        let call = Task {
            try await perform(.get, "/stall") { _, reader in
                isHere.open()
                return try await collect(reader)
            }
        }
        await isHere.wait()
        call.cancel()
        let error = await #expect(throws: (any Error).self) { try await call.value }
        #expect(error.map(larkspurError)??.code == .cancelled)
        #expect(try await perform(.get, "/get") { response, _ in response.status } == .ok)
    }

    @Test("Content that is not read to its end is discarded, and the call ends")
    func partlyRead() async throws {
        server.route("/large", .fault(.endlessBody))
        let first = try await perform(.get, "/large") { _, reader in
            var reader = reader
            return try await reader.read { buffer, _ in [UInt8](taking: &buffer).first }
        }
        #expect(first == UInt8(ascii: "x"))
        await withCheckedContinuation { continuation in
            manager.completionGroup.notify(queue: .global()) { continuation.resume() }
        }
        #expect(manager.tasks.isEmpty)
    }

    @Test("Bytes that a closure leaves in the buffer are delivered again")
    func buffersInPart() async throws {
        server.route("/users", .text("Ada"))
        let text = try await perform(.get, "/users") { _, reader in
            var reader = reader
            let seen = try await reader.read { buffer, _ in buffer.count }
            #expect(seen == 3)
            return try await collect(reader).text
        }
        #expect(text == "Ada")
    }

    @Test("A status may be outside the defined ranges")
    func unusualStatus() async throws {
        server.route("/999", .status(999))
        #expect(try await perform(.get, "/999") { response, _ in response.status.code } == 999)
    }

    @Test("A field may be empty, or have several values, in each direction")
    func fields() async throws {
        let (empty, list) = (try name("X-Empty"), try name("X-List"))
        server.route("/fields", .text("").adding("X-List", "one").adding("X-List", "two").adding("X-Empty", ""))
        var fields: HTTPFields = [empty: ""]
        fields[values: list] = ["one", "two"]
        let answer = try await perform(.get, "/fields", fields: fields) { response, _ in response.headerFields }

        #expect(answer[list] == "one, two" && answer[empty] == "")
        let request = try #require(server.requests.first)
        #expect(request.headers["X-Empty"] == "" && request.headers["X-List"] == "one, two")
    }

    @Test("An error of a body, and a body without an end, fail the request")
    func brokenBodies() async throws {
        struct Broken: Error {}
        let broken = await #expect(throws: LarkspurError.self) {
            try await perform(
                .post,
                "/users",
                body: .restartable { writer in
                    var writer = writer
                    var buffer = UniqueArray(copying: "Hello".utf8)
                    try await writer.write(buffer: &buffer)
                    throw Broken()
                }
            ) { _, _ in }
        }
        #expect(broken?.code == .bodyUnreadable && broken?.underlyingError is Broken)

        let endless = await #expect(throws: LarkspurError.self) {
            try await perform(.post, "/users", body: .restartable { _ in }) { _, _ in }
        }
        #expect(endless?.code == .bodyUnreadable)
        try await server.waitForOpenConnections(0)
        #expect(server.requests.isEmpty)
    }

    @Test("The short forms send data and collect content up to a limit")
    func conveniences() async throws {
        var client = client
        server.route("/users", .text("Ada"))
        let url = server.url("/users")
        let data = Data("Tom".utf8)
        #expect(try await client.get(url: url, collectUpTo: 3).bodyData == Data("Ada".utf8))
        _ = try await client.post(url: url, bodyData: data, collectUpTo: .max)
        _ = try await client.put(url: url, bodyData: data, collectUpTo: .max)
        _ = try await client.patch(url: url, bodyData: data, collectUpTo: .max)
        _ = try await client.delete(url: url, collectUpTo: .max)
        #expect(server.requests.map(\.method) == ["GET", "POST", "PUT", "PATCH", "DELETE"])
        #expect(server.requests.map(\.text) == ["", "Tom", "Tom", "Tom", ""])
        await #expect(throws: AsyncReaderLeftOverElementsError()) { try await client.get(url: url, collectUpTo: 2) }
    }

    @Test("A library can require capabilities of any client")
    func capabilities() async throws {
        func locate<Client: HTTPClient>(_ request: HTTPRequest, by client: Client) async throws -> String?
        where Client.RequestOptions: HTTPClientCapability.RedirectChoice {
            var client = client
            var options = client.defaultRequestOptions
            options.followsRedirects = false
            return try await client.perform(request: request, options: options) { response, _ in
                response.headerFields[.location]
            }
        }
        server.route("/old", .redirect(to: "/new"))
        #expect(try await locate(request(.get, "/old"), by: client) == "/new")
    }

    // MARK: Parts of the tests

    func perform<Value>(
        _ method: HTTPRequest.Method,
        _ path: String,
        of url: URL? = nil,
        fields: HTTPFields = [:],
        body: HTTPClientRequestBody<SessionHTTPClient.Writer>? = nil,
        _ read: (HTTPResponse, consuming SessionHTTPClient.Reader) async throws -> Value
    ) async throws -> Value {
        let base = url ?? server.baseURL
        var request = request(method, path)
        (request.scheme, request.authority) = (base.scheme, "127.0.0.1:\(base.port ?? 0)")
        request.headerFields = fields
        let options = client.defaultRequestOptions
        return try await client.perform(request: request, body: body, options: options, responseHandler: read)
    }

    private func request(_ method: HTTPRequest.Method, _ path: String) -> HTTPRequest {
        HTTPRequest(method: method, scheme: nil, authority: nil, path: path)
    }

    private func name(_ name: String) throws -> HTTPField.Name { try #require(HTTPField.Name(name)) }

    /// Returns the error of a call that a reader or a client has thrown.
    private func larkspurError(_ error: any Error) -> LarkspurError? {
        guard case .first(let error)? = error as? EitherError<LarkspurError, Never> else { return nil }
        return error
    }
}
