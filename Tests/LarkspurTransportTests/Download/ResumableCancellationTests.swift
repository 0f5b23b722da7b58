#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite("Downloads that are cancelled with resume data", .timeLimit(.minutes(5)))
struct ResumableCancellationTests {
    let server: LoopbackServer
    let folder: DownloadFolder
    let log = DelegateLog()
    let session: CurlURLSession

    init() throws {
        server = try LoopbackServer()
        folder = try DownloadFolder()
        session = CurlURLSession(
            configuration: .testing,
            delegate: log,
            delegateQueue: nil,
            options: folder.options
        )
    }

    private let content = ServedFile.bytes(10_000)

    /// Sends 4000 bytes and then waits for a gate; the rest to whoever asks for that.
    private func serveInChunks(_ fields: LoopbackServer.Fields = ["ETag": ServedFile.tag]) -> LoopbackServer.Gate {
        let gate = LoopbackServer.Gate()
        var first = LoopbackServer.Response.stream([
            .bytes(content.prefix(4_000)), .wait(gate), .bytes(content.dropFirst(4_000)),
        ])
        first.headers = fields
        var whole = LoopbackServer.Response.data(content)
        for field in fields { whole.headers[field.name] = field.value }
        whole.acceptsRanges = true
        server.route("/file", first, whole)
        return gate
    }

    /// Waits until the 4000 bytes are written.
    private func waitForContent() async throws {
        try await log.events.wait { events in
            events.contains { if case .wrote(_, let total, _) = $0 { total >= 4_000 } else { false } }
        }
    }

    private func cancel(_ task: URLSessionDownloadTask) async throws -> Data? {
        let answers = Recorder<Data?>()
        task.cancel { answers.record($0) }
        return try await answers.first()
    }

    @Test(
        "The handler gets resume data once, the task ends as cancelled, and another task continues the download",
        arguments: [true, false]
    )
    func goesOn(isSuspended: Bool) async throws {
        _ = serveInChunks()
        let task = session.downloadTask(with: server.url("/file"))
        task.resume()
        try await waitForContent()
        if isSuspended { task.suspend() }
        let answers = Recorder<Data?>()
        task.cancel { answers.record($0) }
        task.cancel { answers.record($0) }
        try await log.ends.wait()
        try await answers.wait(for: 2)
        let data = try #require(answers.values.compactMap { $0 }.first)
        #expect(answers.values.compactMap { $0 }.count == 1)
        #expect(log.outcome.code == .cancelled)
        #expect((log.outcome.error as? URLError)?.downloadTaskResumeData == data)
        #expect(log.names.last == "completed")

        let next = DelegateLog()
        let session = CurlURLSession(
            configuration: .testing,
            delegate: next,
            delegateQueue: nil,
            options: folder.options
        )
        defer { session.finishTasksAndInvalidate() }
        #expect(try await next.outcome(of: session.downloadTask(withResumeData: data)).data == content)
        #expect(server.requests.last?.headers["Range"] == "bytes=4000-")
        #expect(folder.files.isEmpty)
    }

    @Test("A download that cannot be resumed gives nil and leaves no file")
    func notResumable() async throws {
        _ = serveInChunks([:])
        let task = session.downloadTask(with: server.url("/file"))
        task.resume()
        try await waitForContent()
        #expect(task.currentResumeData == nil)
        #expect(try await cancel(task) == nil)
        try await log.ends.wait()
        #expect(folder.files.isEmpty)
    }

    @Test("A download that is complete when it is cancelled ends without an error, even if its delegate is busy")
    func tooLate() async throws {
        server.route("/file", .data(content))
        let answers = Recorder<Data?>()
        let gate = LoopbackServer.Gate()
        let queue = OperationQueue()
        let log = DelegateLog()
        let session = CurlURLSession(
            configuration: .testing { $0.httpMaximumConnectionsPerHost = 1 },
            delegate: log,
            delegateQueue: queue,
            options: folder.options
        )
        defer { session.finishTasksAndInvalidate() }
        let task = session.downloadTask(with: server.url("/file"))
        queue.addOperation { gate.wait(timeout: .seconds(170)) }
        queue.maxConcurrentOperationCount = 1
        task.resume()
        session.dataTask(with: server.url("/anything/next")).resume()
        // The next has the connection when the first is over, of which the delegate has heard nothing.
        try await server.waitForRequests(1, to: "/anything/next")
        task.cancel { answers.record($0) }
        gate.open()
        try await log.ends.wait(for: 2)
        #expect(try await answers.first() == nil)
        #expect(log.events.values.contains { if case .file(_, content) = $0 { true } else { false } })
        #expect(task.error == nil)
        #expect(task.state == .completed)
        #expect(folder.files.isEmpty)
    }

    @Test("A cancellation without resume data leaves no file")
    func plain() async throws {
        _ = serveInChunks()
        let task = session.downloadTask(with: server.url("/file"))
        task.resume()
        try await waitForContent()
        #expect(folder.files.count == 1)
        task.cancel()
        try await log.ends.wait()
        #expect((log.outcome.error as? URLError)?.downloadTaskResumeData == nil)
        #expect(folder.files.isEmpty)
    }

    @Test("A task that never ran gives its original resume data, and one that has ended gives nil")
    func beforeAndAfter() async throws {
        _ = serveInChunks()
        let task = session.downloadTask(with: server.url("/file"))
        task.resume()
        try await waitForContent()
        let data = try #require(try await cancel(task))
        try await log.ends.wait()
        #expect(try await cancel(task) == nil)

        let unused = session.downloadTask(withResumeData: data)
        #expect(try await cancel(unused).flatMap { ResumeData($0) } == ResumeData(data))
        try await log.ends.wait(for: 2)
        let left = (log.outcome.error as? URLError)?.downloadTaskResumeData
        #expect(left.flatMap { ResumeData($0) } == ResumeData(data))
        #expect(folder.files.count == 1)
        #expect(try await cancel(session.downloadTask(with: server.url("/file"))) == nil)
        #expect(try await cancel(session.downloadTask(withResumeData: Data())) == nil)
        try await log.ends.wait(for: 4)
        CurlURLSession.discardResumeData(data)
    }

    @Test("An active download gives its current resume data, and continues")
    func snapshot() async throws {
        let gate = serveInChunks()
        let task = session.downloadTask(with: server.url("/file"))
        #expect(task.currentResumeData == nil)
        task.resume()
        try await waitForContent()
        let data = try #require(task.currentResumeData)
        #expect(ResumeData(data)?.received == 4_000)
        // Its file is in use, so that it is not discarded, nor used by another task.
        CurlURLSession.discardResumeData(data)
        let handled = Recorder<Data?>()
        session.downloadTask(withResumeData: data) { file, _, _ in
            handled.record(file.flatMap { try? Data(contentsOf: $0) })
        }.resume()
        #expect(try await handled.first() == content)
        #expect(server.requests.last?.headers["Range"] == nil)
        gate.open()
        try await log.ends.wait()
        #expect(log.outcome.data == content)
        #expect(task.currentResumeData == nil)
        #expect(folder.files.isEmpty)
    }
}
#endif
