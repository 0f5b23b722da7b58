#if canImport(FoundationNetworking)
import HTTPSyntax

/// The adapter of FoundationNetworking's own `URLSession`.
///
/// It gives orders to tasks on the session's delegate queue, one order at a time. Otherwise these races terminate the
/// process: a cancellation that overtakes the task's completion, a reply to a redirect after a cancellation, and a
/// resume before a suspension has taken effect.
struct FoundationTransportAdapter: TransportAdapter {
    static func prepare(_ configuration: URLSessionConfiguration) {
        // FoundationNetworking never stores HTTP responses in the cache, but looks for responses there. The look-up
        // makes the start of a task asynchronous, so that a suspension can overtake the start and trap.
        configuration.urlCache = nil
        configuration.timeoutIntervalForRequest = wholeSeconds(configuration.timeoutIntervalForRequest)
    }

    func prepare(_ request: URLRequest, for kind: TransferKind) throws(LarkspurError) -> URLRequest {
        var request = request
        request.url = request.url?.withLowercasedScheme
        let scheme = request.url?.scheme ?? ""
        if scheme == "ftp" || (kind == .download && scheme != "http" && scheme != "https") {
            throw LarkspurError(
                .unsupportedURL,
                "The transport .foundation loads no ftp URLs, and downloads http and https URLs only.",
                request: request
            )
        }
        if kind == .upload || request.httpBodyStream != nil {
            // A stream is always sent with `Transfer-Encoding: chunked`, even if its length is known. A request must
            // not have `Content-Length` as well, because a server may reject it (RFC 9112, sections 6.1 and 6.2).
            request.setValue(nil, forHTTPHeaderField: "Content-Length")
        }
        let timeout = Self.wholeSeconds(request.timeoutInterval)
        if timeout != request.timeoutInterval { request.timeoutInterval = timeout }
        return request
    }

    func validate(_ limits: Timeouts) throws(LarkspurError) { try limits.validateWithoutConnections() }

    /// Returns an interval in whole seconds. FoundationNetworking computes `Int(interval) * 1000`, which must neither
    /// trap nor become 0. The interval is therefore rounded up, and is at most 1,000,000,000. An interval that is not a
    /// positive number becomes 60.
    static func wholeSeconds(_ interval: TimeInterval) -> TimeInterval {
        guard interval > 0 else { return 60 }
        return min(interval.rounded(.up), 1_000_000_000)
    }

    func perform(_ control: TaskControl, on task: URLSessionTask, in session: URLSession) {
        switch control {
        case .start: task.resume()
        case .resume: session.delegateQueue.addOperation { task.resume() }
        case .suspend:
            session.delegateQueue.addOperation {
                task.suspend()
                // Reading the priority waits for the session's work queue, on which the suspension takes effect.
                _ = task.priority
            }
        case .cancel, .cancelKeepingResumeData:
            let cancellation = BlockOperation { task.cancel() }
            // The cancellation runs before the chunks of content that are in the queue. If the server is fast, there
            // may be thousands of them.
            cancellation.queuePriority = .veryHigh
            session.delegateQueue.addOperation(cancellation)
        }
    }

    func invalidate(_ session: URLSession, cancelingTasks: Bool) {
        // `invalidateAndCancel` would read a registry without protection while other threads write it. The tasks have
        // been cancelled already.
        session.finishTasksAndInvalidate()
    }

    func disposition(
        for answer: ChallengeDisposition,
        to challenge: URLAuthenticationChallenge
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?)? {
        let credential: URLCredential? =
            switch answer.kind {
            case .useCredential(let credential): credential
            case .performDefaultHandling where challenge.previousFailureCount == 0: challenge.proposedCredential
            default: nil
            }
        // In FoundationNetworking, default handling without a credential hangs, rejection cancels the task, and a
        // credential for a scheme other than Basic traps.
        guard let credential, challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
        else {
            if case .cancel = answer.kind { return (.cancelAuthenticationChallenge, nil) }
            return nil
        }
        return (.useCredential, credential)
    }

    func reply(
        in session: URLSession,
        if isActive: @escaping @Sendable () -> Bool,
        _ completion: @escaping @Sendable () -> Void
    ) {
        session.delegateQueue.addOperation { if isActive() { completion() } }
    }

    /// Returns the resource timeout of the configuration; nil for the default of one week, for which a timer in every
    /// task would bring no benefit.
    func unenforcedResourceTimeout(of session: URLSession) -> TimeInterval? {
        let timeout = session.configuration.timeoutIntervalForResource
        return timeout > 0 && timeout < 604_800 ? timeout : nil
    }

    /// Calls the hook on the current thread, which is the thread of the session's work queue. The completion sets up
    /// the transfer on its calling thread, and this is safe only on the work queue.
    func makeBodyStream(
        on queue: DispatchQueue,
        _ hook: @escaping @Sendable () -> InputStream?,
        _ completion: @escaping @Sendable (InputStream?) -> Void
    ) {
        completion(hook())
    }

    /// Drops credentials when a redirect leads to another origin (RFC 9110, section 15.4). FoundationNetworking would
    /// send the credentials to that origin.
    func prepareRedirect(_ request: URLRequest, after response: HTTPURLResponse) -> URLRequest {
        guard request.leavesOrigin(of: response) else { return request }
        return request.removingFields(where: CredentialField.matches)
    }

    /// Returns whether FoundationNetworking has ended a request while the delegate decided about its redirect. If the
    /// request times out in that time, FoundationNetworking stores the redirect as the response and reports nothing. A
    /// call of the completion handler then traps.
    func hasGivenUp(on task: URLSessionTask, redirectedBy response: HTTPURLResponse) -> Bool {
        task.response === response
    }

    /// Does nothing, because setting the priority has no effect, waits for the session's work queue, and traps on that
    /// queue.
    func setPriority(_ priority: Float, of task: URLSessionTask) {}

    /// False for downloads, because FoundationNetworking terminates the process if a redirect of a download is refused.
    func canRefuseRedirect(of kind: TransferKind) -> Bool { kind != .download }

    /// False, because FoundationNetworking ignores the disposition `becomeDownload` and collects the content.
    var canBecomeDownload: Bool { false }

    /// False, because FoundationNetworking sends streams in chunks.
    var sendsLengthOfStreams: Bool { false }

    /// False, because FoundationNetworking waits for its timeout when libcurl sends data again on a new connection.
    var reportsLossOfKeptConnections: Bool { false }

    /// Throws `unsupported`, because FoundationNetworking's own task for resume data always fails, and never ends if it
    /// is cancelled.
    func makeDownloadTask(
        resuming resumeData: Data,
        with request: URLRequest?,
        in session: URLSession
    ) throws(LarkspurError) -> URLSessionDownloadTask {
        throw LarkspurError(.unsupported, "The transport .foundation cannot resume downloads.")
    }
}

extension URL {
    /// The same URL with its scheme in lower case, because FoundationNetworking does not support upper case in schemes.
    /// Schemes are case-insensitive (RFC 3986, section 3.1).
    fileprivate var withLowercasedScheme: URL? {
        guard let scheme, scheme != scheme.lowercased() else { return self }
        return URL(string: scheme.lowercased() + absoluteString.dropFirst(scheme.count))
    }
}
#endif
