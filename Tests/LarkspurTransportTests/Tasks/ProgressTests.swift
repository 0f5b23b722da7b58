#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite("Progress and counts of tasks", .timeLimit(.minutes(5)))
struct ProgressTests {
    let server: LoopbackServer
    let log = DelegateLog()
    let session: CurlURLSession

    init() throws {
        server = try LoopbackServer()
        session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
    }

    @Test("A data task counts the received bytes")
    func data() async throws {
        let gate = LoopbackServer.Gate()
        let half = LoopbackServer.Response.Step.bytes(Data(count: 500))
        server.route("/halves", .stream([half, .wait(gate), half]))
        let task = session.dataTask(with: server.url("/halves"))
        let progress = task.progress
        #expect(progress.isIndeterminate)
        task.resume()
        try await log.wait(forBytes: 500)
        #expect(progress.completedUnitCount == 500)
        #expect(progress.totalUnitCount == 1000)
        #expect(task.countOfBytesExpectedToReceive == 1000)
        gate.open()
        try await log.ends.wait()
        #expect(progress.isFinished)
        #expect(progress.fractionCompleted == 1)
        #expect(task.countOfBytesReceived == 1000)
    }

    @Test("Without a length, the progress is indeterminate until the end", arguments: [true, false])
    func unknownLength(isAskedBefore: Bool) async throws {
        server.route("/chunks", .chunked([Data(count: 10), Data(count: 20)]))
        let task = session.dataTask(with: server.url("/chunks"))
        if isAskedBefore { #expect(task.progress.isIndeterminate) }
        _ = try await log.outcome(of: task)
        #expect(task.countOfBytesExpectedToReceive == NSURLSessionTransferSizeUnknown)
        #expect(task.countOfBytesReceived == 30)
        #expect(task.progress.isFinished)
    }

    @Test("The progress of a task is not a child of the current progress", arguments: [false, true])
    func currentProgress(hasEnded: Bool) async throws {
        let task = session.dataTask(with: server.url("/bytes/10"))
        if hasEnded { _ = try await log.outcome(of: task) }
        let parent = Progress(totalUnitCount: 2)
        func read() -> Progress {
            parent.becomeCurrent(withPendingUnitCount: 1)
            defer { parent.resignCurrent() }
            return task.progress
        }
        let progress = read()
        parent.pause()
        parent.cancel()
        #expect(!progress.isCancelled && !progress.isPaused && task.progress === progress)
        if !hasEnded { _ = try await log.outcome(of: task) }
        #expect(task.error == nil && progress.isFinished)
    }

    @Test("Concurrent readers of a task's progress get one object")
    func oneProgress() async throws {
        let task = session.dataTask(with: server.url("/bytes/10"))
        let objects = Recorder<ObjectIdentifier>()
        DispatchQueue.concurrentPerform(iterations: 64) { _ in objects.record(ObjectIdentifier(task.progress)) }
        #expect(Set(objects.values).count == 1)
        _ = try await log.outcome(of: task)
        #expect(task.progress.completedUnitCount == 10)
    }

    @Test("A download counts bytes like a data task")
    func download() async throws {
        let task = session.downloadTask(with: server.url("/bytes/100000"))
        _ = try await log.outcome(of: task)
        #expect(task.countOfBytesReceived == 100_000)
        #expect(task.countOfBytesExpectedToReceive == 100_000)
        #expect(task.progress.isFinished)
    }

    @Test("An upload counts the sent bytes, with a completion handler too", arguments: [false, true])
    func upload(hasHandler: Bool) async throws {
        let content = Data(count: 3 << 20)
        let request = URLRequest(server.url("/status/204"), "POST")
        let handled = Recorder<Void>()
        let task =
            hasHandler
            ? session.uploadTask(with: request, from: content) { _, _, _ in handled.record(()) }
            : session.uploadTask(with: request, from: content)
        task.resume()
        if hasHandler { try await handled.wait() } else { try await log.ends.wait() }
        #expect(task.countOfBytesSent == 3 << 20)
        #expect(task.countOfBytesExpectedToSend == 3 << 20)
        #expect(task.progress.isFinished)
        let totals = log.events.values.compactMap { event -> Int64? in
            guard case .sent(_, let total, 3_145_728) = event else { return nil }
            return total
        }
        #expect(totals == totals.sorted())
        // What was sent is told before the response to it.
        if !hasHandler { #expect(log.names == ["sent", "response", "completed"]) }
        #expect(totals.last == 3 << 20)
    }

    @Test("A length that becomes 0 does not end the process")
    func vanishingLength() {
        let progress = Progress(totalUnitCount: -1)
        var counts = TransferCounts()
        for (received, expected) in [(5, 10), (0, 0), (0, -1), (0, 7)] as [(Int64, Int64)] {
            counts.received = received
            counts.expectedToReceive = expected
            counts.show(in: progress)
            #expect(progress.totalUnitCount == (expected > 0 ? expected : -1))
        }
        counts.end(progress)
        #expect(progress.isFinished)
    }

    @Test("Cancelling the progress cancels the task")
    func cancel() async throws {
        let task = session.dataTask(with: server.url("/fault/no-response"))
        task.resume()
        task.progress.cancel()
        try await log.ends.wait()
        #expect(log.outcome.code == .cancelled)
    }

    @Test("Pausing and resuming the progress suspends and resumes the task")
    func pause() async throws {
        let task = session.dataTask(with: server.url("/get"))
        task.resume()
        task.progress.pause()
        try await eventually { task.state == .suspended || task.state == .completed }
        task.progress.resume()
        try await log.ends.wait()
        #expect(log.outcome.status == 200)
    }

    @Test("Pausing the progress repeatedly has the effect of pausing once")
    func pauseTwice() async throws {
        let task = session.dataTask(with: server.url("/get"))
        task.progress.pause()
        task.progress.pause()
        try await eventually { task.progress.isPaused }
        task.progress.resume()
        task.resume()
        try await log.ends.wait()
        #expect(log.outcome.status == 200)
    }

    @Test("The task is completed when the delegate's last call is made")
    func stateAtEnd() async throws {
        let states = Recorder<URLSessionTask.State>()
        let log = DelegateLog(.with { $0.completed = { states.record($0.state) } })
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        for path in ["/get", "/fault/close-before-header"] { session.dataTask(with: server.url(path)).resume() }
        #expect(try await states.wait(for: 2) == [.completed, .completed])
    }
}
#endif
