import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Content as a sequence", .timeLimit(.minutes(5)))
struct ContentSequenceTests {
    struct Line: Codable, Equatable, Sendable {
        let text: String
    }

    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    @Test("Chunks arrive in order and complete", arguments: TestTransport.allCases)
    func chunks(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let chunks = (0..<40).map { Data(repeating: UInt8($0), count: 30_000) }
        server.route("/stream", .stream(chunks.map { .bytes($0) }))
        var content = Data()

        for try await chunk in manager.get("stream").chunks { content += chunk }

        #expect(content == chunks.reduce(Data(), +))
        try await manager.finishAll()
        #expect(manager.tasks.isEmpty)
    }

    @Test("No chunk is empty, for any framing of the content", arguments: TestTransport.allCases)
    func framingAlone(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let (first, second) = (LoopbackServer.Gate(), LoopbackServer.Gate())
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        server.route(
            "/stream",
            .raw([
                .text(head + "3\r\nabc"), .wait(first), .text("\r\n3\r\ndef"), .wait(second), .text("\r\n0\r\n\r\n"),
            ])
        )
        var chunks: [String] = []

        for try await chunk in manager.get("stream").chunks {
            chunks.append(String(decoding: chunk, as: UTF8.self))
            (chunks.count == 1 ? first : second).open()
        }

        #expect(chunks == ["abc", "def"])
    }

    @Test(
        "The loop sees the head of the response before the content, and can end the call",
        arguments: TestTransport.allCases
    )
    func head(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        server.route("/x", .text("content"))
        let events = Recorder<String>()
        let allowed = manager.get("x").onHTTPResponse { response in
            events.record("\(response.statusCode)")
            return .allow
        }
        let refused = manager.get("fault/slow-body").onHTTPResponse { _ in .cancel }

        for try await chunk in allowed.chunks { events.record(String(decoding: chunk, as: UTF8.self)) }
        try await events.wait(for: 2)
        let error = await #expect(throws: LarkspurError.self) {
            // FoundationNetworking does not wait for the answer.
            for try await _ in refused.chunks where transport != .foundation { Issue.record("A chunk") }
        }
        try await manager.finishAll()

        #expect(Set(events.values) == ["200", "content"])
        if transport != .foundation { #expect(events.values == ["200", "content"]) }
        #expect(error?.code == .cancelled && refused.error?.code == .cancelled)
    }

    @Test("Lines and values are assembled from chunks of any length", arguments: TestTransport.allCases)
    func framing(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let text = #"{"text": "é\u2028"}"# + "\n\n" + #"{"text": "日本"}"# + "\r\n" + #"{"text": "end"}"#
        server.route("/stream", .stream(text.utf8.map { .bytes(Data([$0])) }, framing: .chunked))

        var lines: [String] = []
        for try await line in manager.get("stream").lines { lines.append(line) }
        var values: [Line] = []
        for try await value in manager.get("stream").decoded(as: Line.self) { values.append(value) }

        #expect(lines == [#"{"text": "é\u2028"}"#, #"{"text": "日本"}"#, #"{"text": "end"}"#])
        #expect(values == [Line(text: "é\u{2028}"), Line(text: "日本"), Line(text: "end")])
    }

    @Test("A line that cannot be decoded is an error after the values before it")
    func malformed() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        server.route("/stream", .text("1\n2\nx\n4\n"))
        var values: [Int] = []

        let error = await #expect(throws: LarkspurError.self) {
            for try await value in manager.get("stream").decoded(as: Int.self) { values.append(value) }
        }

        #expect(values == [1, 2] && error?.code == .responseSerializationFailed)
        try await manager.finishAll()
    }

    @Test("Values are decoded by the manager's decoder, or by the decoder of the loop")
    func decoders() async throws {
        struct Person: Decodable, Sendable {
            let firstName: String
        }
        let manager = TestTransport.curl.makeManager(for: server)
        manager.jsonDecoder.keyDecodingStrategy = .convertFromSnakeCase
        server.route("/x", .text(#"{"first_name": "Ada"}"#))
        server.route("/y", .text(#"{"firstName": "Grace", "first_name": "Ada"}"#))
        let own = manager.get("y").decoded(as: Person.self, decoder: JSONDecoder())
        var names: [String] = []

        for try await person in manager.get("x").decoded(as: Person.self) { names.append(person.firstName) }
        for try await person in own { names.append(person.firstName) }

        #expect(names == ["Ada", "Grace"])
    }

    @Test("Leaving the loop early cancels the call", arguments: TestTransport.allCases)
    func leaving(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let gate = LoopbackServer.Gate()
        server.route("/stream", .stream([.bytes(Data("one".utf8)), .wait(gate)], framing: .chunked))
        let task = manager.get("stream")

        for try await _ in task.chunks { break }

        try await manager.finishAll()
        #expect(task.error?.code == .cancelled)
        gate.open()
    }

    @Test(
        "A loop that ends with its own error or a value's error cancels the call",
        arguments: TestTransport.allCases,
        [true, false]
    )
    func leavingByError(_ transport: TestTransport, isOfValue: Bool) async throws {
        struct Foreign: Error {}
        let manager = transport.makeManager(for: server)
        let gate = LoopbackServer.Gate()
        server.route("/stream", .stream([.text("1\nx\n"), .wait(gate)], framing: .chunked))
        let task = manager.get("stream")

        let error = await #expect(throws: (any Error).self) {
            for try await _ in task.decoded(as: Int.self) where !isOfValue { throw Foreign() }
        }
        try await manager.finishAll()

        #expect(isOfValue ? (error as? LarkspurError)?.code == .responseSerializationFailed : error is Foreign)
        #expect(task.error?.code == .cancelled)
        gate.open()
    }

    @Test("Cancelling the call within its loop ends the loop", arguments: TestTransport.allCases)
    func cancelledInside(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let gate = LoopbackServer.Gate()
        let steps: [LoopbackServer.Response.Step] = [.text("one"), .wait(gate), .text("two")]
        server.route("/stream", .stream(steps, framing: .chunked))
        let task = manager.get("stream")
        var chunks: [Data] = []

        let error = await #expect(throws: LarkspurError.self) {
            for try await chunk in task.chunks {
                chunks.append(chunk)
                task.cancel()
            }
        }
        gate.open()
        try await manager.finishAll()

        #expect(chunks == [Data("one".utf8)] && error?.code == .cancelled)
        #expect(task.error?.code == .cancelled)
    }

    @Test("Cancelling the surrounding task ends the loop", arguments: TestTransport.allCases)
    func cancellation(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let gate = LoopbackServer.Gate()
        server.route("/stream", .stream([.bytes(Data("one".utf8)), .wait(gate)], framing: .chunked))
        let arrived = Recorder<Data>()

        let work = Task { () -> LarkspurError? in
            do throws(LarkspurError) {
                for try await chunk in manager.get("stream").chunks { arrived.record(chunk) }
                return nil
            } catch {
                return error
            }
        }
        _ = try await arrived.first()
        work.cancel()

        #expect(await work.value?.code == .cancelled)
        gate.open()
        try await manager.finishAll()
    }

    @Test("An unacceptable response is an error with its content", arguments: TestTransport.allCases)
    func unacceptable(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        server.route("/refused", .text("why", status: 403))

        let error = await #expect(throws: LarkspurError.self) {
            for try await _ in manager.get("refused").chunks { Issue.record("A chunk") }
        }
        var accepted = ""
        for try await line in manager.get("refused").validate(statusCode: [403]).lines { accepted += line }

        #expect(error?.statusCode == 403 && error?.responseData == Data("why".utf8))
        #expect(accepted == "why")
    }

    @Test("A loop uses the redirect and the credential of its call", arguments: TestTransport.allCases)
    func settings(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        server.route("/moved", .redirect(to: "/nowhere"))
        server.route("/elsewhere", .text("one\ntwo\n"))
        let elsewhere = URLRequest(url: server.url("/elsewhere"))
        var lines: [String] = []
        var count = 0

        let moved = manager.get("moved").redirect { _, _, _ in elsewhere }
        for try await line in moved.lines { lines.append(line) }
        let secret = manager.get("basic-auth/ada/secret").authenticate(username: "ada", password: "secret")
        for try await chunk in secret.chunks { count += chunk.count }
        let wrong = manager.get("basic-auth/ada/secret").authenticate(username: "ada", password: "wrong")
        let error = await #expect(throws: LarkspurError.self) {
            for try await _ in wrong.chunks { Issue.record("A chunk") }
        }

        #expect(lines == ["one", "two"] && count > 0)
        #expect(error?.statusCode == 401)
        #expect(server.requests(to: "/nowhere").isEmpty)
    }

    #if canImport(FoundationNetworking)
    @Test("A response is delivered to a loop although the call does not store it")
    func cacheResponse() async throws {
        server.route("/x", .text("first").adding("Cache-Control", "max-age=60"), .text("second"))
        let configuration = URLSessionConfiguration.testing
        configuration.urlCache = HTTPCache()
        let manager = TestTransport.curl.makeManager(for: server, configuration: configuration)
        let counts = Recorder<Int>()
        var content = Data()

        let task = manager.get("x").cacheResponse { _, proposed in
            counts.record(proposed.data.count)
            return nil
        }
        for try await chunk in task.chunks { content += chunk }
        try await manager.finishAll()
        // The call may end before it is asked.
        try await counts.wait()

        #expect(content == Data("first".utf8) && counts.values == [5])
        #expect(try await manager.get("x").string == "second")
    }
    #endif

    @Test("Content that is cut short is an error after its chunks", arguments: TestTransport.allCases)
    func truncated(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        server.route("/broken", .raw([.bytes(Data("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc".utf8))]))
        var content = Data()

        let error = await #expect(throws: LarkspurError.self) {
            for try await chunk in manager.get("broken").chunks { content += chunk }
        }

        #expect(content == Data("abc".utf8) && error?.code == .connectionLost)
    }

    @Test("The server waits while a consumer does not read")
    func backPressure() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let chunk = Data(count: 1 << 20)
        let gate = LoopbackServer.Gate()
        server.route("/much", .stream([.repeated([.bytes(chunk)], times: 64), .open(gate)], framing: .chunked))
        let iterator = manager.get("much").chunks.makeAsyncIterator()
        var copy = iterator
        var count = try await copy.next()?.count ?? 0

        // The server's sockets hold some megabytes; it cannot have sent all of it.
        #expect(!gate.isOpen)
        while let chunk = try await copy.next() { count += chunk.count }

        #expect(count == 64 << 20 && gate.isOpen)
    }

    @Test("A transport that cannot make the server wait ends the call at a limit of memory")
    func noBackPressure() async throws {
        let manager = TestTransport.foundation.makeManager(for: server)
        server.route("/much", .stream([.repeated([.bytes(Data(count: 1 << 20))], times: 64)], framing: .chunked))
        let task = manager.get("much")
        var iterator = task.chunks.makeAsyncIterator()
        try await manager.finishAll()

        let error = await #expect(throws: LarkspurError.self) { while try await iterator.next() != nil {} }

        #expect(error?.code == .contentTooLarge)
    }

    @Test("A sequence can have one consumer only")
    func oneConsumer() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        server.route("/x", .text("x"))
        let task = manager.get("x")
        var count = 0
        for try await chunk in task.chunks { count += chunk.count }

        let again = await #expect(throws: LarkspurError.self) { for try await _ in task.chunks {} }
        let handled = await task.response()

        #expect(count == 1 && again?.code == .unsupported && handled.error?.code == .unsupported)
    }

    @Test("Reading a small part of a large response does not buffer the rest")
    func longStream() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let line = Data((String(repeating: "x", count: 1023) + "\n").utf8)
        server.route("/lines", .stream([.repeated([.bytes(line)], times: 5_000)], framing: .chunked))
        var count = 0

        for try await line in manager.get("lines").lines { count += line.utf8.count }

        #expect(count == 5_000 * 1023)
    }
}
