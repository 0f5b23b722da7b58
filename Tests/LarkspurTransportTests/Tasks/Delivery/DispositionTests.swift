#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite("The delegate's disposition of a response", .timeLimit(.minutes(5)))
struct DispositionTests {
    typealias Handler = @Sendable (URLSession.ResponseDisposition) -> Void

    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func run(
        _ path: String,
        _ answer: @escaping @Sendable (URLSessionDataTask, @escaping Handler) -> Void
    ) async throws -> DelegateLog {
        let log = DelegateLog(.with { $0.response = answer })
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        session.dataTask(with: server.url(path)).resume()
        try await log.ends.wait()
        return log
    }

    @Test("The disposition to cancel ends the task without content")
    func cancel() async throws {
        let log = try await run("/bytes/1000000") { _, answer in answer(.cancel) }
        #expect(log.outcome.code == .cancelled)
        #expect(log.names.starts(with: ["response", "completed"]))
    }

    @Test("Content waits for the delegate's disposition")
    func delayed() async throws {
        let handlers = Recorder<Handler>()
        let log = DelegateLog(.with { $0.response = { _, answer in handlers.record(answer) } })
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: server.url("/bytes/5000"))
        task.resume()
        let answer = try await handlers.first()
        // Its transfer is over when others of the session have come and gone.
        #expect(try await session.outcome(of: server.url("/get")).status == 200)
        #expect(log.names == ["response"])
        answer(.allow)
        // Nor does another answer count.
        answer(.cancel)
        try await log.ends.wait()
        #expect(log.data.count == 5000)
        #expect(log.outcome.error == nil)
    }

    @Test("A late disposition can cancel the task")
    func delayedCancel() async throws {
        let handlers = Recorder<Handler>()
        let log = DelegateLog(.with { $0.response = { _, answer in handlers.record(answer) } })
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        session.dataTask(with: server.url("/fault/endless-body")).resume()
        try await handlers.first()(.cancel)
        try await log.ends.wait()
        #expect(log.names == ["response", "completed"])
        #expect(log.outcome.code == .cancelled)
    }

    @Test(
        "A response is refused if the delegate releases the handler without a call, at once or later",
        arguments: [false, true]
    )
    func released(isLater: Bool) async throws {
        let log = try await run("/bytes/5000") { _, answer in
            if isLater { DispatchQueue.global().async { _ = answer } }
        }
        #expect(log.names == ["response", "completed"])
        #expect(log.outcome.code == .cancelled)
        #expect(log.outcome.error?.localizedDescription.contains("did not call the completion handler") == true)
    }

    /// Routes `/cut` to a response that the server cuts short after 600,000 bytes.
    private func routeCut() {
        server.route(
            "/cut",
            .raw([.text("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"), .bytes(Data(count: 600_000))])
        )
    }

    /// Starts a task whose delegate decides later, and waits until its transfer has failed.
    private func failUndecided(
        _ request: URLRequest,
        in session: CurlURLSession,
        _ handlers: Recorder<Handler>
    ) async throws -> Handler {
        session.dataTask(with: request).resume()
        let answer = try await handlers.first()
        try await server.waitForOpenConnections(0)
        // By the end of another request the session has seen the end of the first one.
        #expect(try await session.outcome(of: server.url("/get")).status == 200)
        return answer
    }

    private func makeUndecided() -> (CurlURLSession, DelegateLog, Recorder<Handler>) {
        let handlers = Recorder<Handler>()
        let log = DelegateLog(.with { $0.response = { _, answer in handlers.record(answer) } })
        return (CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil), log, handlers)
    }

    @Test("A delegate that accepts a response after its transfer has failed gets the content, and then the failure")
    func acceptedAfterFailure() async throws {
        routeCut()
        let (session, log, handlers) = makeUndecided()
        defer { session.finishTasksAndInvalidate() }
        let answer = try await failUndecided(URLRequest(url: server.url("/cut")), in: session, handlers)
        #expect(log.names == ["response"])
        answer(.allow)
        try await log.ends.wait()
        #expect(log.data.count == 600_000)
        #expect(log.names == ["response", "data", "completed"])
        #expect(log.outcome.code == .networkConnectionLost)
        // Once for this task, and once for the other one.
        #expect(Set(log.metrics.values.map(\.task)).count == 2 && log.metrics.values.count == 2)
    }

    @Test("A delegate that refuses a response after its transfer has failed gets the end at once")
    func refusedAfterFailure() async throws {
        routeCut()
        let (session, log, handlers) = makeUndecided()
        defer { session.finishTasksAndInvalidate() }
        let answer = try await failUndecided(URLRequest(url: server.url("/cut")), in: session, handlers)
        answer(.cancel)
        try await log.ends.wait()
        #expect(log.names == ["response", "completed"])
        #expect(log.outcome.error != nil)
    }

    @Test("A cancellation ends a task that has failed before its delegate decides")
    func cancelledAfterFailure() async throws {
        routeCut()
        let (session, log, handlers) = makeUndecided()
        _ = try await failUndecided(URLRequest(url: server.url("/cut")), in: session, handlers)
        session.invalidateAndCancel()
        try await eventually(1) { log.invalidations }
        #expect(log.names == ["response", "completed"])
        #expect(log.outcome.code == .cancelled)
        #expect(log.ends.values.count == 1)
    }

    @Test("The time limit applies while a delegate does not decide")
    func expired() async throws {
        let gate = LoopbackServer.Gate()
        defer { gate.open() }
        server.route(
            "/held",
            .raw([.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"), .text("hello"), .wait(gate)])
        )
        let (session, log, handlers) = makeUndecided()
        defer { session.finishTasksAndInvalidate() }
        session.dataTask(with: URLRequest(server.url("/held"), "GET", timeout: 1)).resume()
        try await log.ends.wait()
        #expect(handlers.values.count == 1)
        #expect(log.names == ["response", "completed"])
        #expect(log.outcome.code == .timedOut)
    }

    @Test("A task that waits for the disposition can be cancelled")
    func cancelledMeanwhile() async throws {
        let handlers = Recorder<Handler>()
        let log = try await run("/bytes/5000") { task, answer in
            handlers.record(answer)
            task.cancel()
        }
        #expect(log.outcome.code == .cancelled)
        try await handlers.first()(.allow)
        #expect(log.names.starts(with: ["response", "completed"]))
    }

    @Test("A server cannot send more than a delegate consumes, apart from the system's buffers")
    func backPressure() async throws {
        let consumed = LoopbackServer.Gate()
        let sent = LoopbackServer.Gate()
        let chunk = LoopbackServer.Response.Step.bytes(Data(count: 1 << 20))
        server.route("/large", .stream([.repeated([chunk], times: 48), .open(sent), .repeated([chunk], times: 4)]))
        let log = SizeLog(blocksAt: consumed)
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: server.url("/large"))
        task.resume()
        try await log.began.wait()
        try await passTime(0.5, by: server)
        #expect(!sent.isOpen)
        #expect(task.countOfBytesReceived < 16 << 20)
        consumed.open()
        #expect(try await log.ended.first() == 52 << 20)
        #expect(sent.isOpen)
    }

    @Test(
        "A server cannot send much while the disposition is missing or the task is suspended",
        arguments: [false, true]
    )
    func backPressureBefore(suspends: Bool) async throws {
        let sent = LoopbackServer.Gate()
        let chunk = LoopbackServer.Response.Step.bytes(Data(count: 1 << 20))
        server.route("/large", .stream([.repeated([chunk], times: 48), .open(sent)]))
        let handlers = Recorder<Handler>()
        let log = DelegateLog(
            .with {
                $0.response = { task, answer in
                    handlers.record(answer)
                    if suspends { task.suspend() }
                }
            }
        )
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: server.url("/large"))
        task.resume()
        let answer = try await handlers.first()
        try await passTime(0.5, by: server)
        #expect(!sent.isOpen)
        answer(.allow)
        task.resume()
        try await log.ends.wait()
        #expect(task.countOfBytesReceived == 48 << 20)
    }
}

/// Counts content, and does not return from the first call with it before a gate is open.
private final class SizeLog: NSObject, URLSessionDataDelegate {
    let began = Recorder<Void>()
    let ended = Recorder<Int64>()
    private let sizes = Recorder<Int64>()
    private let gate: LoopbackServer.Gate

    init(blocksAt gate: LoopbackServer.Gate) { self.gate = gate }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        sizes.record(Int64(data.count))
        began.record(())
        gate.wait()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        ended.record(sizes.values.reduce(0, +))
    }
}
#endif
