import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Downloads", .timeLimit(.minutes(5)))
struct DownloadTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()

    init() throws { server = try LoopbackServer() }

    /// What became of a download, with what its handler saw of the file.
    private struct End: Sendable {
        let response: DownloadResponse
        let content: Data?
    }

    private func download(
        _ path: String,
        _ manager: SessionManager,
        validation: ResponseValidation = ResponseValidation(),
        to destination: URL? = nil
    ) async throws -> (end: End, notifications: NotificationRecorder) {
        let ends = Recorder<End>()
        let task = manager.downloadTask(
            with: URLRequest(url: server.url(path)),
            options: CallOptions(validation: validation),
            to: DownloadDestination { _, _ in destination }
        ) { response in
            ends.record(End(response: response, content: response.fileURL.flatMap { try? Data(contentsOf: $0) }))
        }
        let notifications = NotificationRecorder(task)
        task.resume()
        let end = try await ends.first()
        try await manager.finishAll()
        #expect(ends.values.count == 1)
        #expect(notifications.names.count { $0 == SessionTask.didCompleteNotification } == 1)
        return (end, notifications)
    }

    @Test("The file is moved to its destination, with a notification", arguments: TestTransport.allCases)
    func move(_ transport: TestTransport) async throws {
        let destination = folder.url.appendingPathComponent("file")

        let (end, notifications) = try await download("/bytes/100000", transport.makeManager(), to: destination)

        #expect(end.response.fileURL == destination)
        #expect(end.content?.count == 100_000)
        #expect(
            notifications.names == [
                SessionTask.didResumeNotification, DownloadTask.didMoveFileNotification,
                SessionTask.didCompleteNotification,
            ]
        )
        #expect(notifications.events.values[1].move?.destination == destination)
        let completion = try #require(notifications.events.values.last?.completion)
        #expect(completion.fileURL == destination && completion.data == nil && completion.serializer == nil)
    }

    private func permissions(_ file: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    }

    @Test("A downloaded file has the permissions of any new file", arguments: TestTransport.allCases, [true, false])
    func permissions(_ transport: TestTransport, isReplacing: Bool) async throws {
        let ordinary = folder.url.appendingPathComponent("ordinary")
        #expect(FileManager.default.createFile(atPath: ordinary.path, contents: nil))
        let manager = transport.makeManager(for: server)
        let temporary = Recorder<Int?>()
        let destination = folder.url.appendingPathComponent("file")

        manager.download("bytes/10", to: .file(destination, replacing: isReplacing)) { _ in }
        manager.download("bytes/10") { temporary.record(try? $0.fileURL.flatMap(permissions)) }
        try await manager.finishAll()

        #expect(try permissions(destination) == permissions(ordinary))
        #expect(try temporary.values == [permissions(ordinary)])
    }

    @Test("The file of a data task that becomes a download has the permissions of any new file")
    func permissionsAfterBecoming() async throws {
        let ordinary = folder.url.appendingPathComponent("ordinary")
        #expect(FileManager.default.createFile(atPath: ordinary.path, contents: nil))
        let destination = folder.url.appendingPathComponent("file")
        let manager = TestTransport.curl.makeManager(for: server)
        manager.hooks.responseDisposition = { _, _ in .download }
        manager.hooks.downloadDestination = { _, _, _ in destination }

        #expect(try await manager.call(.get, "bytes/10").error?.code == .becameDownload)
        try await manager.finishAll()

        #expect(try permissions(destination) == permissions(ordinary))
    }

    @Test(
        "If a file cannot be moved, an error and a notification follow, and no file is left",
        arguments: TestTransport.allCases,
        ["missing folder/file", "existing"]
    )
    func failedMove(_ transport: TestTransport, _ name: String) async throws {
        _ = try folder.file("existing", Data("old".utf8))
        let destination = folder.url.appendingPathComponent(name)
        let places = Recorder<URL>()
        let manager = transport.makeManager()
        manager.hooks.downloadDestination = { _, file, _ in
            places.record(file)
            return nil
        }

        let (end, notifications) = try await download("/bytes/1000", manager, to: destination)

        #expect(end.response.error?.code == .fileMoveFailed)
        #expect(end.response.error?.underlyingError != nil)
        #expect(end.response.fileURL == nil)
        #expect(notifications.names.contains(DownloadTask.didFailToMoveFileNotification))
        #expect(notifications.events.values[1].move?.error?.code == .fileMoveFailed)
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("existing")) == Data("old".utf8))
        #expect(!FileManager.default.fileExists(atPath: try await places.first().path))
    }

    @Test(
        "A file without a destination exists for the handler, and is removed afterwards",
        arguments: TestTransport.allCases
    )
    func noDestination(_ transport: TestTransport) async throws {
        let (end, _) = try await download("/bytes/1000", transport.makeManager())

        let file = try #require(end.response.fileURL)
        #expect(end.content?.count == 1000)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test(
        "An unacceptable response is not saved, and its beginning is in the error",
        arguments: TestTransport.allCases
    )
    func unacceptable(_ transport: TestTransport) async throws {
        server.route("/missing", .text("no such file", status: 404))
        let destination = folder.url.appendingPathComponent("file")

        let (end, _) = try await download("/missing", transport.makeManager(), to: destination)

        #expect(end.response.error?.code == .unacceptableStatusCode)
        #expect(end.response.error?.responseData == Data("no such file".utf8))
        #expect(!FileManager.default.fileExists(atPath: destination.path))
    }

    @Test("A caller that accepts any status gets the file of a 404", arguments: TestTransport.allCases)
    func anyStatus(_ transport: TestTransport) async throws {
        server.route("/missing", .text("no such file", status: 404))
        let destination = folder.url.appendingPathComponent("file")
        var validation = ResponseValidation()
        validation.acceptableStatusCodes = nil

        let (end, _) = try await download("/missing", transport.makeManager(), validation: validation, to: destination)

        #expect(end.response.fileURL == destination)
        #expect(end.content == Data("no such file".utf8))
    }

    @Test("The hook's destination overrides the task's", arguments: TestTransport.allCases)
    func hook(_ transport: TestTransport) async throws {
        let ofHook = folder.url.appendingPathComponent("of the hook")
        let manager = transport.makeManager()
        manager.hooks.downloadDestination = { _, _, _ in ofHook }

        let (end, _) = try await download("/bytes/10", manager, to: folder.url.appendingPathComponent("of the task"))

        #expect(end.response.fileURL == ofHook)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["of the hook"])
    }

    @Test("The progress and the hook report the bytes written until the end", arguments: TestTransport.allCases)
    func progress(_ transport: TestTransport) async throws {
        let manager = transport.makeManager()
        let written = Recorder<Int64>()
        let fractions = Recorder<Double>()
        manager.hooks.didWriteData = { _, _, total, _ in written.record(total) }

        let task = manager.downloadTask(
            with: URLRequest(url: server.url("/bytes/300000")),
            options: CallOptions(downloadProgress: {
                fractions.record($0.fractionCompleted)
            })
        ) { _ in
        }
        #expect(manager.downloadTasks.count == 1)
        task.resume()
        try await manager.finishAll()

        #expect(fractions.values.last == 1)
        // Hooks have a queue of their own.
        try await written.wait { $0.contains(300_000) }
        #expect(task.downloadProgress.fractionCompleted == 1)
        #expect(task.timeline.responseReceived != nil)
    }

    @Test("A file of another length than announced is an error")
    func wrongLength() async throws {
        let manager = SessionManager.stubbed { _ in .respond(headers: ["Content-Length": "10"], body: Data(count: 15)) }
        let ends = Recorder<LarkspurError?>()

        manager.downloadTask(with: URLRequest(url: server.url("/"))) { ends.record($0.error) }.resume()

        #expect(try await ends.first()?.code == .connectionLost)
    }

    @Test(
        "A response without content is complete, although its Content-Length is that of a GET",
        arguments: [("HEAD", 200), ("GET", 304)]
    )
    func noContent(_ method: String, _ status: Int) async throws {
        let manager = SessionManager.stubbed { _ in
            .respond(status: status, headers: ["Content-Length": "10"], body: Data())
        }
        let ends = Recorder<LarkspurError?>()
        var request = URLRequest(url: server.url("/"))
        request.httpMethod = method

        manager.downloadTask(with: request, options: CallOptions(validation: .anything)) { ends.record($0.error) }
            .resume()

        #expect(try await ends.first() == nil)
    }

    @Test(
        "If the destination is the temporary file, the file stays there for the handler",
        arguments: TestTransport.allCases
    )
    func sameDestination(_ transport: TestTransport) async throws {
        let manager = transport.makeManager()
        manager.hooks.downloadDestination = { _, file, _ in file }

        let (end, _) = try await download("/bytes/10", manager)

        #expect(end.response.error == nil)
        #expect(end.content?.count == 10)
    }

    @Test("A scheme in upper case is accepted", arguments: TestTransport.allCases)
    func capitalScheme(_ transport: TestTransport) async throws {
        let call = try await transport.makeManager().call(.get, "HTTP" + server.url("/get").absoluteString.dropFirst(4))

        #expect(call.error == nil)
    }

    @Test("A URL other than http is refused, because the transport cannot save its content")
    func otherScheme() async throws {
        let ends = Recorder<LarkspurError?>()
        let url = try #require(URL(string: "data:text/plain,hello"))

        TestTransport.foundation.makeManager().downloadTask(with: URLRequest(url: url)) { ends.record($0.error) }
            .resume()

        #expect(try await ends.first()?.code == .unsupportedURL)
    }
}
