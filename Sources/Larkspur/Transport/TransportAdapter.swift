/// The special treatment that one implementation of `URLSession` needs.
///
/// The layer above uses only the documented URLSession API. If an implementation traps or hangs on an allowed call, its
/// adapter reaches the same result in another way.
protocol TransportAdapter: Sendable {
    /// Changes a request so that the implementation accepts it.
    func prepare(_ request: URLRequest, for kind: TransferKind) throws(LarkspurError) -> URLRequest

    /// Throws `unsupported` if the implementation cannot enforce one of the limits.
    func validate(_ limits: Timeouts) throws(LarkspurError)

    /// Performs an order on a task. The calls for one task come in order, never two at a time.
    func perform(_ control: TaskControl, on task: URLSessionTask, in session: URLSession)

    /// Invalidates a session. If its tasks are to be cancelled, the caller has cancelled them already.
    func invalidate(_ session: URLSession, cancelingTasks: Bool)

    /// Returns the disposition for the decision about a challenge. Nil if the implementation does not support the
    /// decision: the task then ends with its current response.
    func disposition(
        for answer: ChallengeDisposition,
        to challenge: URLAuthenticationChallenge
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?)?

    /// Calls the completion handler of a delegate method with a result that another queue determined.
    /// - Parameter isActive: Returns whether the task still runs or is suspended.
    func reply(
        in session: URLSession,
        if isActive: @escaping @Sendable () -> Bool,
        _ completion: @escaping @Sendable () -> Void
    )

    /// Returns the resource timeout of a session's configuration, in seconds, if the implementation does not enforce
    /// it; otherwise nil.
    func unenforcedResourceTimeout(of session: URLSession) -> TimeInterval?

    /// Calls a hook that creates a body stream, and passes its result to the completion.
    func makeBodyStream(
        on queue: DispatchQueue,
        _ hook: @escaping @Sendable () -> InputStream?,
        _ completion: @escaping @Sendable (InputStream?) -> Void
    )

    /// Returns the request with which a redirect is followed. It is safe to send, and replaces the implementation's own
    /// request.
    func prepareRedirect(_ request: URLRequest, after response: HTTPURLResponse) -> URLRequest

    /// Returns whether the implementation no longer waits for the completion handler of a redirect. If so, the handler
    /// must not be called.
    func hasGivenUp(on task: URLSessionTask, redirectedBy response: HTTPURLResponse) -> Bool

    /// Sets the priority of a task, if that has an effect.
    func setPriority(_ priority: Float, of task: URLSessionTask)

    /// Returns whether a redirect may be refused with nil.
    func canRefuseRedirect(of kind: TransferKind) -> Bool

    /// Whether a data task can become a download when its response has arrived.
    var canBecomeDownload: Bool { get }

    /// Whether the `Content-Length` of a stream is sent.
    var sendsLengthOfStreams: Bool { get }

    /// Whether the loss of a reused connection is reported immediately while data is sent.
    var reportsLossOfKeptConnections: Bool { get }

    /// Creates a task that continues a download from resume data. If a request is given, it replaces the request in the
    /// resume data.
    func makeDownloadTask(
        resuming resumeData: Data,
        with request: URLRequest?,
        in session: URLSession
    ) throws(LarkspurError) -> URLSessionDownloadTask
}

/// An order to a task of a session. The first order is to start or to cancel. Then suspend and resume alternate. No
/// order follows a cancellation.
enum TaskControl: Sendable {
    case start
    case resume
    case suspend
    case cancel
    /// The cancellation of a download. The content that has arrived is stored, so that another download can continue.
    case cancelKeepingResumeData
}

/// The kinds of transfer that URLSession distinguishes.
enum TransferKind: Sendable {
    case data
    case upload
    case download
}

/// The adapter of a `URLSession` that behaves as documented.
struct StandardTransportAdapter: TransportAdapter {
    func prepare(_ request: URLRequest, for kind: TransferKind) throws(LarkspurError) -> URLRequest { request }

    func validate(_ limits: Timeouts) throws(LarkspurError) { try Platform.validate(limits) }

    func perform(_ control: TaskControl, on task: URLSessionTask, in session: URLSession) {
        switch control {
        case .start, .resume: task.resume()
        case .suspend: task.suspend()
        case .cancel: task.cancel()
        // The error of the task carries the resume data.
        case .cancelKeepingResumeData:
            if let task = task as? URLSessionDownloadTask { task.cancel { _ in } } else { task.cancel() }
        }
    }

    func invalidate(_ session: URLSession, cancelingTasks: Bool) {
        if cancelingTasks { session.invalidateAndCancel() } else { session.finishTasksAndInvalidate() }
    }

    func disposition(
        for answer: ChallengeDisposition,
        to challenge: URLAuthenticationChallenge
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?)? {
        switch answer.kind {
        case .useCredential(let credential): (.useCredential, credential)
        case .performDefaultHandling: (.performDefaultHandling, nil)
        case .rejectProtectionSpace: (.rejectProtectionSpace, nil)
        case .cancel, .fail: (.cancelAuthenticationChallenge, nil)
        }
    }

    func reply(
        in session: URLSession,
        if isActive: @escaping @Sendable () -> Bool,
        _ completion: @escaping @Sendable () -> Void
    ) {
        completion()
    }

    func unenforcedResourceTimeout(of session: URLSession) -> TimeInterval? { nil }

    func makeBodyStream(
        on queue: DispatchQueue,
        _ hook: @escaping @Sendable () -> InputStream?,
        _ completion: @escaping @Sendable (InputStream?) -> Void
    ) {
        queue.async { completion(hook()) }
    }

    func prepareRedirect(_ request: URLRequest, after response: HTTPURLResponse) -> URLRequest { request }

    func hasGivenUp(on task: URLSessionTask, redirectedBy response: HTTPURLResponse) -> Bool { false }

    func setPriority(_ priority: Float, of task: URLSessionTask) { task.priority = priority }

    func canRefuseRedirect(of kind: TransferKind) -> Bool { true }

    var canBecomeDownload: Bool { true }

    var sendsLengthOfStreams: Bool { true }

    var reportsLossOfKeptConnections: Bool { true }

    func makeDownloadTask(
        resuming resumeData: Data,
        with request: URLRequest?,
        in session: URLSession
    ) throws(LarkspurError) -> URLSessionDownloadTask {
        try Platform.makeDownloadTask(resuming: resumeData, with: request, in: session)
    }
}
