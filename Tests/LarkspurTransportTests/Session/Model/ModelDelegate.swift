#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import TestSupport

@testable import LarkspurTransport

/// The delegate of a session, and of some of its tasks.
final class ModelDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    private let run: SessionModelRun

    init(_ run: SessionModelRun) { self.run = run }

    /// Notes an event, and then gives the orders of its occasion.
    private func note(_ event: TaskLife.Event?, _ occasion: SessionOperation.Occasion, of task: URLSessionTask) {
        let number = task.originalRequest?.value(forHTTPHeaderField: "X-Task").flatMap { Int($0) }
        if let event { run.note(event, of: number) }
        if let number { run.occur(occasion, of: number) }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        run.state.withLock { $0.invalidations += 1 }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        note(.completed(TaskLife.Outcome(error)), .completed, of: task)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        note(.metrics, .metrics, of: task)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @Sendable @escaping (URLRequest?) -> Void
    ) {
        note(nil, .redirect, of: task)
        completionHandler(request)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        note(nil, .sent, of: task)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @Sendable @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        note(.response, .response, of: dataTask)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note(.data, .data, of: dataTask)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @Sendable @escaping (CachedURLResponse?) -> Void
    ) {
        note(nil, .caching, of: dataTask)
        completionHandler(proposedResponse)
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        note(.file, .file, of: downloadTask)
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        note(nil, .written, of: downloadTask)
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        note(nil, .resumed, of: downloadTask)
    }
}
#endif
