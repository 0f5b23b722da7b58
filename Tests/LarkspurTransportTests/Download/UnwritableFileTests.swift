#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite("Downloads that cannot be written", .timeLimit(.minutes(5)))
struct UnwritableFileTests {
    @Test(
        "A folder that cannot be written fails the task with the reason, before the content arrives",
        arguments: [
            ("/nowhere/at/all", "No such file or directory"), ("/dev/null", "Not a directory"),
        ]
    )
    func folder(_ path: String, _ reason: String) async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.route("/endless", .fault(.endlessBody))
        var options = CurlURLSession.Options()
        options.partialDownloadFolder = URL(fileURLWithPath: path, isDirectory: true)
        let log = DelegateLog()
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil, options: options)
        defer { session.finishTasksAndInvalidate() }
        let outcome = try await log.outcome(of: session.downloadTask(with: server.url("/endless")))
        #expect(outcome.code == .cannotCreateFile)
        #expect(outcome.error?.localizedDescription.contains(reason) == true)
        #expect(!log.names.contains("wrote"))
        try await server.waitForOpenConnections(0)
    }

    @Test("A file that the system does not let grow ends the transfer, is removed, and does not end the process")
    func limit() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            let chunk = LoopbackServer.Response.Step.bytes(Data(count: 1 << 16))
            let endless = LoopbackServer.Response.stream([.repeated([chunk])], framing: .chunked)
            server.route("/endless", endless.adding("ETag", ServedFile.tag))
            let folder = try DownloadFolder()
            var limit = rlimit(rlim_cur: 1 << 20, rlim_max: 1 << 20)
            try #require(setrlimit(__rlimit_resource_t(1), &limit) == 0)
            let log = DelegateLog()
            let session = CurlURLSession(
                configuration: .testing,
                delegate: log,
                delegateQueue: nil,
                options: folder.options
            )
            let outcome = try await log.outcome(of: session.downloadTask(with: server.url("/endless")))
            try #require(outcome.code == .cannotWriteToFile)
            try #require(outcome.error?.localizedDescription.contains("File too large") == true)
            try #require((outcome.error as? URLError)?.downloadTaskResumeData == nil)
            try #require(folder.files.isEmpty)
            try await server.waitForOpenConnections(0)
        }
    }
}
#endif
