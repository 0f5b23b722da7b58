#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

/// Uses of the interface that end a process, hang or come out wrong with FoundationNetworking's own engine.
@Suite("Control of tasks", .timeLimit(.minutes(5)))
struct TaskControlTests {
    let server: LoopbackServer
    let log = DelegateLog()
    let session: CurlURLSession

    init() throws {
        server = try LoopbackServer()
        session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
    }

    // MARK: Cancelling

    @Test("A task that was never resumed can be cancelled")
    func cancelFirst() async throws {
        let task = session.dataTask(with: server.url("/get"))
        task.cancel()
        task.resume()
        try await log.ends.wait()
        #expect(log.outcome.code == .cancelled)
        #expect((task.error as? URLError)?.code == .cancelled)
        #expect(task.state == .completed)
        #expect(server.requests.isEmpty)
    }

    @Test("Repeated cancellations, and those after the end, have no further effect")
    func cancelAgain() async throws {
        let task = session.dataTask(with: server.url("/fault/no-response"))
        task.resume()
        task.cancel()
        task.cancel()
        try await log.ends.wait()
        task.cancel()
        #expect(task.state == .completed)
        #expect(try await session.outcome(of: server.url("/get")).status == 200)
        #expect(log.names == ["completed"])
    }

    @Test("A task that is cancelled before its completion handler runs ends as cancelled")
    func cancelAtEnd() async throws {
        let gate = LoopbackServer.Gate()
        let outcomes = Recorder<Outcome>()
        // With it a request arrives only when the transfer before it is over.
        let oneConnection = URLSessionConfiguration.testing { $0.httpMaximumConnectionsPerHost = 1 }
        let session = CurlURLSession(configuration: oneConnection)
        defer { session.finishTasksAndInvalidate() }
        session.delegateQueue.addOperation { gate.wait(timeout: .seconds(170)) }
        let task = session.dataTask(with: server.url("/get")) {
            outcomes.record(Outcome(data: $0, response: $1, error: $2))
        }
        task.resume()
        session.dataTask(with: server.url("/bytes/20")).resume()
        try await server.waitForRequests(1, to: "/bytes/20")
        task.cancel()
        gate.open()
        #expect(try await outcomes.first().code == .cancelled)
        #expect(try await outcomes.first().data == nil)
    }

    @Test("The delegate's file stays if the delegate cancels the finished download")
    func cancelWithFile() async throws {
        final class Canceller: NSObject, URLSessionDownloadDelegate {
            let outcomes = Recorder<Outcome>()

            func urlSession(
                _ session: URLSession,
                downloadTask: URLSessionDownloadTask,
                didFinishDownloadingTo location: URL
            ) { downloadTask.cancel() }

            func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                outcomes.record(Outcome(error: error))
            }
        }
        let canceller = Canceller()
        let session = CurlURLSession(configuration: .testing, delegate: canceller, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        session.downloadTask(with: server.url("/get")).resume()
        #expect(try await canceller.outcomes.first().error == nil)
    }

    // MARK: Invalid sessions

    @Test("An invalid session's tasks fail", arguments: [false, true])
    func invalid(cancels: Bool) async throws {
        if cancels { session.invalidateAndCancel() } else { session.finishTasksAndInvalidate() }
        for _ in 0..<2 {
            let outcome = try await session.outcome(of: server.url("/get"))
            #expect(outcome.code == .cancelled)
        }
        let error = await #expect(throws: URLError.self) { try await session.data(from: server.url("/get")) }
        #expect(error?.code == .cancelled)
        let file = try TemporaryDirectory()
        let tasks: [URLSessionTask] = [
            session.uploadTask(with: URLRequest(server.url("/post"), "POST"), from: Data()),
            try session.uploadTask(with: URLRequest(server.url("/post"), "POST"), fromFile: file.file()),
            session.downloadTask(with: server.url("/get")), session.dataTask(with: server.url("/get")),
            session.uploadTask(withStreamedRequest: URLRequest(server.url("/post"), "POST")),
        ]
        for task in tasks {
            task.resume()
            task.suspend()
            task.resume()
            task.cancel()
        }
        try await eventually { tasks.allSatisfy { $0.state == .completed } }
        #expect(server.requests.isEmpty)
    }

    @Test("The shared session cannot be invalidated")
    func shared() async throws {
        CurlURLSession.shared.finishTasksAndInvalidate()
        CurlURLSession.shared.invalidateAndCancel()
        #expect(try await CurlURLSession.shared.outcome(of: server.url("/get")).status == 200)
    }

    @Test("CurlURLSession.shared is the engine's session, also through the type of the superclass")
    func sharedType() {
        let session: CurlURLSession = .shared
        let type: URLSession.Type = CurlURLSession.self

        #expect(type.shared === session)
        #expect(URLSession.shared !== session)
    }

    // MARK: Other things

    @Test("A running task can get a delegate, which is released at the end")
    func lateDelegate() async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .text("held").held(until: gate))
        let task = session.dataTask(with: server.url("/held"))
        task.resume()
        try await server.waitForRequests(1)
        let own = DelegateLog()
        task.delegate = own
        gate.open()
        try await own.ends.wait()
        #expect(own.names == ["response", "data", "completed"])
        #expect(log.names.isEmpty)
        try await eventually { task.delegate == nil }
    }

    @Test("A delegate that controls its task while it is deallocated does not deadlock")
    func delegateDeinit() async throws {
        final class Owner: NSObject, URLSessionTaskDelegate {
            let task: URLSessionTask
            init(_ task: URLSessionTask) { self.task = task }
            deinit { task.cancel() }
        }
        let task = session.dataTask(with: server.url("/get"))
        task.delegate = Owner(task)
        task.delegate = nil
        try await log.ends.wait()
        #expect(log.outcome.code == .cancelled)
    }

    @Test("The lists of tasks can be requested while tasks begin and end")
    func allTasks() async throws {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 8
        let session = CurlURLSession(configuration: .testing, delegate: nil, delegateQueue: queue)
        defer { session.finishTasksAndInvalidate() }
        let outcomes = Recorder<Outcome>()
        let lists = Recorder<Int>()
        for round in 1...200 {
            session.dataTask(with: server.url("/get")) {
                outcomes.record(Outcome(data: $0, response: $1, error: $2))
            }.resume()
            session.getAllTasks { lists.record($0.count) }
            session.getTasksWithCompletionHandler { data, _, _ in lists.record(data.count) }
            if round.isMultiple(of: 20) { try await outcomes.wait(for: round - 10) }
        }
        #expect(try await outcomes.wait(for: 200).allSatisfy { $0.status == 200 })
        try await lists.wait(for: 400)
        #expect(lists.values.contains { $0 > 0 })
        try await eventually { session.core.tasks.isEmpty }
    }

    @Test("The list of tasks has those that have not ended, by kind")
    func listOfTasks() async throws {
        let data = session.dataTask(with: server.url("/fault/no-response"))
        let upload = session.uploadTask(with: URLRequest(server.url("/post"), "POST"), from: Data())
        let download = session.downloadTask(with: server.url("/get"))
        data.resume()
        let lists = Recorder<[[Int]]>()
        session.getTasksWithCompletionHandler {
            lists.record([$0.map(\.taskIdentifier), $1.map(\.taskIdentifier), $2.map(\.taskIdentifier)])
        }
        let expected = [[data.taskIdentifier], [upload.taskIdentifier], [download.taskIdentifier]]
        #expect(try await lists.first() == expected)
        data.cancel()
        try await log.ends.wait()
        #expect(Set(session.core.tasks.map(\.taskIdentifier)) == [upload.taskIdentifier, download.taskIdentifier])
    }

    @Test("The list of all tasks omits cancelled tasks")
    func cancelledTasks() async throws {
        let gate = LoopbackServer.Gate()
        // The delegate is busy, so that no task can end.
        let busy = DelegateLog(.with { $0.data = { _, _ in gate.wait(timeout: .seconds(170)) } })
        let session = CurlURLSession(configuration: .testing, delegate: busy, delegateQueue: nil)
        session.dataTask(with: server.url("/get")).resume()
        try await busy.wait(forBytes: 1)
        let kept = session.dataTask(with: server.url("/fault/no-response"))
        let cancelled = session.dataTask(with: server.url("/fault/no-response"))
        kept.resume()
        cancelled.resume()
        cancelled.cancel()
        let lists = Recorder<[Int]>()
        session.getAllTasks { lists.record($0.map(\.taskIdentifier)) }
        gate.open()
        let list = try await lists.first()
        #expect(list.contains(kept.taskIdentifier))
        #expect(!list.contains(cancelled.taskIdentifier))
        session.invalidateAndCancel()
        try await busy.ends.wait(for: 3)
    }

    @Test("A delegate may control the task while it is asked for a stream", arguments: [false, true])
    func streamAndControl(cancels: Bool) async throws {
        let log = DelegateLog(
            .with {
                $0.stream = { task, answer in
                    task.priority = 0.9
                    if cancels { task.cancel() }
                    answer(InputStream(data: Data("content".utf8)))
                }
            }
        )
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.uploadTask(withStreamedRequest: URLRequest(server.url("/post"), "POST"))
        let outcome = try await log.outcome(of: task)
        #expect(outcome.code == (cancels ? .cancelled : nil))
        #expect(server.requests.map(\.body) == (cancels ? [] : [Data("content".utf8)]))
        #expect(task.priority == 0.9)
    }

    @Test("A stream that is provided after a cancellation is not used, and a missing stream is an error")
    func lateStream() async throws {
        let answers = Recorder<@Sendable (InputStream?) -> Void>()
        let log = DelegateLog(.with { $0.stream = { _, answer in answers.record(answer) } })
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.uploadTask(withStreamedRequest: URLRequest(server.url("/post"), "POST"))
        task.resume()
        let answer = try await answers.first()
        task.cancel()
        try await log.ends.wait()
        answer(InputStream(data: Data("content".utf8)))
        let other = session.uploadTask(withStreamedRequest: URLRequest(server.url("/post"), "POST"))
        other.resume()
        try await answers.wait(for: 2)[1](nil)
        try await log.ends.wait(for: 2)
        #expect((other.error as? URLError)?.code == .requestBodyStreamExhausted)
        #expect(server.requests.isEmpty)
    }
}
#endif
