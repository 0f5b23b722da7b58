#if canImport(FoundationNetworking)
import LarkspurTransport

/// A delegate that notes what it hears, and answers as a test says.
final class DelegateLog: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    enum Event: Sendable {
        case response(URLResponse)
        case data(Data)
        case sent(Int64, total: Int64, expected: Int64)
        case wrote(Int64, total: Int64, expected: Int64)
        case redirect(HTTPURLResponse, URLRequest)
        case challenge(String, failures: Int)
        case needsStream
        case resumed(at: Int64, expected: Int64)
        case became(URLSessionDownloadTask)
        case file(URL, Data?)
        case completed((any Error)?)
        case invalid((any Error)?)

        var name: String {
            switch self {
            case .response: "response"
            case .data: "data"
            case .sent: "sent"
            case .wrote: "wrote"
            case .redirect: "redirect"
            case .challenge: "challenge"
            case .needsStream: "stream"
            case .resumed: "resumed"
            case .became: "became"
            case .file: "file"
            case .completed: "completed"
            case .invalid: "invalid"
            }
        }
    }

    /// What a test decides; by default what a delegate without the method would.
    struct Answers: Sendable {
        var response:
            (@Sendable (URLSessionDataTask, @escaping @Sendable (URLSession.ResponseDisposition) -> Void) -> Void)?
        var redirect: (@Sendable (URLSessionTask, URLRequest, @escaping @Sendable (URLRequest?) -> Void) -> Void)?
        var challenge:
            (@Sendable (URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?))?
        var stream: (@Sendable (URLSessionTask, @escaping @Sendable (InputStream?) -> Void) -> Void)?
        var data: (@Sendable (URLSessionDataTask, Data) -> Void)?
        var completed: (@Sendable (URLSessionTask) -> Void)?
        var metrics: (@Sendable (URLSessionTask) -> Void)?
        var sent: (@Sendable (Int64) -> Void)?

        static func with(_ change: (inout Answers) -> Void) -> Answers {
            var answers = Answers()
            change(&answers)
            return answers
        }
    }

    let events = Recorder<Event>()
    /// The ends of tasks, by their identifiers.
    let ends = Recorder<Int>()
    /// The names of the queues on which it was called.
    let queues = Recorder<String?>()
    /// The metrics that it got, and how many tasks had ended by then.
    let metrics = Recorder<(metrics: URLSessionTaskMetrics, task: Int, ends: Int)>()
    private let answers: Answers

    init(_ answers: Answers = Answers()) { self.answers = answers }

    private func note(_ event: Event) {
        queues.record(OperationQueue.current?.name)
        events.record(event)
    }

    /// The events of tasks in order, those of one kind that follow each other as one.
    var names: [String] {
        events.values.map(\.name).filter { $0 != "invalid" }.reduce(into: []) { names, name in
            if names.last != name { names.append(name) }
        }
    }

    /// How often the session was said to be invalid.
    var invalidations: Int { events.values.filter { $0.name == "invalid" }.count }

    /// Content so far.
    var data: Data {
        events.values.reduce(into: Data()) { data, event in if case .data(let more) = event { data += more } }
    }

    /// Resumes a task and waits for its end; for logs with one task.
    func outcome(of task: URLSessionTask) async throws -> Outcome {
        task.resume()
        try await ends.wait()
        return outcome
    }

    var outcome: Outcome {
        var outcome = Outcome(data: data)
        for event in events.values {
            switch event {
            case .response(let response): outcome.response = response
            case .file(_, let content): outcome.data = content
            case .completed(let error): outcome.error = error
            default: break
            }
        }
        return outcome
    }

    /// Waits until so much content has come.
    func wait(forBytes count: Int) async throws {
        try await events.wait { _ in data.count >= count }
    }

    // MARK: URLSessionDelegate

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { note(.invalid(error)) }

    // MARK: URLSessionTaskDelegate

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        note(.completed(error))
        answers.completed?(task)
        ends.record(task.taskIdentifier)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        self.metrics.record((metrics, task.taskIdentifier, ends.values.count))
        answers.metrics?(task)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @Sendable @escaping (URLRequest?) -> Void
    ) {
        note(.redirect(response, request))
        if let redirect = answers.redirect {
            redirect(task, request, completionHandler)
        } else {
            completionHandler(request)
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @Sendable @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        note(.challenge(challenge.protectionSpace.authenticationMethod, failures: challenge.previousFailureCount))
        let (disposition, credential) = answers.challenge?(challenge) ?? (.performDefaultHandling, nil)
        completionHandler(disposition, credential)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @Sendable @escaping (InputStream?) -> Void
    ) {
        events.record(.needsStream)
        if let stream = answers.stream { stream(task, completionHandler) } else { completionHandler(nil) }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        note(.sent(bytesSent, total: totalBytesSent, expected: totalBytesExpectedToSend))
        answers.sent?(totalBytesSent)
    }

    // MARK: URLSessionDataDelegate

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @Sendable @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        note(.response(response))
        if let answer = answers.response { answer(dataTask, completionHandler) } else { completionHandler(.allow) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note(.data(data))
        answers.data?(dataTask, data)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    ) {
        note(.became(downloadTask))
    }

    // MARK: URLSessionDownloadDelegate

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        note(.resumed(at: fileOffset, expected: expectedTotalBytes))
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        note(.file(location, try? Data(contentsOf: location)))
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        note(.wrote(bytesWritten, total: totalBytesWritten, expected: totalBytesExpectedToWrite))
    }
}
#endif
