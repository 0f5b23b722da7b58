#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("Delegate calls as operations", .timeLimit(.minutes(5)))
struct DelegateQueueTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    /// Counts what is added to it.
    private final class CountingQueue: OperationQueue, @unchecked Sendable {
        // Safe: what it has is a constant.
        let additions = Recorder<Void>()

        override func addOperation(_ operation: Operation) {
            additions.record(())
            super.addOperation(operation)
        }
    }

    private static func serialQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }

    @Test("Each call is an operation, also after a late disposition", arguments: [false, true])
    func oneEach(isLate: Bool) async throws {
        let handlers = Recorder<@Sendable (URLSession.ResponseDisposition) -> Void>()
        let queue = CountingQueue()
        let additions = Recorder<Int>()
        let log = DelegateLog(
            .with {
                $0.response = { _, answer in
                    additions.record(queue.additions.values.count)
                    if isLate { handlers.record(answer) } else { answer(.allow) }
                }
                $0.data = { _, _ in additions.record(queue.additions.values.count) }
                $0.completed = { _ in additions.record(queue.additions.values.count) }
            }
        )
        let session = CurlURLSession(
            configuration: .testing { $0.urlCache = nil },
            delegate: log,
            delegateQueue: queue
        )
        session.dataTask(with: server.url("/bytes/300000")).resume()
        if isLate {
            let answer = try await handlers.first()
            #expect(try await session.outcome(of: server.url("/get")).status == 200)
            answer(.allow)
        }
        try await log.ends.wait()
        #expect(log.data.count == 300_000)
        // The operation of a call is added when the one before has returned.
        #expect(additions.values.count == log.events.values.count)
        #expect(Set(additions.values).count == additions.values.count)
        session.finishTasksAndInvalidate()
        try await eventually(1) { log.invalidations }
    }

    @Test(
        "An operation that a delegate method adds to the delegate queue runs before the next delegate method",
        arguments: [false, true]
    )
    func queuedWithin(isOwn: Bool) async throws {
        let queue = isOwn ? nil : Self.serialQueue()
        let order = Recorder<String>()
        let sessions = Recorder<CurlURLSession>()
        let log = DelegateLog(
            .with {
                $0.data = { _, _ in
                    order.record("data")
                    sessions.values.first?.delegateQueue.addOperation { order.record("queued") }
                }
                $0.completed = { _ in order.record("completed") }
            }
        )
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: queue)
        defer { session.finishTasksAndInvalidate() }
        sessions.record(session)
        session.dataTask(with: server.url("/bytes/300000")).resume()
        try await log.ends.wait()
        let count = (order.values.count - 1) / 2
        #expect(count > 1)
        #expect(order.values == [[String]](repeating: ["data", "queued"], count: count).flatMap { $0 } + ["completed"])
    }

    @Test(
        "After a delegate suspends its queue in a call, the next call waits until the queue continues",
        arguments: [false, true]
    )
    func suspended(isOwn: Bool) async throws {
        let queue = isOwn ? nil : Self.serialQueue()
        let sessions = Recorder<CurlURLSession>()
        let log = DelegateLog(
            .with {
                $0.response = { _, answer in
                    sessions.values.first?.delegateQueue.isSuspended = true
                    answer(.allow)
                }
            }
        )
        let session = CurlURLSession(
            configuration: .testing {
                $0.httpMaximumConnectionsPerHost = 1
                // The end of a task that is stored waits for its copy, while the next one goes on.
                $0.urlCache = nil
            },
            delegate: log,
            delegateQueue: queue
        )
        defer { session.finishTasksAndInvalidate() }
        sessions.record(session)
        session.dataTask(with: server.url("/bytes/1000")).resume()
        session.dataTask(with: server.url("/anything/next")).resume()
        try await server.waitForRequests(1, to: "/anything/next")
        try await passTime(0.1, by: server)
        #expect(log.names == ["response"])
        session.delegateQueue.isSuspended = false
        try await eventually { log.names.count > 2 && session.delegateQueue.isSuspended }
        session.delegateQueue.isSuspended = false
        try await log.ends.wait(for: 2)
        #expect(log.names == ["response", "data", "completed", "response", "data", "completed"])
    }

    @Test("While the queue is suspended, only as much content is read as for a slow delegate")
    func suspendedTransfer() async throws {
        let sent = LoopbackServer.Gate()
        let chunk = LoopbackServer.Response.Step.bytes(Data(count: 1 << 20))
        server.route("/large", .stream([.repeated([chunk], times: 48), .open(sent)]))
        let queue = Self.serialQueue()
        queue.isSuspended = true
        let log = DelegateLog()
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: queue)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: server.url("/large"))
        task.resume()
        try await passTime(0.5, by: server)
        #expect(!sent.isOpen)
        #expect(log.names.isEmpty)
        queue.isSuspended = false
        try await log.ends.wait()
        #expect(task.countOfBytesReceived == 48 << 20)
    }

    @Test("On a queue with several operations at a time, the calls of a task are made in order, one at a time")
    func concurrent() async throws {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 8
        let log = DelegateLog()
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: queue)
        defer { session.finishTasksAndInvalidate() }
        let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8)) })
        server.route("/content", .data(content))
        let logs = (0..<20).map { _ in DelegateLog() }
        for own in logs {
            let task = session.dataTask(with: server.url("/content"))
            task.delegate = own
            task.resume()
        }
        for own in logs {
            try await own.ends.wait()
            #expect(own.data == content)
            #expect(own.names == ["response", "data", "completed"])
        }
    }

    @Test("The delegate queue may be the main queue")
    func mainQueue() async throws {
        let onMain = Recorder<Bool>()
        let log = DelegateLog(
            .with { $0.data = { _, _ in onMain.record(OperationQueue.current === OperationQueue.main) } }
        )
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: .main)
        defer { session.finishTasksAndInvalidate() }
        session.dataTask(with: server.url("/bytes/100")).resume()
        try await log.ends.wait()
        #expect(Set(onMain.values) == [true])
        #expect(try await session.outcome(of: server.url("/get")).status == 200)
    }

    @Test("Cancelling all operations of the queue drops no call")
    func cancelledOperations() async throws {
        let queue = Self.serialQueue()
        let log = DelegateLog(
            .with {
                $0.response = { _, answer in
                    queue.cancelAllOperations()
                    answer(.allow)
                }
            }
        )
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: queue)
        queue.isSuspended = true
        let tasks = (0..<10).map { _ in session.dataTask(with: server.url("/bytes/1000")) }
        for task in tasks { task.resume() }
        try await server.waitForRequests(10, to: "/bytes/1000")
        queue.cancelAllOperations()
        queue.isSuspended = false
        try await log.ends.wait(for: 10)
        session.finishTasksAndInvalidate()
        try await eventually(1) { log.invalidations }
        #expect(log.data.count == 10_000)
    }

    @Test(
        "Completion handlers and delegate calls of many tasks run on the queue, each task's end once",
        arguments: [1, 4]
    )
    func handlers(width: Int) async throws {
        let queue = OperationQueue()
        queue.name = "calls"
        queue.maxConcurrentOperationCount = width
        let log = DelegateLog()
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: queue)
        let handled = Recorder<String?>()
        for index in 0..<40 {
            if index.isMultiple(of: 2) {
                session.dataTask(with: server.url("/bytes/100")) { data, _, _ in
                    handled.record(data?.count == 100 ? OperationQueue.current?.name : nil)
                }.resume()
            } else {
                session.dataTask(with: server.url("/bytes/100")).resume()
            }
        }
        session.finishTasksAndInvalidate()
        try await eventually(1) { log.invalidations }
        #expect(handled.values == [String?](repeating: "calls", count: 20))
        #expect(log.ends.values.count == 20)
        #expect(Set(log.ends.values).count == 20)
        #expect(Set(log.queues.values) == ["calls"])
        // Invalid is the last word.
        #expect(log.events.values.last?.name == "invalid")
    }

    @Test("A delegate is asked for a body stream on its queue")
    func bodyStream() async throws {
        let queue = Self.serialQueue()
        let asked = Recorder<Bool>()
        let log = DelegateLog(
            .with {
                $0.stream = { _, answer in
                    asked.record(OperationQueue.current === queue)
                    answer(InputStream(data: Data("content".utf8)))
                }
            }
        )
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: queue)
        defer { session.finishTasksAndInvalidate() }
        session.uploadTask(withStreamedRequest: URLRequest(server.url("/anything"), "POST")).resume()
        try await log.ends.wait()
        #expect(asked.values == [true])
        #expect(server.requests.map(\.body) == [Data("content".utf8)])
    }

    enum Moment: String, CaseIterable, Sendable {
        case response, data, completed, challenge, redirect, stream, sent
    }

    enum Deed: String, CaseIterable, Sendable {
        case cancel, invalidate, finish
    }

    @Test("A delegate may cancel or invalidate during each of its calls", arguments: Moment.allCases, Deed.allCases)
    func within(moment: Moment, deed: Deed) async throws {
        let sessions = Recorder<CurlURLSession>()
        let tasks = Recorder<URLSessionTask>()
        let act: @Sendable (Moment) -> Void = { now in
            guard now == moment else { return }
            switch deed {
            case .cancel: for task in tasks.values { task.cancel() }
            case .invalidate: for session in sessions.values { session.invalidateAndCancel() }
            case .finish: for session in sessions.values { session.finishTasksAndInvalidate() }
            }
        }
        let log = DelegateLog(
            .with {
                $0.response = { _, answer in
                    act(.response)
                    answer(.allow)
                }
                $0.data = { _, _ in act(.data) }
                $0.completed = { _ in act(.completed) }
                $0.challenge = { _ in
                    act(.challenge)
                    return (.performDefaultHandling, nil)
                }
                $0.redirect = { _, request, answer in
                    act(.redirect)
                    answer(request)
                }
                $0.stream = { _, answer in
                    act(.stream)
                    answer(InputStream(data: Data("content".utf8)))
                }
                $0.sent = { _ in act(.sent) }
            }
        )
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: OperationQueue())
        sessions.record(session)
        let made: [URLSessionTask] = [
            session.dataTask(with: server.url("/bytes/300000")), session.dataTask(with: server.url("/redirect/2")),
            session.dataTask(with: server.url("/basic-auth/user/password")),
            session.uploadTask(withStreamedRequest: URLRequest(server.url("/anything"), "PUT")),
            session.downloadTask(with: server.url("/bytes/100000")),
        ]
        for task in made { tasks.record(task) }
        for task in made { task.resume() }
        try await log.ends.wait(for: made.count)
        session.finishTasksAndInvalidate()
        try await eventually(1) { log.invalidations }
        #expect(Set(log.ends.values).count == made.count)
        #expect(log.ends.values.count == made.count)
        #expect(log.metrics.values.count == made.count)
        #expect(made.allSatisfy { $0.state == .completed })
    }
}
#endif
