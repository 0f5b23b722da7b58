#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("Metrics for delegates", .timeLimit(.minutes(5)))
struct CurlTaskMetricsTests {
    let server: LoopbackServer
    let log = DelegateLog()
    let session: CurlURLSession

    init() throws {
        server = try LoopbackServer()
        session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
    }

    enum Ending: String, CaseIterable, Sendable {
        case data, download, upload, redirect, failure, unsupported, cancelledFirst, cancelledLater, cancelledInResponse
        case becameDownload
    }

    private func task(_ ending: Ending, in session: URLSession) -> URLSessionTask {
        switch ending {
        case .data: session.dataTask(with: server.url("/get"))
        case .download: session.downloadTask(with: server.url("/bytes/1000"))
        case .upload: session.uploadTask(with: URLRequest(server.url("/anything"), "PUT"), from: Data(count: 10))
        case .redirect: session.dataTask(with: server.url("/redirect/2"))
        case .failure: session.dataTask(with: server.url("/fault/close-before-header"))
        case .unsupported: session.uploadTask(with: URLRequest(url: URL(filePath: "/tmp")), from: Data())
        case .cancelledFirst, .cancelledLater: session.dataTask(with: server.url("/fault/no-response"))
        case .cancelledInResponse, .becameDownload: session.dataTask(with: server.url("/bytes/100000"))
        }
    }

    @Test("A task has metrics once, before its end, however it ends", arguments: Ending.allCases)
    func once(ending: Ending) async throws {
        let log = DelegateLog(
            .with {
                switch ending {
                case .cancelledInResponse: $0.response = { _, answer in answer(.cancel) }
                case .becameDownload:
                    $0.response = { _, answer in answer(URLSession.ResponseDisposition(rawValue: 2) ?? .allow) }
                default: break
                }
            }
        )
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: OperationQueue())
        let task = task(ending, in: session)
        if ending != .cancelledFirst { task.resume() }
        if ending == .cancelledLater { try await server.waitForRequests(1) }
        if ending == .cancelledFirst || ending == .cancelledLater { task.cancel() }
        try await log.ends.wait()
        session.finishTasksAndInvalidate()
        try await eventually(1) { log.invalidations }
        #expect(log.metrics.values.count == 1)
        let (metrics, identifier, ends) = try await log.metrics.first()
        #expect(ends == 0)
        #expect(identifier == task.taskIdentifier)
        let own = try #require(metrics as? CurlTaskMetrics)
        #expect(own.transactions == task.transactionMetrics)
        #expect(own.followedRedirectCount == (ending == .redirect ? 2 : 0))
        #expect(own.interval.duration >= 0)
        #expect(own.interval.end <= Date())
        if ending == .redirect { #expect(own.transactions.map { $0.response?.statusCode } == [302, 302, 200]) }
        // What cannot be set from outside.
        #expect(metrics.transactionMetrics.isEmpty)
        #expect(metrics.redirectCount == 0)
    }

    @Test("Metrics are delivered with completion handlers and await, to the task's delegate or else to the session's")
    func ownDelegate() async throws {
        let handled = Recorder<Int>()
        session.dataTask(with: server.url("/get")) { _, _, _ in handled.record(log.metrics.values.count) }.resume()
        #expect(try await handled.first() == 1)

        let own = DelegateLog()
        _ = try await session.data(for: URLRequest(url: server.url("/get")), delegate: own)
        _ = try await session.download(for: URLRequest(url: server.url("/get")), delegate: own)
        #expect(own.metrics.values.map(\.ends) == [0, 0])
        #expect(own.ends.values.isEmpty)
        #expect(log.metrics.values.count == 1)

        let plain = CurlURLSession(configuration: .testing)
        defer { plain.finishTasksAndInvalidate() }
        _ = try await plain.data(for: URLRequest(url: server.url("/get")), delegate: own)
        #expect(own.metrics.values.count == 3)
    }

    @Test(
        "Metrics are delivered once if the delegate then cancels the task, also for a task that cannot begin",
        arguments: [false, true]
    )
    func cancelledInMetrics(isLate: Bool) async throws {
        for queue in [nil, OperationQueue()] {
            let log = DelegateLog(.with { $0.metrics = { $0.cancel() } })
            let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: queue)
            // The session waits for this one.
            let first = session.dataTask(with: server.url("/fault/no-response"))
            first.resume()
            if isLate { session.finishTasksAndInvalidate() }
            for _ in 0..<30 { session.dataTask(with: server.url("/get")).resume() }
            try await log.ends.wait(for: 30)
            #expect(log.metrics.values.count == 30)
            first.cancel()
            session.finishTasksAndInvalidate()
        }
    }

    @Test("A task that is cancelled while its response is held gets metrics before its end")
    func heldResponse() async throws {
        let handlers = Recorder<@Sendable (URLSession.ResponseDisposition) -> Void>()
        let log = DelegateLog(.with { $0.response = { _, answer in handlers.record(answer) } })
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: OperationQueue())
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: server.url("/fault/short-body"))
        task.resume()
        let answer = try await handlers.first()
        task.cancel()
        try await log.ends.wait()
        #expect(log.metrics.values.map(\.ends) == [0])
        answer(.allow)
    }
}
#endif
