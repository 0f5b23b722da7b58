import LarkspurTesting
import LarkspurTransport
import Testing

@testable import LarkspurTransport

@Suite("Decoding for a slow consumer", .timeLimit(.minutes(5)))
struct SlowConsumerTests {
    let server: LoopbackServer
    let consumer = SlowConsumer()
    let session: CurlURLSession
    let task: URLSessionDataTask

    init() throws {
        server = try LoopbackServer()
        var options = CurlURLSession.Options()
        options.maximumExpansion = 1000
        session = CurlURLSession(configuration: .testing, delegate: consumer, options: options)
        task = session.dataTask(with: server.url("/coded"))
    }

    private func serve(_ content: Data, _ field: String) {
        server.route("/coded", .data(content).adding("Content-Encoding", field))
    }

    /// Waits until the loop has done what it had to do.
    private func turnOfLoop() async {
        await withCheckedContinuation { continuation in session.core.loop.post(.run { continuation.resume() }) }
    }

    /// Starts the task, waits until the consumer holds it up, and checks that no more than the backlog allows was
    /// decoded for it.
    private func start(_ events: inout AsyncStream<SlowConsumer.Event>.Iterator) async throws -> Int {
        task.resume()
        guard case .data(let first)? = await events.next() else {
            Issue.record("Nothing was delivered")
            return 0
        }
        while task.countOfBytesReceived < Backlog.upperMark {
            try Task.checkCancellation()
            await turnOfLoop()
        }
        for _ in 0..<3 { await turnOfLoop() }
        #expect(task.countOfBytesReceived <= Backlog.upperMark + ContentDecoder.chunkSize)
        return first.count
    }

    /// Takes everything up to the completion, which has to be the last event.
    private func takeRest(_ events: inout AsyncStream<SlowConsumer.Event>.Iterator) async -> (zeros: Int, URLError?)? {
        var count = 0
        while let event = await events.next() {
            switch event {
            case .data(let data):
                #expect(data.count <= ContentDecoder.chunkSize)
                #expect(data.allSatisfy { $0 == 0 })
                count += data.count
            case .complete(let error):
                #expect(await events.next() == nil)
                return (count, error)
            }
        }
        return nil
    }

    @Test("Content of 64 MiB in 90 kilobytes is decoded only as fast as it is consumed")
    func largeBody() async throws {
        let content = CodedSample.zeros(members: 1024)
        serve(content, "gzip")
        var events = consumer.events.makeAsyncIterator()

        let first = try await start(&events)
        consumer.open()
        let rest = try #require(await takeRest(&events))

        #expect(first + rest.zeros == 64 << 20)
        #expect(rest.1 == nil)
        let metrics = try #require(task.transactionMetrics.last)
        #expect(metrics.responseBodyBytes == content.count)
        #expect(metrics.responseBodyBytesDecoded == 64 << 20)
    }

    @Test("A task completes after its content is consumed, even if its transfer has ended long before")
    func transferEndsFirst() async throws {
        serve(CodedSample.brotliZeros, "br")
        var events = consumer.events.makeAsyncIterator()

        let first = try await start(&events)
        #expect(task.state == .running)
        consumer.open()
        let rest = try #require(await takeRest(&events))

        #expect(first + rest.zeros == 16 << 20)
        #expect(rest.1 == nil)
        #expect(task.transactionMetrics.last?.responseBodyBytesDecoded == 16 << 20)
    }

    @Test("An error about truncated content follows the content that could be decoded")
    func truncated() async throws {
        serve(CodedSample.zeros(members: 64).dropLast(), "gzip")
        var events = consumer.events.makeAsyncIterator()

        let first = try await start(&events)
        consumer.open()
        let rest = try #require(await takeRest(&events))

        #expect(first + rest.zeros == 4 << 20)
        #expect(rest.1?.code == .cannotDecodeContentData)
    }

    @Test("The failure of a transfer is reported after the content that could be decoded")
    func cutShort() async throws {
        let content = CodedSample.zeros(members: 64)
        server.route(
            "/coded",
            .raw([
                .text("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(content.count + 1)\r\n\r\n"),
                .bytes(content),
            ])
        )
        var events = consumer.events.makeAsyncIterator()

        let first = try await start(&events)
        try await server.waitForOpenConnections(0)
        for _ in 0..<3 { await turnOfLoop() }
        consumer.open()
        let rest = try #require(await takeRest(&events))

        #expect(first + rest.zeros == 4 << 20)
        #expect(rest.1?.code == .networkConnectionLost)
        #expect(task.transactionMetrics.last?.responseBodyBytesDecoded == 4 << 20)
    }

    @Test("A suspended task decodes no content until it is resumed, even if its transfer has ended")
    func suspended() async throws {
        serve(CodedSample.brotliZeros, "br")
        var events = consumer.events.makeAsyncIterator()

        let first = try await start(&events)
        task.suspend()
        consumer.open()
        // Far more than it takes to consume what is on its way.
        var delivered = first
        while delivered < task.countOfBytesReceived, case .data(let data)? = await events.next() {
            delivered += data.count
        }
        for _ in 0..<3 { await turnOfLoop() }
        #expect(task.countOfBytesReceived == delivered)
        task.resume()
        let rest = try #require(await takeRest(&events))

        #expect(delivered + rest.zeros == 16 << 20)
        #expect(rest.1 == nil)
    }

    @Test("A task can be cancelled while the last of its content waits for the consumer")
    func cancelled() async throws {
        serve(CodedSample.brotliZeros, "br")
        var events = consumer.events.makeAsyncIterator()

        _ = try await start(&events)
        task.cancel()
        await turnOfLoop()
        consumer.open()
        let rest = try #require(await takeRest(&events))

        #expect(rest.1?.code == .cancelled)
    }

    @Test("Malformed content that libcurl has buffered during a pause ends the task at once")
    func broken() async throws {
        let (hasAll, isWritten, isOver) = (LoopbackServer.Gate(), LoopbackServer.Gate(), LoopbackServer.Gate())
        // Stored blocks of DEFLATE (RFC 1951, section 3.2.4), as many as the backlog has room for.
        let block = Data([0, 0x00, 0x80, 0xFF, 0x7F]) + Data(count: 1 << 15)
        let count = Backlog.upperMark
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9999999\r\n\r\n")
            connection.write(Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]))
            for _ in 0..<(count >> 15) { connection.write(block) }
            hasAll.wait(timeout: .seconds(60))
            // The length and its complement do not match.
            connection.write(Data([0, 1, 0, 1, 0, 0]))
            isWritten.open()
            isOver.wait(timeout: .seconds(120))
        }
        defer { isOver.open() }
        let task = session.dataTask(with: server.url)
        var events = consumer.events.makeAsyncIterator()
        task.resume()
        guard case .data? = await events.next() else {
            Issue.record("Nothing was delivered")
            return
        }
        try await eventually(Int64(count)) { task.countOfBytesReceived }
        hasAll.open()
        await isWritten.wait()
        // The bytes are there: the next turn finds them.
        for _ in 0..<3 { await turnOfLoop() }
        consumer.open()
        let rest = try #require(await takeRest(&events))

        #expect(rest.1?.code == .cannotDecodeContentData)
    }
}
