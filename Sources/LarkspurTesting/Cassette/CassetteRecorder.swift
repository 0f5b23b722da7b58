#if canImport(FoundationNetworking)
import HTTPSyntax
internal import Larkspur
import Synchronization

/// The part of a cassette's session that sends requests. It uses a session of another transport. That session is
/// created on first use, and invalidated when this object is released.
final class CassetteRecorder: Sendable {
    private let makeSession: @Sendable (any URLSessionDelegate, OperationQueue) -> URLSession
    private let delegate = RecorderDelegate()
    private let session = Mutex<URLSession?>(nil)

    init(_ base: Transport, _ policy: SecurityPolicy, _ configuration: URLSessionConfiguration) {
        let copy = configuration.copy() as? URLSessionConfiguration ?? configuration
        makeSession = { delegate, queue in
            if let makeSecureSession = base.makeSecureSession {
                makeSecureSession(policy, copy, delegate, queue)
            } else {
                base.makeSession(copy, delegate, queue)
            }
        }
    }

    deinit { session.withLock { $0 }?.finishTasksAndInvalidate() }

    func send(_ request: URLRequest, _ exchange: StubExchange, _ cassette: Cassette) {
        let task = currentSession.dataTask(with: request)
        delegate.add(RecorderDelegate.Recording(request: request, exchange: exchange, cassette: cassette), of: task)
        // A cancellation has no effect on a task that has already ended.
        exchange.onAbandonment { task.cancel() }
        task.resume()
    }

    private var currentSession: URLSession {
        if let session = session.withLock({ $0 }) { return session }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        // Created outside the lock, because the factory may be the caller's code.
        let made = makeSession(delegate, queue)
        let used = session.withLock { session in
            if let session { return session }
            session = made
            return made
        }
        if used !== made { made.invalidateAndCancel() }
        return used
    }
}

/// The delegate of the session that sends requests. It passes events on and records them.
private final class RecorderDelegate: NSObject, URLSessionDataDelegate, Sendable {
    struct Recording: Sendable {
        let request: URLRequest
        let exchange: StubExchange
        let cassette: Cassette
        var response: HTTPURLResponse?
        var content = Data()

        /// Whether the response is delayed until it is complete. True for redirects, because the next request may
        /// follow immediately.
        var mayRedirect: Bool {
            guard let response else { return false }
            return 300..<400 ~= response.statusCode && response.value(forHTTPHeaderField: "Location") != nil
        }
    }

    // Safe: the challenge is passed from one queue to another, and then only used there.
    private struct ChallengeBox: @unchecked Sendable {
        let challenge: URLAuthenticationChallenge
    }

    private let recordings = Mutex<[Int: Recording]>([:])

    func add(_ recording: Recording, of task: URLSessionTask) {
        recordings.withLock { $0[task.taskIdentifier] = recording }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // The session of the cassette follows the redirect, so that the redirect is recorded.
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let exchange = recordings.withLock({ $0[task.taskIdentifier]?.exchange }) else {
            return completionHandler(.performDefaultHandling, nil)
        }
        let box = ChallengeBox(challenge: challenge)
        exchange.add([
            .challenge { session, delegate, task in
                guard let delegate else { return completionHandler(.performDefaultHandling, nil) }
                delegate.urlSession(
                    session,
                    task: task,
                    didReceive: box.challenge,
                    completionHandler: completionHandler
                )
            }
        ])
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let recording = recordings.withLock { recordings in
            recordings[dataTask.taskIdentifier]?.response = response as? HTTPURLResponse
            recordings[dataTask.taskIdentifier]?.content = Data()
            return recordings[dataTask.taskIdentifier]
        }
        if let recording, !recording.mayRedirect { recording.exchange.add(recording.responseSteps) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        // Changed in place. With a second reference to the content, each change would copy the content.
        let exchange = recordings.withLock { recordings in
            recordings[dataTask.taskIdentifier]?.content.append(data)
            return recordings[dataTask.taskIdentifier].flatMap { $0.mayRedirect ? nil : $0.exchange }
        }
        exchange?.add([.chunk(data)])
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let recording = recordings.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if error == nil, let response = recording.response {
            recording.cassette.record(recording.request, response, recording.content)
        }
        if recording.mayRedirect, error == nil {
            recording.exchange.add(recording.responseSteps + [.chunk(recording.content), .end(nil)])
        } else {
            recording.exchange.add([.end(error)])
        }
    }
}

extension RecorderDelegate.Recording {
    fileprivate var responseSteps: [StubTaskCore.Step] {
        guard let response else { return [] }
        var fields: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { fields[name] = value }
        }
        return [.response(status: response.statusCode, headers: fields)]
    }
}
#endif
