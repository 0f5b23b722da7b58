#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

/// What tests of downloads have: a server, and a folder that is their own.
protocol DownloadLab {
    var server: LoopbackServer { get }
    var folder: DownloadFolder { get }
}

extension DownloadLab {
    /// How long a file is.
    static var size: Int { 10_000 }
    /// How much of it comes before the connection is lost.
    static var there: Int { 4_000 }

    func makeSession(
        _ log: DelegateLog? = nil,
        _ configuration: URLSessionConfiguration = .testing
    ) -> CurlURLSession {
        CurlURLSession(configuration: configuration, delegate: log, delegateQueue: nil, options: folder.options)
    }

    /// Runs a download in a session of its own.
    func run(
        _ answers: DelegateLog.Answers = .init(),
        _ make: (CurlURLSession) -> URLSessionDownloadTask
    ) async throws -> DelegateLog {
        let log = DelegateLog(answers)
        let session = makeSession(log)
        defer { session.finishTasksAndInvalidate() }
        _ = try await log.outcome(of: make(session))
        return log
    }

    /// Downloads what a server breaks off, and returns what that leaves.
    func breakOff(_ path: String = "/file") async throws -> Data? {
        let error = try await run { $0.downloadTask(with: server.url(path)) }.outcome.error as? URLError
        #expect(error?.code == .networkConnectionLost)
        return error?.downloadTaskResumeData
    }
}
#endif
