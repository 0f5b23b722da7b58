import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import Larkspur

@Suite("Bodies that are produced during sending", .timeLimit(.minutes(5)))
struct ProducedBodyTests {
    private struct Failure: Error, Equatable {
        let number: Int
    }

    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    var manager: SessionManager { TestTransport.curl.makeManager(for: server) }

    func chunks(_ count: Int) -> [Data] { (0..<count).map { Data("chunk \($0);".utf8) } }

    func stream(_ chunks: [Data]) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish()
        }
    }

    // MARK: What is sent

    @Test(
        "A sequence, a repeatable sequence, a body with an offset and a writer send the same content",
        arguments: [true, false]
    )
    func kinds(isLengthKnown: Bool) async throws {
        server.route("/sink", .text("taken"))
        let chunks = chunks(50)
        let whole = chunks.reduce(Data(), +)
        let length = isLengthKnown ? Int64(whole.count) : nil
        let bodies: [RequestBody] = [
            .sequence(stream(chunks), length: length, contentType: "text/plain"),
            .sequence(length: length, contentType: "text/plain") { stream(chunks) },
            .sequence(length: Int64(whole.count), contentType: "text/plain", fromOffset: { _ in stream(chunks) }),
            .writer(length: length, contentType: "text/plain") { writer in
                for chunk in chunks { try await writer.write(Array(chunk)) }
                try await writer.finish()
            },
            .writer(length: length, contentType: "text/plain") { writer in
                try await writer.write(String(decoding: whole, as: UTF8.self))
            },
        ]
        for body in bodies {
            #expect(try await manager.post("sink", body: body).string == "taken")
        }
        let requests = server.requests
        #expect(requests.map(\.body) == bodies.map { _ in whole })
        #expect(requests.allSatisfy { $0.headers["Content-Type"] == "text/plain" })
        let lengths = requests.map { $0.headers["Content-Length"] }
        #expect(lengths == (0..<5).map { isLengthKnown || $0 == 2 ? "\(whole.count)" : nil })
        #expect(requests.map { $0.headers["Transfer-Encoding"] } == lengths.map { $0 == nil ? "chunked" : nil })
    }

    @Test("A body without bytes is sent", arguments: [0, nil] as [Int64?])
    func empty(_ length: Int64?) async throws {
        server.route("/sink", .text("taken"))
        #expect(try await manager.put("sink", body: .writer(length: length) { _ in }).string == "taken")
        #expect(server.requests.map(\.body) == [Data()])
    }

    @Test("A file is sent from an offset", arguments: TestTransport.allCases, [0, 3, 10])
    func fileOffset(_ transport: TestTransport, offset: Int64) async throws {
        server.route("/sink", .text("taken"))
        let folder = TemporaryFolder()
        let file = try folder.file("ten", Data("0123456789".utf8))
        let manager = transport.makeManager(for: server)
        #expect(try await manager.put("sink", body: .file(file, from: offset)).string == "taken")
        #expect(server.requests.map(\.text) == [String("0123456789".dropFirst(Int(offset)))])
        let error = await manager.put("sink", body: .file(file, from: 11)).response().error
        #expect(error?.code == .fileUnreadable)
        #expect(server.requests.count == 1)
    }

    @Test("A part of a file is sent, and must lie within the file", arguments: TestTransport.allCases)
    func filePart(_ transport: TestTransport) async throws {
        server.route("/sink", .text("taken"))
        let folder = TemporaryFolder()
        let file = try folder.file("ten", Data("0123456789".utf8))
        let manager = transport.makeManager(for: server)
        for (offset, length, part) in [(0, 4, "0123"), (3, 7, "3456789"), (10, 0, "")] as [(Int64, Int64, String)] {
            let body = RequestBody.file(file, from: offset, length: length)
            #expect(try await manager.put("sink", body: body).string == "taken")
            #expect(server.requests.last?.text == part)
        }
        for (offset, length) in [(0, 11), (3, 8), (11, 0), (0, -1)] as [(Int64, Int64)] {
            let error = await manager.put("sink", body: .file(file, from: offset, length: length)).response().error
            #expect(error?.code == .fileUnreadable)
        }
        #expect(server.requests.count == 3)
    }

    @Test("Content that is much longer than the buffer is sent completely")
    func long() async throws {
        server.route("/sink", .text("taken"))
        let written = Atomic(0)
        let body = RequestBody.writer { writer in
            for _ in 0..<400 {
                try await writer.write(Data(count: 1 << 16))
                written.add(1, ordering: .relaxed)
            }
        }
        #expect(try await manager.post("sink", body: body).string == "taken")
        #expect(written.load(ordering: .relaxed) == 400)
        #expect(server.requests.first?.body.count == 400 << 16)
    }

    @Test("At the end of the call, all writes return, in several tasks and after the closure")
    func writersAfterTheEnd() async throws {
        // The server never reads, so that the writers wait for room.
        let silent = try SilentServer(isFull: false)
        let ends = Recorder<LarkspurError.Code?>()
        let isFinished = Recorder<Void>()
        @Sendable func writeAll(_ writer: BodyWriter) async {
            do throws(LarkspurError) {
                while true { try await writer.write(Data(count: 1 << 16)) }
            } catch {
                ends.record(error.code)
            }
        }
        let body = RequestBody.writer { writer in
            Task { await writeAll(writer) }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 { group.addTask { await writeAll(writer) } }
                while writer.channel.waiterCount < 4 { await Task.yield() }
                try? await writer.finish()
                isFinished.record(())
                await group.waitForAll()
            }
        }
        let task = manager.post(try silent.url().absoluteString, body: body)
        task.response(as: DataResponseSerializer()) { _ in }
        try await isFinished.wait()
        task.cancel()
        // A writer that gets room between the end of the content and the end of the call writes after the content.
        let codes = try await ends.wait(for: 4)
        #expect(codes.allSatisfy { $0 == .sendingEnded || $0 == .unsupported })
    }

    @Test("Foundation's transport refuses a produced body, with an error that names it, and sends nothing")
    func foundation() async throws {
        server.route("/sink", .text("taken"))
        let manager = TestTransport.foundation.makeManager(for: server)
        let begun = Recorder<Int>()
        let body = RequestBody.writer { _ in begun.record(1) }
        let error = await manager.post("sink", body: body).response().error
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains(".curl") == true)
        let kept = await manager.post("sink", body: .data(Data("x".utf8))).keepSending().response().error
        #expect(kept?.code == .unsupported)
        #expect(server.requests.isEmpty && begun.values.isEmpty)
    }

    @Test("A custom session and a stub session send a produced body")
    func otherSessions() async throws {
        server.route("/sink", .text("taken"))
        let body = RequestBody.sequence(length: nil) { stream(chunks(3)) }
        let delegate = TestTransport.delegate.makeManager(for: server)
        #expect(try await delegate.post("sink", body: body).string == "taken")
        #expect(server.requests.map(\.text) == ["chunk 0;chunk 1;chunk 2;"])
        let stub = StubTransport()
        stub.route("/sink", method: .post) { request in .text(request.text) }
        let stubbed = SessionManager(baseURL: URL(string: "http://stub.test"), transport: stub.transport)
        #expect(try await stubbed.post("sink", body: body).string == "chunk 0;chunk 1;chunk 2;")
    }

    // MARK: Failures of the producer

    @Test("An error of the producer ends the request, and is the underlying error", arguments: [0, 1, 5])
    func failure(after count: Int) async throws {
        server.route("/sink", .text("taken"))
        let body = RequestBody.writer { writer in
            for chunk in chunks(count) { try await writer.write(chunk) }
            throw Failure(number: count)
        }
        let error = await manager.post("sink", body: body).response().error
        #expect(error?.code == .bodyUnreadable)
        #expect(error?.underlyingError as? Failure == Failure(number: count))
        // A request that was broken off is not one of the server's.
        try await server.waitForOpenConnections(0)
        #expect(server.requests.isEmpty)
    }

    @Test("A body that is too long or too short ends the request", arguments: [9, 11])
    func wrongLength(_ count: Int) async throws {
        server.route("/sink", .text("taken"))
        let refusals = Recorder<LarkspurError.Code>()
        let body = RequestBody.writer(length: 10) { writer in
            do {
                try await writer.write(Data(count: count))
                try await writer.finish()
            } catch {
                refusals.record((error as? LarkspurError)?.code ?? .cancelled)
                throw error
            }
        }
        let error = await manager.put("sink", body: body).response().error
        #expect(error?.code == .bodyUnreadable)
        #expect(error?.message.contains("10 bytes") == true)
        #expect(refusals.values == [.bodyUnreadable])
    }

    @Test("A producer that throws a CancellationError ends the request")
    func cancelledProducer() async throws {
        server.route("/sink", .text("taken"))
        let error = await manager.post("sink", body: .writer { _ in throw CancellationError() }).response().error
        #expect(error?.code == .bodyUnreadable)
        #expect(error?.underlyingError is CancellationError)
    }

    @Test("Cancelling a call cancels its producer")
    func cancelledCall() async throws {
        let ends = Recorder<LarkspurError.Code>()
        let begun = Recorder<Int>()
        server.route("/sink", .text("taken"))
        let task = manager.post(
            "sink",
            body: .writer { writer in
                do {
                    while true {
                        try await writer.write("x")
                        begun.record(1)
                        if begun.values.count > 3 { try await Task.sleep(for: .seconds(3600)) }
                    }
                } catch {
                    ends.record((error as? LarkspurError)?.code ?? .cancelled)
                    throw error
                }
            }
        )
        async let response = task.response()
        try await begun.wait(for: 4)
        task.cancel()
        #expect(await response.error?.code == .cancelled)
        #expect(try await ends.wait().count == 1)
    }

    @Test("A producer that is not needed is not called, and its body is not consumed")
    func notAsked() async throws {
        server.route("/sink", .text("taken"))
        let begun = Recorder<Int>()
        let body = RequestBody.writer { writer in
            begun.record(1)
            try await writer.write("content")
        }
        let manager = manager
        let error = await manager.post("http://127.0.0.1:1/", body: body).response().error
        #expect(error?.code == .cannotConnectToHost)
        #expect(begun.values.isEmpty)
        #expect(try await manager.post("sink", body: body).string == "taken")
        #expect(begun.values == [1])
    }

    // MARK: Early responses

    enum Framing: String, CaseIterable, Sendable {
        case length, lengthAndClose, chunksAndClose, close, none

        /// A response whose end comes after its head.
        func refusal(_ status: Int, _ begun: LoopbackServer.Gate, _ rest: LoopbackServer.Gate)
            -> LoopbackServer.Response
        {
            let head = "HTTP/1.1 \(status) Early\r\n"
            let steps: [LoopbackServer.Response.Step] =
                switch self {
                case .length: [.text(head + "Content-Length: 9\r\n\r\ntoo"), .wait(rest), .text(" large")]
                case .lengthAndClose:
                    [.text(head + "Connection: close\r\nContent-Length: 9\r\n\r\ntoo"), .wait(rest), .text(" large")]
                case .chunksAndClose:
                    [
                        .text(head + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ntoo\r\n"),
                        .wait(rest),
                        .text("6\r\n large\r\n0\r\n\r\n"),
                    ]
                case .close: [.text(head + "Connection: close\r\n\r\ntoo"), .wait(rest), .text(" large")]
                case .none: [.text(head + "Connection: close\r\nContent-Length: 0\r\n\r\n")]
                }
            var response = LoopbackServer.Response.raw([.wait(begun)] + steps)
            response.requestBody = .refuse
            return response
        }
    }

    @Test("A refusal ends the sending, and its content arrives completely", arguments: Framing.allCases, [true, false])
    func refusal(_ framing: Framing, isRead: Bool) async throws {
        let (begun, rest) = (LoopbackServer.Gate(), LoopbackServer.Gate())
        server.route("/files", framing.refusal(413, begun, rest))
        let ends = Recorder<LarkspurError.Code?>()
        let body = RequestBody.writer { writer in
            do {
                while true {
                    try await writer.write(Data(count: 1 << 16))
                    begun.open()
                }
            } catch {
                ends.record((error as? LarkspurError)?.code)
                throw error
            }
        }
        let manager = manager
        let content = Data((framing == .none ? "" : "too large").utf8)
        if isRead {
            let text = try await manager.post("files", body: body).open { head, content in
                #expect(head.statusCode == 413)
                rest.open()
                return try await content.collect(upTo: 100)
            }
            #expect(text == content)
        } else {
            rest.open()
            let response = await manager.post("files", body: body).response()
            #expect(response.error?.code == .unacceptableStatusCode)
            #expect(response.data == content)
        }
        #expect(try await ends.wait() == [.sendingEnded])
        try await manager.finishAll()
        #expect(manager.tasks.isEmpty)
    }

    // MARK: Trailers

    @Test(
        "Fields that are forbidden in trailers are refused",
        arguments: ["Content-Length", "Host", "Set-Cookie", "a b"]
    )
    func refusedTrailers(_ name: String) async throws {
        server.route("/sink", .text("taken"))
        let declared = await manager.post("sink", body: .writer(trailers: [name]) { _ in }).response()
        #expect(declared.error?.code == .invalidHeaderField)
        #expect(server.requests.isEmpty)
        let sent = await manager.post("sink", body: .writer { try await $0.finish(trailers: [name: "1"]) }).response()
        #expect(sent.error?.code == .bodyUnreadable)
        #expect((sent.error?.underlyingError as? LarkspurError)?.code == .invalidHeaderField)
    }
}
