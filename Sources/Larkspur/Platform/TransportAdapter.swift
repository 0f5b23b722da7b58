/// What one implementation of `URLSession` needs to be treated with.
///
/// The layer above speaks the documented URLSession API and nothing else. Where an implementation would answer an
/// allowed call with a trap or a hang, its adapter says the same thing in another way.
protocol TransportAdapter: Sendable {
    /// Changes a request into one that the implementation takes.
    func prepare(_ request: URLRequest, for kind: TransferKind) throws(LarkspurError) -> URLRequest

    /// Tells a task what to do; these calls for one task come in order, never two at a time.
    func perform(_ control: TaskAttempt.Control, on task: URLSessionTask, in session: URLSession)

    /// Invalidates a session, whose tasks have been told to cancel before if they are to.
    func invalidate(_ session: URLSession, cancellingTasks: Bool)

    /// Answers a challenge; nil means that the implementation cannot do what was asked and the task is to end with the
    /// response that it has.
    func disposition(
        for answer: ChallengeAnswer,
        to challenge: URLAuthenticationChallenge
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?)?

    /// Calls the completion handler of a delegate method with an answer that was found on another queue.
    func reply(in session: URLSession, unlessCancelled task: SessionTask, _ completion: @escaping @Sendable () -> Void)

    /// The resource timeout of a session's configuration, in seconds, if the implementation does not enforce it.
    func unenforcedResourceTimeout(of session: URLSession) -> TimeInterval?

    /// Calls a hook that makes a body stream, and hands on what it makes.
    func makeBodyStream(
        on queue: DispatchQueue,
        _ hook: @escaping @Sendable () -> InputStream?,
        _ completion: @escaping @Sendable (InputStream?) -> Void
    )

    /// Changes the request that the implementation would follow a redirect with into one that is safe to send.
    func prepareRedirect(_ request: URLRequest, after response: HTTPURLResponse) -> URLRequest

    /// Says whether the implementation waits no longer for the answer to a redirect, and must not be given one.
    func hasGivenUp(on task: URLSessionTask, redirectedBy response: HTTPURLResponse) -> Bool

    /// Hands on the priority of a task, where that has an effect.
    func setPriority(_ priority: Float, of task: URLSessionTask)

    /// Says whether a refused redirect may be answered with nil.
    func canRefuseRedirect(of kind: TransferKind) -> Bool

    /// Says whether a data task can become a download when its response has come.
    var canBecomeDownload: Bool { get }

    /// Makes a task that goes on with what a download has left; a request takes the place of the one that the resume
    /// data speaks of.
    func makeDownloadTask(
        resuming resumeData: Data,
        with request: URLRequest?,
        in session: URLSession
    ) throws(LarkspurError) -> URLSessionDownloadTask
}

/// The kinds of transfer, as URLSession tells them apart.
enum TransferKind: Sendable {
    case data
    case upload
    case download
}

/// The adapter of a `URLSession` that does what is documented.
struct StandardTransportAdapter: TransportAdapter {
    func prepare(_ request: URLRequest, for kind: TransferKind) throws(LarkspurError) -> URLRequest { request }

    func perform(_ control: TaskAttempt.Control, on task: URLSessionTask, in session: URLSession) {
        switch control {
        case .start, .resume: task.resume()
        case .suspend: task.suspend()
        case .cancel: task.cancel()
        // The error brings the resume data.
        case .cancelKeepingResumeData:
            if let task = task as? URLSessionDownloadTask { task.cancel { _ in } } else { task.cancel() }
        }
    }

    func invalidate(_ session: URLSession, cancellingTasks: Bool) {
        if cancellingTasks { session.invalidateAndCancel() } else { session.finishTasksAndInvalidate() }
    }

    func disposition(
        for answer: ChallengeAnswer,
        to challenge: URLAuthenticationChallenge
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?)? {
        switch answer.kind {
        case .useCredential(let credential): (.useCredential, credential)
        case .performDefaultHandling: (.performDefaultHandling, nil)
        case .rejectProtectionSpace: (.rejectProtectionSpace, nil)
        case .cancel, .fail: (.cancelAuthenticationChallenge, nil)
        }
    }

    func reply(in session: URLSession, unlessCancelled task: SessionTask, _ completion: @escaping @Sendable () -> Void)
    {
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

    func makeDownloadTask(
        resuming resumeData: Data,
        with request: URLRequest?,
        in session: URLSession
    ) throws(LarkspurError) -> URLSessionDownloadTask {
        try Platform.makeDownloadTask(resuming: resumeData, with: request, in: session)
    }
}
