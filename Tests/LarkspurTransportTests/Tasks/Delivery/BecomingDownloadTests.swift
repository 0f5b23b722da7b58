#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import Testing

@testable import LarkspurTransport

@Suite("Data tasks that become downloads", .timeLimit(.minutes(5)))
struct BecomingDownloadTests {
    typealias Handler = @Sendable (URLSession.ResponseDisposition) -> Void

    let server: LoopbackServer
    let folder: DownloadFolder

    init() throws {
        server = try LoopbackServer()
        folder = try DownloadFolder()
    }

    private func makeSession(_ log: DelegateLog) -> CurlURLSession {
        CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil, options: folder.options)
    }

    @Test(
        "When a data task becomes a download, its content goes to a file, and the delegate gets a download task",
        arguments: [0, 5_000, 3_000_000]
    )
    func becomes(_ size: Int) async throws {
        let content = ServedFile.bytes(size)
        server.route("/file", .data(content))
        let log = DelegateLog(.with { $0.response = { _, answer in answer(.asDownload) } })
        let session = makeSession(log)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: server.url("/file"))
        let outcome = try await log.outcome(of: task)
        #expect(outcome.error == nil)
        #expect(outcome.data == content)
        #expect(
            log.names
                == (size == 0
                    ? ["response", "became", "file", "completed"]
                    : ["response", "became", "wrote", "file", "completed"])
        )
        let last = log.events.values.compactMap { event -> (Int64, Int64)? in
            if case .wrote(_, let total, let expected) = event { (total, expected) } else { nil }
        }.last
        #expect(last?.0 == (size == 0 ? nil : Int64(size)))
        #expect(last?.1 == (size == 0 ? nil : Int64(size)))
        #expect(folder.files.isEmpty)
    }

    @Test("The file of a data task that became a download has the permissions of a new file")
    func permissions() async throws {
        server.route("/file", .data(ServedFile.bytes(5)))
        let delegate = PermissionsDelegate()
        let session = CurlURLSession(
            configuration: .testing,
            delegate: delegate,
            delegateQueue: nil,
            options: folder.options
        )
        defer { session.finishTasksAndInvalidate() }
        session.dataTask(with: server.url("/file")).resume()
        let ordinary = folder.url.appendingPathComponent("ordinary").path
        close(open(ordinary, O_WRONLY | O_CREAT | O_EXCL, 0o666))
        #expect(try await delegate.permissions.first() == PermissionsDelegate.permissions(of: ordinary))
    }

    @Test("The disposition to become a download also applies to content that has already arrived")
    func late() async throws {
        let content = ServedFile.bytes(5_000)
        server.route("/file", .data(content))
        let handlers = Recorder<Handler>()
        let log = DelegateLog(.with { $0.response = { _, answer in handlers.record(answer) } })
        let session = makeSession(log)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: server.url("/file"))
        task.resume()
        let answer = try await handlers.first()
        try await eventually(5_000) { task.countOfBytesReceived }
        answer(.asDownload)
        try await log.ends.wait()
        #expect(log.outcome.data == content)
    }

    @Test(
        "A cancellation of the data task or of its download ends the transfer, and leaves no file",
        arguments: [true, false]
    )
    func cancel(byDownloadTask: Bool) async throws {
        let gate = LoopbackServer.Gate()
        server.route("/file", .stream([.bytes(Data(count: 1_000)), .wait(gate), .bytes(Data(count: 1_000))]))
        let log = DelegateLog(.with { $0.response = { _, answer in answer(.asDownload) } })
        let session = makeSession(log)
        defer { session.finishTasksAndInvalidate() }
        let dataTask = session.dataTask(with: server.url("/file"))
        dataTask.resume()
        try await eventually("wrote") { log.names.last }
        #expect(folder.files.count == 1)
        let downloads = Recorder<URLSessionDownloadTask?>()
        session.getTasksWithCompletionHandler { _, _, tasks in downloads.record(tasks.first) }
        let downloadTask = try #require(try await downloads.first())
        #expect(downloadTask.taskIdentifier == dataTask.taskIdentifier)
        if byDownloadTask {
            let data = Recorder<Data?>()
            downloadTask.cancel { data.record($0) }
            #expect(try await data.first() == nil)
        } else {
            dataTask.cancel()
        }
        try await log.ends.wait()
        #expect(log.outcome.code == .cancelled)
        #expect(folder.files.isEmpty)
    }

    @Test("A lost connection fails the download, and leaves no file")
    func lost() async throws {
        server.serve(ServedFile(10_000, [.cut(after: 4_000)]))
        let log = DelegateLog(.with { $0.response = { _, answer in answer(.asDownload) } })
        let session = makeSession(log)
        defer { session.finishTasksAndInvalidate() }
        let outcome = try await log.outcome(of: session.dataTask(with: server.url("/file")))
        #expect(outcome.code == .networkConnectionLost)
        #expect(!log.names.contains("file"))
        #expect(folder.files.isEmpty)
    }

    @Test("A folder that cannot be written fails the task")
    func unwritable() async throws {
        var options = CurlURLSession.Options()
        options.partialDownloadFolder = URL(fileURLWithPath: "/nowhere/at/all")
        let log = DelegateLog(.with { $0.response = { _, answer in answer(.asDownload) } })
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil, options: options)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await log.outcome(of: session.dataTask(with: server.url("/get"))).code == .cannotCreateFile)
        #expect(log.names == ["response", "completed"])
    }
}

extension URLSession.ResponseDisposition {
    /// `.becomeDownload`, which FoundationNetworking calls deprecated because its own sessions do not know it.
    fileprivate static let asDownload = Self(rawValue: 2) ?? .allow
}

/// Makes downloads of data tasks, and notes the permissions of their files.
private final class PermissionsDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    let permissions = Recorder<Int?>()

    static func permissions(of path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @Sendable @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.asDownload)
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        permissions.record(Self.permissions(of: location.path))
    }
}
#endif
