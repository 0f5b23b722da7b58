#if canImport(FoundationNetworking)
import HTTPSyntax

/// The protocol class with which the engine performs the tasks that FoundationNetworking creates in a
/// ``CurlURLSession``.
///
/// FoundationNetworking creates such tasks in its async methods. These methods cannot be overridden, and code that was
/// compiled without this module calls them. FoundationNetworking expects the calls of its client on the task's work
/// queue, so all code of this class runs there. The engine handles redirects and challenges. For many of them,
/// FoundationNetworking's client would end the process or never end the task.
final class HandedTaskProtocol: URLProtocol {
    private enum State {
        case new
        case forwarded(URLSessionTask)
        case over
    }

    /// The end of the engine's task.
    private struct Outcome: Sendable {
        var content: Data?
        var file: URL?
        var response: Result<URLResponse, any Error>
    }

    private var state = State.new
    private var layout: FoundationLayout?
    /// Whether the async method was called with a delegate.
    private var hasDelegate = false
    /// Whether the calling Swift task was cancelled before the call. In this case, FoundationNetworking first resumes
    /// the `URLSessionTask`, which creates this object. It then cancels the `URLSessionTask`.
    private let isCallerCancelled = Task.isCancelled

    private static var session: CurlURLSession? { SuperclassQueue.session?.object as? CurlURLSession }

    // No task can be performed if this method is not called on the work queue of a session's superclass.
    override class func canInit(with request: URLRequest) -> Bool {
        let scheme = request.url?.scheme?.inLowercase
        // FoundationNetworking would load other schemes without the session's rules about servers.
        if SuperclassQueue.session?.settings.access != nil { return true }
        return SuperclassQueue.session?.carries(request) ?? (scheme == "http" || scheme == "https" || scheme == "data")
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Starts or resumes the load. Called each time that the task is resumed.
    override func startLoading() {
        switch state {
        // FoundationNetworking reports the cancellation itself.
        case .new: if isCallerCancelled { state = .over } else { begin() }
        case .forwarded(let task): task.resume()
        case .over: break
        }
    }

    /// Suspends or cancels the load. Called when the task is suspended or cancelled. FoundationNetworking itself
    /// reports a cancellation to the client.
    override func stopLoading() {
        let isCancelled = task?.state == .canceling
        switch state {
        case .forwarded(let task): if isCancelled { task.cancel() } else { task.suspend() }
        case .new, .over: break
        }
        if isCancelled { state = .over }
    }

    private func begin() {
        guard let task, let request = task.originalRequest, let session = Self.session,
            let layout = session.layout, let queue = layout.workQueue(of: task)
        else { return fail("FoundationNetworking is not built as expected") }
        self.layout = layout
        layout.completeOnDelegateQueue(task)
        let this = Transferring(self)
        let end = { @Sendable (outcome: Outcome) in queue.async { this.value.end(outcome) } }
        guard let carrier = Self.carrier(of: task, request, body: layout.body(of: task), session, end)
        else { return fail("this kind of task cannot be carried") }
        carrier.delegate = layout.delegate(of: task, in: session)
        hasDelegate = carrier.delegate != nil
        state = .forwarded(carrier)
        carrier.resume()
    }

    /// Creates the task of the engine that performs the given task.
    private static func carrier(
        of task: URLSessionTask,
        _ request: URLRequest,
        body: @autoclosure () -> TaskBody,
        _ session: CurlURLSession,
        _ end: @escaping @Sendable (Outcome) -> Void
    ) -> URLSessionTask? {
        let endData = { @Sendable (data: Data?, response: URLResponse?, error: (any Error)?) in
            end(Outcome(content: data, response: AsyncTransfer.outcome(response, error)))
        }
        switch task {
        case is URLSessionUploadTask:
            return switch body() {
            case .none: session.uploadTask(with: request, from: nil, completionHandler: endData)
            case .data(let data): session.uploadTask(with: request, from: data, completionHandler: endData)
            case .file(let file): session.uploadTask(with: request, fromFile: file, completionHandler: endData)
            case .stream, .produced: nil
            }
        case is URLSessionDataTask: return session.dataTask(with: request, completionHandler: endData)
        case is URLSessionDownloadTask:
            return session.downloadTask(with: request) { location, response, error in
                let file = Result { error == nil ? try URLSession.takeOver(location) : nil }
                let response = AsyncTransfer.outcome(response, error)
                end(Outcome(file: try? file.get(), response: file.flatMap { _ in response }))
            }
        default: return nil
        }
    }

    private func end(_ outcome: Outcome) {
        // If the task was cancelled, FoundationNetworking itself reports the cancellation. If the task has ended for
        // another reason, FoundationNetworking no longer knows it.
        guard case .forwarded = state, let task, task.state == .running || task.state == .suspended else {
            return Self.remove(outcome.file)
        }
        state = .over
        switch outcome.response {
        case .success(let response): end(outcome, response)
        case .failure(let error): client?.urlProtocol(self, didFailWithError: error)
        }
    }

    private func end(_ outcome: Outcome, _ response: URLResponse) {
        if let file = outcome.file, layout?.setFile(file, of: self) != true {
            Self.remove(file)
            return fail("the file of a download cannot be handed over")
        }
        let response = UnauthorizedResponse(response) ?? response
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        if let content = outcome.content, !content.isEmpty { client?.urlProtocol(self, didLoad: content) }
        afterDelegateCalls { $0.client?.urlProtocolDidFinishLoading($0) }
    }

    /// Calls a closure on the work queue. If there is a delegate, its pending calls are made before.
    ///
    /// A delegate can call methods of the task, such as `cancel()`. FoundationNetworking performs them later, on the
    /// work queue. It ends the process if the task has ended before.
    private func afterDelegateCalls(_ action: @escaping @Sendable (HandedTaskProtocol) -> Void) {
        guard hasDelegate, let session = Self.session, let task, let queue = layout?.workQueue(of: task)
        else { return action(self) }
        let this = Transferring(self)
        session.delegateQueue.addOperation {
            queue.async {
                // If the task has been cancelled before this call, FoundationNetworking reports the cancellation.
                if this.value.task?.state == .running || this.value.task?.state == .suspended { action(this.value) }
            }
        }
    }

    private func fail(_ reason: String) {
        state = .over
        let error = URLError.engine(
            .unsupportedURL,
            "The request cannot be sent by a CurlURLSession from code that was compiled without LarkspurTransport: \(reason). Import LarkspurTransport where the request is made.",
            url: request.url
        )
        client?.urlProtocol(self, didFailWithError: error)
    }

    private static func remove(_ file: URL?) {
        if let file { try? FileManager.default.removeItem(at: file) }
    }
}

/// A 401 response that FoundationNetworking does not treat as a challenge.
///
/// The engine has already handled all challenges. For an ordinary 401 response, FoundationNetworking would create a
/// challenge for Basic at the end of the task. If the delegate did not handle this challenge, the task would never end.
final class UnauthorizedResponse: HTTPURLResponse, @unchecked Sendable {
    // Safe: nothing changes after initialisation.

    /// Creates the response. Returns nil if FoundationNetworking does not treat the given response as a challenge,
    /// because this class is then not needed.
    init?(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse, response.statusCode == 401, let url = response.url
        else { return nil }
        let fields = response.allHeaderFields.map { ("\($0.key)", "\($0.value)") }
        super.init(
            url: url,
            statusCode: 401,
            httpVersion: "HTTP/1.1",
            headerFields: Dictionary(fields) { first, _ in first }
        )
    }

    required init?(coder: NSCoder) { super.init(coder: coder) }

    /// The URL. Nil on the work queue, where FoundationNetworking searches the response for challenges. Without a URL,
    /// it does not find any challenge.
    override var url: URL? { SuperclassQueue.session == nil ? super.url : nil }

    /// The class whose name is written into archives. It is the superclass, so that programs without this class can
    /// read the archives.
    override var classForCoder: AnyClass { HTTPURLResponse.self }
    override var classForKeyedArchiver: AnyClass? { HTTPURLResponse.self }
}
#endif
