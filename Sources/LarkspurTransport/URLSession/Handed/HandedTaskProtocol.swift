#if canImport(FoundationNetworking)
/// The protocol class that performs with the engine the tasks of a ``CurlURLSession`` that FoundationNetworking creates
/// by itself.
///
/// FoundationNetworking's async methods create such tasks for code that was compiled without this module, as they
/// cannot be overridden. All of this code runs on the task's work queue, as FoundationNetworking expects of the callers
/// of its client. The engine handles redirects and challenges; FoundationNetworking's client ends the process or hangs
/// on many of them.
final class HandedTaskProtocol: URLProtocol {
    private enum State {
        case new
        case forwarded(URLSessionTask)
        /// The content is in the URL, and FoundationNetworking decodes it.
        case decoding(URLProtocol)
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
    /// Whether the call has a delegate of its own.
    private var hasDelegate = false
    /// Whether the Swift task that makes the call had been cancelled before. FoundationNetworking resumes the task, in
    /// which this object is created, and cancels it afterwards.
    private let isCallerCancelled = Task.isCancelled

    private static var session: CurlURLSession? { SuperclassQueue.session?.object as? CurlURLSession }

    // Outside the queue of a session's superclass, it is only called if no task can be performed.
    override class func canInit(with request: URLRequest) -> Bool {
        let scheme = request.url?.scheme?.lowercased()
        return scheme == "data" || SuperclassQueue.session?.carries(request) ?? (scheme == "http" || scheme == "https")
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Starts or resumes the load; called for each resumption of the task.
    override func startLoading() {
        switch state {
        // FoundationNetworking reports the cancellation itself.
        case .new: if isCallerCancelled { state = .over } else { begin() }
        case .forwarded(let task): task.resume()
        case .decoding(let decoder): decoder.startLoading()
        case .over: break
        }
    }

    /// Suspends or cancels the load; called for suspensions and for a cancellation, which FoundationNetworking reports
    /// to the client itself.
    override func stopLoading() {
        let isCancelled = task?.state == .canceling
        switch state {
        case .forwarded(let task): if isCancelled { task.cancel() } else { task.suspend() }
        case .decoding(let decoder): decoder.stopLoading()
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
        guard session.core.carries(request) else { return decode(task) }
        let this = Transferring(self)
        let finish = { @Sendable (outcome: Outcome) in queue.async { this.value.finish(outcome) } }
        guard let carrier = Self.carrier(of: task, request, body: layout.body(of: task), session, finish)
        else { return fail("this kind of task cannot be carried") }
        carrier.delegate = layout.delegate(of: task, in: session)
        hasDelegate = carrier.delegate != nil
        state = .forwarded(carrier)
        carrier.resume()
    }

    /// Creates the engine's task that performs another one.
    private static func carrier(
        of task: URLSessionTask,
        _ request: URLRequest,
        body: @autoclosure () -> RequestBody,
        _ session: CurlURLSession,
        _ finish: @escaping @Sendable (Outcome) -> Void
    ) -> URLSessionTask? {
        let finishData = { @Sendable (data: Data?, response: URLResponse?, error: (any Error)?) in
            finish(Outcome(content: data, response: AsyncTransfer.outcome(response, error)))
        }
        switch task {
        case is URLSessionUploadTask:
            return switch body() {
            case .none: session.uploadTask(with: request, from: nil, completionHandler: finishData)
            case .data(let data): session.uploadTask(with: request, from: data, completionHandler: finishData)
            case .file(let file): session.uploadTask(with: request, fromFile: file, completionHandler: finishData)
            case .stream: nil
            }
        case is URLSessionDataTask: return session.dataTask(with: request, completionHandler: finishData)
        case is URLSessionDownloadTask:
            return session.downloadTask(with: request) { location, response, error in
                let file = Result { error == nil ? try URLSession.takeOver(location) : nil }
                let response = AsyncTransfer.outcome(response, error)
                finish(Outcome(file: try? file.get(), response: file.flatMap { _ in response }))
            }
        default: return nil
        }
    }

    private func finish(_ outcome: Outcome) {
        // FoundationNetworking reports a cancellation to the task itself. It no longer knows the task after another end
        // was reported.
        guard case .forwarded = state, let task, task.state == .running || task.state == .suspended else {
            return Self.remove(outcome.file)
        }
        state = .over
        switch outcome.response {
        case .success(let response): finish(outcome, response)
        case .failure(let error): client?.urlProtocol(self, didFailWithError: error)
        }
    }

    private func finish(_ outcome: Outcome, _ response: URLResponse) {
        if let file = outcome.file, layout?.setFile(file, of: self) != true {
            Self.remove(file)
            return fail("the file of a download cannot be handed over")
        }
        let response = UnauthorizedResponse(response) ?? response
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        if let content = outcome.content, !content.isEmpty { client?.urlProtocol(self, didLoad: content) }
        afterDelegateCalls { $0.client?.urlProtocolDidFinishLoading($0) }
    }

    /// Calls a closure on the work queue after all calls of the delegate of the call, if it has one.
    ///
    /// FoundationNetworking performs the delegate's commands to the task a moment later on the work queue. It ends the
    /// process if the delegate queue has ended the task meanwhile.
    private func afterDelegateCalls(_ action: @escaping @Sendable (HandedTaskProtocol) -> Void) {
        guard hasDelegate, let session = Self.session, let task, let queue = layout?.workQueue(of: task)
        else { return action(self) }
        let this = Transferring(self)
        session.delegateQueue.addOperation {
            queue.async {
                // The cancellation is reported to a task that has been cancelled meanwhile.
                if this.value.task?.state == .running || this.value.task?.state == .suspended { action(this.value) }
            }
        }
    }

    /// Lets FoundationNetworking's own class load a URL that contains its content.
    private func decode(_ task: URLSessionTask) {
        // The class makes no file, and without one FoundationNetworking ends the process.
        guard task is URLSessionDataTask,
            let decoder = NSClassFromString("FoundationNetworking._DataURLProtocol") as? URLProtocol.Type
        else { return fail("a data URL cannot be downloaded") }
        let instance = decoder.init(task: task, cachedResponse: nil, client: nil)
        state = .decoding(instance)
        instance.startLoading()
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
#endif
