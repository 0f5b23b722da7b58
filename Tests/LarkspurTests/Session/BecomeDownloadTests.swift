#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Data tasks that become downloads", .timeLimit(.minutes(5)))
struct BecomeDownloadTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()
    let manager: SessionManager
    let conversions = Recorder<(DataTask, DownloadTask)>()
    let ends = Recorder<DataResponse<Data>>()
    /// Lets the rest of `/gated` be sent.
    let gate = LoopbackServer.Gate()
    let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    init() throws {
        server = try LoopbackServer()
        server.route("/file", .data(content))
        server.route("/gated", .stream([.bytes(content.prefix(1000)), .wait(gate), .bytes(content.dropFirst(1000))]))
        manager = TestTransport.curl.makeManager(for: server)
        let conversions = conversions
        manager.hooks.responseDisposition = { _, _ in .download }
        manager.hooks.didBecomeDownload = { conversions.record(($0, $1)) }
    }

    private var destination: URL { folder.url.appendingPathComponent("file") }

    private func makeTask(_ path: String = "/file") -> DataTask {
        manager.dataTask(with: URLRequest(url: server.url(path)), as: .data) { [ends] in ends.record($0) }
    }

    @Test("The data task ends with the error becameDownload, and the download with the file, each once")
    func file() async throws {
        manager.hooks.downloadDestination = { [destination] _, _, _ in destination }
        let task = makeTask("/gated")
        let ofData = NotificationRecorder(task)
        let identifier = task.taskIdentifier

        task.resume()
        let (dataTask, download) = try await conversions.first()
        let ofDownload = NotificationRecorder(download)
        gate.open()
        try await manager.finishAll()

        #expect(dataTask === task)
        #expect(ends.values.map { $0.error?.code } == [.becameDownload])
        #expect(ends.values.first?.statusCode == 200)
        #expect(task.state == .completed && download.state == .completed)
        #expect(task.error?.code == .becameDownload && download.error == nil)
        #expect(download.taskIdentifier == identifier)
        #expect(try Data(contentsOf: destination) == content)
        #expect(download.downloadProgress.completedUnitCount == Int64(content.count))
        #expect(ofData.names == [SessionTask.didResumeNotification, SessionTask.didCompleteNotification])
        #expect(ofDownload.names.filter { $0 == SessionTask.didCompleteNotification }.count == 1)
        #expect(ofDownload.events.values.last?.completion?.fileURL == destination)
        #expect(ofDownload.events.values.compactMap(\.move?.destination) == [destination])
        #expect(download.timeline.transactions.count == 1)
        #expect(manager.tasks.isEmpty)
        #expect(conversions.values.count == 1)
    }

    @Test("The download posts a notification when it begins")
    func announced() async throws {
        let urls = Recorder<URL?>()
        let token = NotificationCenter.default.addObserver(
            forName: SessionTask.didResumeNotification,
            object: nil,
            queue: nil
        ) { [server] notification in
            let url = notification.sessionTask?.originalRequest?.url
            if url == server.url("/file") { urls.record(url) }
        }
        defer { NotificationCenter.default.removeObserver(token) }

        makeTask().resume()
        try await conversions.wait()
        try await manager.finishAll()

        #expect(urls.values.count == 2)
    }

    @Test("A file without a destination exists until the notification is posted")
    func temporary() async throws {
        makeTask("/gated").resume()
        let (_, download) = try await conversions.first()
        let recorder = NotificationRecorder(download)
        gate.open()
        try await manager.finishAll()

        let file = try #require(recorder.events.values.last?.completion?.fileURL)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("A task that a hook cancels before returning .download ends as cancelled, and creates no download")
    func cancelledBefore() async throws {
        manager.hooks.responseDisposition = { task, _ in
            task.cancel()
            return .download
        }
        makeTask().resume()
        try await manager.finishAll()

        #expect(ends.values.map { $0.error?.code } == [.cancelled])
        #expect(conversions.values.isEmpty)
        #expect(manager.tasks.isEmpty)
    }

    @Test("The download can be cancelled, but the data task can no longer be")
    func cancelled() async throws {
        defer { gate.open() }
        let task = makeTask("/gated")
        task.resume()
        let (_, download) = try await conversions.first()
        let recorder = NotificationRecorder(download)

        task.cancel()
        #expect(download.state == .running)
        #expect(manager.downloadTasks.contains { $0 === download })
        download.cancel()
        try await manager.finishAll()

        #expect(download.error?.code == .cancelled)
        #expect(ends.values.map { $0.error?.code } == [.becameDownload])
        #expect(recorder.names.filter { $0 == SessionTask.didCompleteNotification }.count == 1)
        #expect(manager.tasks.isEmpty)
    }

    @Test("Cancelling the download for resume data gives none")
    func resumeData() async throws {
        defer { gate.open() }
        makeTask("/gated").resume()
        let (_, download) = try await conversions.first()
        let resumeData = Recorder<Data?>()

        #expect(download.resumeData == nil)
        download.cancel { resumeData.record($0) }
        try await manager.finishAll()

        #expect(resumeData.values == [nil])
        #expect(download.error?.code == .cancelled)
        #expect(manager.tasks.isEmpty)
    }

    @Test("A suspended task becomes a suspended download, which continues when it is resumed")
    func suspended() async throws {
        manager.hooks.responseDisposition = { task, _ in
            task.suspend()
            return .download
        }
        manager.hooks.downloadDestination = { [destination] _, _, _ in destination }
        makeTask("/gated").resume()
        let (_, download) = try await conversions.first()

        #expect(download.state == .suspended)
        gate.open()
        download.resume()
        try await manager.finishAll()

        #expect(download.error == nil)
        #expect(try Data(contentsOf: destination) == content)
    }

    @Test("A download that loses its connection fails, and leaves no file")
    func failure() async throws {
        server.route("/cut", .raw([.text("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc"), .wait(gate)]))
        manager.hooks.downloadDestination = { [destination] _, _, _ in destination }
        makeTask("/cut").resume()
        let (_, download) = try await conversions.first()
        gate.open()
        try await manager.finishAll()

        #expect(download.error?.code == .connectionLost)
        #expect(ends.values.map { $0.error?.code } == [.becameDownload])
        #expect(!FileManager.default.fileExists(atPath: destination.path))
        #expect(manager.tasks.isEmpty)
    }

    @Test("The file of an unacceptable response is not moved to the destination")
    func unacceptable() async throws {
        manager.hooks.downloadDestination = { [destination] _, _, _ in destination }
        makeTask("/status/404").resume()
        let (_, download) = try await conversions.first()
        try await manager.finishAll()

        #expect(download.error?.statusCode == 404)
        #expect(!FileManager.default.fileExists(atPath: destination.path))
    }

    @Test("Each of many tasks that become downloads at once ends once", arguments: [false, true])
    func many(cancelling: Bool) async throws {
        let folder = folder
        manager.hooks.downloadDestination = { task, _, _ in
            folder.url.appendingPathComponent("file-\(task.taskIdentifier)")
        }
        let tasks = (0..<50).map { _ in makeTask() }
        for task in tasks { task.resume() }
        if cancelling { for task in tasks { task.cancel() } }
        try await manager.finishAll()

        #expect(ends.values.count == 50)
        let codes = Set(ends.values.compactMap { $0.error?.code })
        #expect(codes.isSubset(of: cancelling ? [.becameDownload, .cancelled] : [.becameDownload]))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(files.count <= conversions.values.count)
        if !cancelling { #expect(files.count == 50) }
        #expect(manager.tasks.isEmpty)
    }

    @Test("With the transport .foundation, the task collects the content")
    func foundation() async throws {
        let manager = TestTransport.foundation.makeManager(for: server)
        manager.hooks = self.manager.hooks
        manager.dataTask(with: URLRequest(url: server.url("/file")), as: .data) { [ends] in ends.record($0) }
            .resume()

        #expect(try await ends.first().value == content)
        #expect(conversions.values.isEmpty)
    }
}
#endif
