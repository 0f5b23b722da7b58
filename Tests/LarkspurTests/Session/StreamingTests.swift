import LarkspurTesting
import Synchronization
import Testing

@testable import Larkspur

@Suite("Tasks that deliver their content in chunks", .timeLimit(.minutes(5)))
struct StreamingTests {
    let server: LoopbackServer
    let ends = Recorder<DataResponse<Int64>>()
    let chunks = Recorder<Data>()

    init() throws { server = try LoopbackServer() }

    private func makeTask(_ manager: SessionManager, _ path: String) -> DataTask {
        start(manager.dataTask(with: URLRequest(url: server.url(path))))
    }

    /// Starts a task whose content and end are recorded.
    private func start(_ task: DataTask) -> DataTask {
        task.responseStream { [chunks] _, data in
            chunks.record(data)
        } completionHandler: { [ends] in
            ends.record($0)
        }
    }

    private func stream(_ count: Int, of part: Data) -> LoopbackServer.Response {
        .stream([.repeated([.bytes(part)], times: count)], framing: .chunked)
    }

    @Test("All content is delivered in order before the end, and none is collected", arguments: TestTransport.allCases)
    func content(_ transport: TestTransport) async throws {
        let parts = (0..<40).map { Data(repeating: UInt8($0), count: 50_000) }
        server.route("/stream", .stream(parts.map { .bytes($0) }))
        let manager = transport.makeManager(for: server)
        manager.maximumContentSize = 10
        let task = manager.dataTask(with: URLRequest(url: server.url("/stream")))
        let notifications = NotificationRecorder(task)

        _ = start(task)
        try await manager.finishAll()

        let end = try await ends.first()
        #expect(chunks.values.reduce(Data(), +) == parts.reduce(Data(), +))
        #expect(end.value == 2_000_000)
        #expect(end.data.isEmpty && end.error == nil)
        #expect(task.downloadProgress.fractionCompleted == 1)
        #expect(notifications.names.last == SessionTask.didCompleteNotification)
        #expect(notifications.events.values.last?.completion?.data?.isEmpty == true)
    }

    @Test("The content and the end are delivered on the completion queue", arguments: TestTransport.allCases)
    func completionQueue(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server, completionQueue: TestQueue.make("completion"))
        let places = Recorder<String?>()

        manager.get("bytes/1000").responseStream(onContent: { _, _ in places.record(TestQueue.current) }) { _ in
            places.record(TestQueue.current)
        }
        try await manager.finishAll()

        #expect(places.values.count >= 2 && places.values.allSatisfy { $0 == "completion" })
    }

    @Test("Content of any amount is not collected")
    func much() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        server.route("/much", stream(256, of: Data(count: 1 << 20)))
        let count = Atomic<Int>(0)

        let task = manager.dataTask(with: URLRequest(url: server.url("/much"))).responseStream { _, data in
            count.add(data.count, ordering: .relaxed)
        } completionHandler: { [ends] in
            ends.record($0)
        }
        task.resume()

        let end = try await ends.first()
        #expect(end.value == 256 << 20)
        #expect(end.data.isEmpty)
        #expect(count.load(ordering: .relaxed) == 256 << 20)
    }

    @Test("A slow consumer delays the transfer, and other tasks continue")
    func backPressure() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        server.route("/stream", stream(24, of: Data(count: 1 << 20)))
        let gate = LoopbackServer.Gate()
        let begun = Recorder<Void>()
        let sum = Atomic<Int>(0)
        let task = manager.dataTask(with: URLRequest(url: server.url("/stream"))).responseStream { _, data in
            begun.record(())
            _ = gate.wait()
            sum.add(data.count, ordering: .relaxed)
        } completionHandler: { [ends] in
            ends.record($0)
        }
        task.resume()
        try await begun.wait()

        // As much again on the same session, of which hooks tell: the completion queue is held up.
        let done = Recorder<Void>()
        manager.hooks.didComplete = { _, _ in done.record(()) }
        manager.dataTask(with: URLRequest(url: server.url("/stream")), as: .data) { _ in }.resume()
        try await done.wait()
        #expect(task.downloadProgress.completedUnitCount < 4 << 20)
        #expect(task.state == .running)

        gate.open()
        #expect(try await ends.first().value == 24 << 20)
        #expect(sum.load(ordering: .relaxed) == 24 << 20)
    }

    @Test("A slow data hook delays the transfer")
    func slowHook() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        server.route("/stream", stream(24, of: Data(count: 1 << 20)))
        let gate = LoopbackServer.Gate()
        let begun = Recorder<Void>()
        let task = manager.dataTask(with: URLRequest(url: server.url("/stream")), as: .data) { _ in }
        // Of the task alone: without a hook, parts that come later are not held back.
        task.hooks.didReceiveData = { _, _ in
            begun.record(())
            _ = gate.wait()
        }
        task.resume()
        try await begun.wait()

        let done = Recorder<Int>()
        manager.dataTask(with: URLRequest(url: server.url("/stream")), as: .data) { done.record($0.data.count) }
            .resume()
        #expect(try await done.first() == 24 << 20)
        #expect(task.downloadProgress.completedUnitCount < 4 << 20)

        gate.open()
        try await manager.finishAll()
        #expect(task.downloadProgress.completedUnitCount == 24 << 20)
    }

    @Test(
        "An unacceptable response is not delivered, and its beginning is in the error",
        arguments: TestTransport.allCases
    )
    func unacceptable(_ transport: TestTransport) async throws {
        server.route("/bad", .data(Data(repeating: 65, count: 3 << 20), status: 404))
        let manager = transport.makeManager(for: server)
        // Which is about what is collected.
        manager.maximumContentSize = 10

        makeTask(manager, "/bad").resume()

        let error = try #require(try await ends.first().error)
        #expect(error.code == .unacceptableStatusCode)
        #expect(error.responseData == Data(repeating: 65, count: 1 << 20))
        #expect(chunks.values.isEmpty)
    }

    @Test("Content of an unacceptable type is not delivered", arguments: TestTransport.allCases)
    func contentType(_ transport: TestTransport) async throws {
        server.route("/text", .text("abc"))
        let manager = transport.makeManager(for: server)
        let validation = ResponseValidation(acceptableContentTypes: ["application/json"])

        let task = manager.dataTask(
            with: URLRequest(url: server.url("/text")),
            options: CallOptions(validation: validation)
        ).responseStream {
            [chunks] _, data in
            chunks.record(data)
        } completionHandler: { [ends] in
            ends.record($0)
        }
        task.resume()

        #expect(try await ends.first().error?.code == .unacceptableContentType)
        #expect(chunks.values.isEmpty)
    }

    @Test("A response without content has no chunk, and no error", arguments: TestTransport.allCases)
    func empty(_ transport: TestTransport) async throws {
        makeTask(transport.makeManager(for: server), "/status/204").resume()

        #expect(try await ends.first().value == 0)
        #expect(chunks.values.isEmpty)
    }

    @Test("After a cancellation, no more content is delivered", arguments: TestTransport.allCases)
    func cancelled(_ transport: TestTransport) async throws {
        server.route("/stream", stream(200, of: Data(count: 100_000)))
        let manager = transport.makeManager(for: server)
        let task = manager.dataTask(with: URLRequest(url: server.url("/stream"))).responseStream {
            [chunks] task, data in
            task.cancel()
            chunks.record(data)
        } completionHandler: { [ends] in
            ends.record($0)
        }

        task.resume()
        try await manager.finishAll()

        #expect(ends.values.map { $0.error?.code } == [.cancelled])
        #expect(chunks.values.count == 1)
        #expect(manager.tasks.isEmpty)
    }

    @Test("Content that arrived before the connection was lost is delivered", arguments: TestTransport.allCases)
    func lost(_ transport: TestTransport) async throws {
        server.route("/cut", .raw([.text("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc")]))
        let manager = transport.makeManager(for: server)

        makeTask(manager, "/cut").resume()
        let end = try await ends.first()

        #expect(end.error?.code == .connectionLost)
        #expect(chunks.values == [Data("abc".utf8)])
    }

    @Test(
        "A suspended task delivers nothing twice when it continues, and may fail with the transport .foundation",
        arguments: TestTransport.allCases
    )
    func suspended(_ transport: TestTransport) async throws {
        let half = Data(repeating: 65, count: 100_000)
        let gate = LoopbackServer.Gate()
        server.route("/halves", .stream([.bytes(half), .wait(gate), .bytes(half)]))
        let task = makeTask(transport.makeManager(for: server), "/halves")

        task.resume()
        try await chunks.wait()
        task.suspend()
        task.resume()
        gate.open()
        let end = try await ends.first()

        let count = chunks.values.map(\.count).reduce(0, +)
        if transport == .foundation, let error = end.error {
            // Its transfer has begun again, if the suspension took effect.
            #expect(error.code == .connectionLost)
        } else {
            #expect(end.value == 200_000 && count == 200_000)
        }
    }

    @Test("A response that restarts after content was delivered is an error")
    func restarted() async throws {
        let stream = ResponseStream(validation: { ResponseValidation() }, consumer: .handler { _, _ in })
        let manager = SessionManager.stubbed()
        let url = server.url("/x")
        let task = manager.dataTask(with: URLRequest(url: url)) { _ in }
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": "text/plain"])
        )

        try stream.begin(with: response)
        try stream.begin(with: response)
        #expect(try stream.deliver(Data("abc".utf8), held: nil, from: task))

        #expect(throws: LarkspurError.self) { try stream.begin(with: response) }
        #expect(stream.count == 3)
        task.cancel()
    }

    @Test("A head that is ready for open() counts as delivered", arguments: [true, false])
    func arrivedHead(isOpened: Bool) async throws {
        let channel = ResponseChannel<LarkspurError>()
        let stream = ResponseStream(
            validation: { .anything },
            consumer: .channel(channel),
            mayHold: isOpened
        )
        let url = server.url("/x")
        let response = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil))
        try stream.begin(with: response)
        #expect(stream.hasDelivered == isOpened)
        if isOpened {
            #expect(throws: LarkspurError.self) { try stream.begin(with: response) }
        } else {
            try stream.begin(with: response)
        }
    }

    @Test("A streamed task that cannot be created ends with the error")
    func unmade() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        manager.invalidate(cancelingTasks: true)

        makeTask(manager, "/get").resume()

        #expect(try await ends.first().error?.code == .sessionInvalidated)
    }
}
