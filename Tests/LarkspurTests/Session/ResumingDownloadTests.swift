#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import Larkspur

@Suite("Downloads that continue automatically", .timeLimit(.minutes(5)))
struct ResumingDownloadTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()
    let manager: SessionManager
    let ends = Recorder<DownloadResponse>()
    let clock = InstantClock()

    init() throws {
        server = try LoopbackServer()
        var options = CurlURLSession.Options()
        options.partialDownloadFolder = folder.url
        manager = SessionManager(configuration: .testing, transport: .curl(options))
        manager.clock = clock
    }

    private var destination: URL { folder.url.appendingPathComponent("file") }

    private var partialFiles: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasPrefix("Larkspur") }
        }
    }

    private func serve(_ file: BrokenFile) { server.route("/file") { file.answer($0) } }

    private func makeTask(maximumResumptions: Int = 0, progress: SessionManager.ProgressHandler? = nil) -> DownloadTask
    {
        manager.downloadTask(
            with: URLRequest(url: server.url("/file")),
            options: CallOptions(downloadProgress: progress),
            maximumResumptions: maximumResumptions,
            to: .file(destination)
        ) { [ends] in ends.record($0) }
    }

    private func end(of task: DownloadTask) async throws -> DownloadResponse {
        task.resume()
        let end = try await ends.first()
        try await manager.finishAll()
        return end
    }

    @Test("A resumption that reaches the limit of an attempt is followed by another one, which continues the file")
    func limitOfAttempt() async throws {
        let file = BrokenFile(1 << 20, cuts: [400_000])
        let gate = LoopbackServer.Gate()
        let count = Atomic(0)
        server.route("/file") { request in
            let number = count.add(1, ordering: .relaxed).newValue
            return number == 2 ? .text("late").held(until: gate) : file.answer(request)
        }
        let clock = TestClock()
        manager.clock = clock
        manager.timeouts.attempt = .seconds(10)
        let task = makeTask(maximumResumptions: 3)
        task.resume()
        try await eventually {
            clock.advance(by: .milliseconds(250))
            return server.requests.count == 2
        }
        try await eventually {
            clock.advance(by: .seconds(1))
            return server.requests.count == 3
        }
        let end = try await ends.first()
        #expect(end.fileURL == destination)
        #expect(try Data(contentsOf: destination) == file.content)
        #expect(server.requests[2].headers["Range"] == server.requests[1].headers["Range"])
        #expect(server.requests[2].headers["Range"] != nil)
        gate.open()
        try await manager.finishAll()
        #expect(try partialFiles.isEmpty)
    }

    @Test("A download with twenty lost connections completes, with continuous progress", .seeded)
    func twentyLosses() async throws {
        var random = SeededGenerator(1)
        let file = BrokenFile(8 << 20, cuts: (0..<20).map { _ in Int.random(in: 1...400_000, using: &random) })
        serve(file)
        let offsets = Recorder<Int64>()
        manager.hooks.didResumeDownload = { _, offset, _ in offsets.record(offset) }
        let counts = Recorder<Int64>()
        let task = makeTask(maximumResumptions: 20) { counts.record($0.completedUnitCount) }
        let notifications = NotificationRecorder(task)
        let end = try await end(of: task)
        #expect(end.fileURL == destination)
        #expect(try Data(contentsOf: destination) == file.content)
        #expect(ends.values.count == 1)
        #expect(
            notifications.names == [
                SessionTask.didResumeNotification, DownloadTask.didMoveFileNotification,
                SessionTask.didCompleteNotification,
            ]
        )
        // New content begins the delays anew.
        #expect(clock.sleeps.count == 20)
        #expect(clock.sleeps.allSatisfy { $0 <= .milliseconds(250) })
        #expect(try await offsets.wait(for: 20) == offsets.values.sorted())
        #expect(counts.values == counts.values.sorted())
        #expect(counts.values.last == 8 << 20)
        #expect(task.timeline.transactions.count == 21)
        #expect(server.requests.allSatisfy { $0.headers["Accept-Encoding"] == "identity" })
        #expect(try partialFiles.isEmpty)
    }

    @Test("After more losses than the limit, the error has resume data, and a new task continues")
    func tooMany() async throws {
        let file = BrokenFile(100_000, cuts: [10_000, 10_000, 10_000])
        serve(file)
        let task = makeTask(maximumResumptions: 2)
        let end = try await end(of: task)
        #expect(end.error?.code == .connectionLost)
        let data = try #require(end.error?.resumeData)
        #expect(server.requests.count == 3)

        let contents = Recorder<Data?>()
        manager.downloadTask(withResumeData: data) { response in
            contents.record(response.fileURL.flatMap { try? Data(contentsOf: $0) })
        }.resume()
        #expect(try await contents.first() == file.content)
        #expect(server.requests.last?.headers["Range"] == "bytes=30000-")
    }

    @Test("Without a resumption policy, a task does not continue after a failure")
    func notAsked() async throws {
        serve(BrokenFile(100_000, cuts: [10_000]))
        let end = try await end(of: makeTask())
        #expect(end.error?.code == .connectionLost)
        #expect(end.error?.resumeData != nil)
        #expect(server.requests.count == 1)
        #expect(server.requests.first?.headers["Accept-Encoding"] != "identity")
    }

    @Test("The credentials of the request are sent again, although resume data does not contain them")
    func credentials() async throws {
        let file = BrokenFile(100_000, cuts: [10_000])
        serve(file)
        var request = URLRequest(url: server.url("/file"))
        request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        manager.downloadTask(with: request, maximumResumptions: 1, to: .file(destination)) {
            [ends] in ends.record($0)
        }.resume()
        #expect(try await ends.first().error == nil)
        #expect(server.requests.map { $0.headers["Authorization"] } == ["Bearer secret", "Bearer secret"])
    }

    // MARK: Pauses

    /// A task that waits between two attempts, and what ends the wait.
    private func paused(maximumResumptions: Int = 1) async throws -> (task: DownloadTask, goOn: @Sendable () -> Void) {
        serve(BrokenFile(100_000, cuts: [10_000]))
        let clock = TestClock()
        manager.clock = clock
        let task = makeTask(maximumResumptions: maximumResumptions)
        task.resume()
        try await clock.waitForSleeps(1)
        return (task, { clock.advance(by: .seconds(1)) })
    }

    @Test("A cancellation during a pause ends the task at once, and once", arguments: [false, true])
    func cancelled(keepsResumeData: Bool) async throws {
        let (task, goOn) = try await paused()
        #expect(task.state == .running)
        #expect(task.resumeData != nil)
        let data = Recorder<Data?>()
        if keepsResumeData { task.cancel { data.record($0) } } else { task.cancel() }
        #expect(try await ends.first().error?.code == .cancelled)
        goOn()
        try await manager.finishAll()
        #expect(ends.values.count == 1)
        #expect(server.requests.count == 1)
        #expect(manager.tasks.isEmpty)
        #expect((ends.values[0].error?.resumeData != nil) == keepsResumeData)
        #expect(try partialFiles.count == (keepsResumeData ? 1 : 0))
        if keepsResumeData { #expect(try await data.first() == ends.values[0].error?.resumeData) }
        // After the end too.
        let late = Recorder<Data?>()
        task.cancel { late.record($0) }
        #expect(try await late.first() == ends.values[0].error?.resumeData)
    }

    @Test("A task that is suspended during a pause continues when it is resumed")
    func suspended() async throws {
        let (task, goOn) = try await paused()
        task.suspend()
        goOn()
        #expect(task.state == .suspended)
        #expect(server.requests.count == 1)
        #expect(manager.tasks.count == 1)
        task.resume()
        #expect(try await ends.first().error == nil)
        #expect(server.requests.count == 2)
    }

    @Test("An invalidation during a pause ends the task", arguments: [true, false])
    func invalidated(cancels: Bool) async throws {
        let (_, goOn) = try await paused()
        manager.invalidate(cancelingTasks: cancels)
        goOn()
        let error = try await ends.first().error
        #expect(error?.code == (cancels ? .cancelled : .connectionLost))
        try await manager.finishAll()
        #expect(ends.values.count == 1)
    }

    @Test("The delay grows while no content arrives")
    func delays() async throws {
        let file = BrokenFile(100_000, cuts: [10_000])
        server.route("/file") { [server] request in
            server.requests.count == 1 ? file.answer(request) : .fault(.closeBeforeHeader)
        }
        #expect(try await end(of: makeTask(maximumResumptions: 9)).error?.code == .connectionLost)
        let limits = [0.25, 0.5, 1, 2, 4, 8, 16, 30, 30].map { Duration.seconds($0) }
        #expect(clock.sleeps.count == 9)
        #expect(zip(clock.sleeps, limits).allSatisfy { $0 <= $1 })
    }

    @Test("Changes by interceptors are sent with each attempt, also from resume data only")
    func interceptors() async throws {
        serve(BrokenFile(100_000, cuts: [10_000, 10_000, 10_000]))
        manager.interceptors.call = [.adapting { $0.setValue("signed", forHTTPHeaderField: "X-Signature") }]
        let data = try #require(try await end(of: makeTask(maximumResumptions: 1)).error?.resumeData)
        let rest = Recorder<DownloadResponse>()
        manager.downloadTask(withResumeData: data, maximumResumptions: 5) { rest.record($0) }.resume()
        #expect(try await rest.first().error == nil)
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=10000-", "bytes=20000-", "bytes=30000-"])
        #expect(server.requests.allSatisfy { $0.headers["X-Signature"] == "signed" })
    }

    @Test("A retry policy continues the file, and an incomplete attempt keeps its beginning")
    func retryPolicy() async throws {
        let file = BrokenFile(100_000, cuts: [10_000, 20_000])
        serve(file)
        manager.headers["Accept-Encoding"] = "identity"
        let task = manager.download(server.url("/file").absoluteString, to: .file(destination))
            .intercept(with: .retry(budget: nil))
        #expect(try await task.file == destination)
        #expect(try Data(contentsOf: destination) == file.content)
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=10000-", "bytes=30000-"])

        serve(BrokenFile(100_000, cuts: [10_000, 20_000, 20_000]))
        let other = manager.download(server.url("/file").absoluteString).intercept(with: .retry(budget: nil))
        #expect(await other.response().error?.resumeData != nil)
        #expect(try partialFiles.count == 1)
    }

    @Test("An attempt that a server refuses keeps the beginning for the next attempt")
    func refusedBetween() async throws {
        let file = BrokenFile(100_000, cuts: [10_000])
        server.route("/file") { [server] request in
            server.requests.count == 2 ? .status(503) : file.answer(request)
        }
        let task =
            manager
            .download(
                server.url("/file").absoluteString,
                headers: ["Accept-Encoding": "identity"],
                to: .file(destination)
            )
            .intercept(with: .retry(budget: nil))
        #expect(try await Data(contentsOf: task.file) == file.content)
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=10000-", "bytes=10000-"])
        try await manager.finishAll()
        #expect(try partialFiles.isEmpty)
    }

    @Test("After the last refused attempt, the error has the resume data")
    func refusedAtLast() async throws {
        let file = BrokenFile(100_000, cuts: [10_000])
        server.route("/file") { [server] request in
            server.requests.count == 1 ? file.answer(request) : .status(503)
        }
        let task = manager.download(server.url("/file").absoluteString, headers: ["Accept-Encoding": "identity"])
            .intercept(with: .retry(budget: nil))
        let error = await task.response().error
        #expect(error?.statusCode == 503 && error?.resumeData.map(CurlURLSession.isResumeData) == true)
        // The content of the last response is removed after the handlers.
        try await manager.finishAll()
        #expect(try partialFiles.count == 1)
    }

    @Test("A cancellation while the next attempt is delayed leaves no file")
    func cancelledBeforeAttempt() async throws {
        let (task, goOn) = try await paused()
        let first = task.urlSessionTask
        task.suspend()
        goOn()
        try await eventually { task.urlSessionTask !== first }
        task.cancel()
        #expect(try await ends.first().error?.code == .cancelled)
        try await manager.finishAll()
        #expect(try partialFiles.isEmpty && task.resumeData == nil)
    }

    // MARK: Resume data

    @Test("Cancelling gives resume data before the completion handler, and a running task has resume data")
    func cancelProducing() async throws {
        let gate = LoopbackServer.Gate()
        let content = Data(count: 4_000)
        var response = LoopbackServer.Response.stream([.bytes(content), .wait(gate), .bytes(content)])
        response.headers["ETag"] = "\"v1\""
        server.route("/file", response)
        let counts = Recorder<Int64>()
        let task = makeTask { counts.record($0.completedUnitCount) }
        #expect(task.resumeData == nil)
        task.resume()
        try await counts.wait { $0.last ?? 0 >= 4_000 }
        #expect(task.resumeData != nil)
        let data = Recorder<(Data?, Int)>()
        task.cancel { [ends] in data.record(($0, ends.values.count)) }
        let error = try await ends.first().error
        #expect(error?.code == .cancelled)
        #expect(error?.resumeData != nil)
        #expect(try await data.first().0 == error?.resumeData)
        #expect(try await data.first().1 == 0)
        #expect(task.resumeData == nil)
        gate.open()
    }

    @Test("A task that is cancelled before it is resumed returns its original resume data")
    func cancelUnused() async throws {
        serve(BrokenFile(10_000, cuts: [4_000]))
        let data = try #require(try await end(of: makeTask()).error?.resumeData)
        let cancelled = Recorder<DownloadResponse>()
        let task = manager.downloadTask(withResumeData: data) { cancelled.record($0) }
        let left = Recorder<Data?>()
        task.cancel { left.record($0) }
        #expect(try await cancelled.first().error?.code == .cancelled)
        #expect(try await left.first().map(CurlURLSession.isResumeData) == true)
        #expect(try partialFiles.count == 1)
    }

    @Test("A download that the caller's request restarts can be resumed again")
    func startsOverWithRequest() async throws {
        serve(BrokenFile(10_000, cuts: [4_000]))
        let data = try #require(try await end(of: makeTask()).error?.resumeData)
        for name in try partialFiles { try FileManager.default.removeItem(at: folder.url.appendingPathComponent(name)) }
        let again = Recorder<DownloadResponse>()
        let request = URLRequest(url: server.url("/file"))
        manager.downloadTask(withResumeData: data, request: request, maximumResumptions: 1) { again.record($0) }
            .resume()
        #expect(try await again.first().error == nil)
        #expect(server.requests.last?.headers["Range"] == nil)
        #expect(server.requests.last?.headers["Accept-Encoding"] == "identity")
    }

    @Test("After a permanent failure, a task does not continue, and keeps the earlier file")
    func notALoss() async throws {
        let file = BrokenFile(10_000, cuts: [4_000])
        server.route("/file") { request in
            request.headers["Range"] == nil ? file.answer(request) : .redirect(to: "/file")
        }
        let error = try await end(of: makeTask(maximumResumptions: 5)).error
        #expect(error?.resumeData != nil)
        // One that was broken off, one that was redirected, and the redirects that are followed.
        #expect(server.requests.count == 22)
        #expect(try partialFiles.count == 1)
    }

    @Test("A resumed download has the progress of the whole file, and accepts a partial response")
    func progress() async throws {
        let file = BrokenFile(100_000, cuts: [10_000])
        serve(file)
        let data = try #require(try await end(of: makeTask()).error?.resumeData)
        let counts = Recorder<(Int64, Int64)>()
        let responses = Recorder<DownloadResponse>()
        manager.downloadTask(
            withResumeData: data,
            options: CallOptions(downloadProgress: { counts.record(($0.completedUnitCount, $0.totalUnitCount)) }),
            to: .file(destination)
        ) { responses.record($0) }.resume()
        let response = try await responses.first()
        #expect(response.error == nil)
        #expect((response.response as? HTTPURLResponse)?.statusCode == 206)
        #expect(try Data(contentsOf: destination) == file.content)
        #expect(counts.values.allSatisfy { $0.0 >= 10_000 && $0.1 == 100_000 })
        #expect(counts.values.last?.0 == 100_000)
    }

    @Test("Invalid resume data has its own error code")
    func garbage() async throws {
        let task = manager.downloadTask(withResumeData: Data("garbage".utf8)) { [ends] in ends.record($0) }
        #expect(try await ends.first().error?.code == .invalidResumeData)
        #expect(task.state == .completed)
        #expect(server.requests.isEmpty)
    }

    @Test("The transport .foundation refuses resume data")
    func foundation() async throws {
        let manager = TestTransport.foundation.makeManager()
        manager.downloadTask(withResumeData: Data()) { [ends] in ends.record($0) }.resume()
        #expect(try await ends.first().error?.code == .unsupported)
    }

    @Test("A file that cannot be created has its own error code")
    func unwritable() async throws {
        serve(BrokenFile(10, cuts: []))
        var options = CurlURLSession.Options()
        options.partialDownloadFolder = folder.url.appendingPathComponent("missing")
        let manager = SessionManager(configuration: .testing, transport: .curl(options))
        manager.downloadTask(with: URLRequest(url: server.url("/file"))) { [ends] in ends.record($0) }.resume()
        let error = try await ends.first().error
        #expect(error?.code == .fileUnwritable)
        #expect(error?.message.contains("No such file or directory") == true)
    }
}
#endif
