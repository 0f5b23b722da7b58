import Synchronization

/// The delegate of one `URLSession`. It finds the ``TaskDelegate`` that each event of the session belongs to, and
/// passes the event on. Events that the engine passes to a task delegate directly do not come here.
///
/// Each session has a separate delegate with a separate registry. So the task identifiers of a session that was reset
/// never clash with those of the next session. The delegate does not keep its session manager alive: the two share only
/// the hooks.
final class SessionDelegate: NSObject, Sendable {
    let registry = TaskRegistry()
    let creations = CreationsInFlight()
    let hooks: SessionHooksStore
    /// Whether a task of the session has had a hook that decides about storing responses.
    private let hasCachingHook = Atomic(false)
    private let didBecomeInvalid: @Sendable (SessionDelegate, (any Error)?) -> Void

    init(hooks: SessionHooksStore, didBecomeInvalid: @escaping @Sendable (SessionDelegate, (any Error)?) -> Void) {
        self.hooks = hooks
        self.didBecomeInvalid = didBecomeInvalid
    }

    func delegate(of task: URLSessionTask) -> TaskDelegate? {
        registry.delegate(for: task.taskIdentifier)
    }
}

extension SessionDelegate: URLSessionDelegate {
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        didBecomeInvalid(self, error)
    }
}

extension SessionDelegate: URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let delegate = delegate(of: task) else {
            // The task is the handshake of a WebSocket. It has no hooks, but its interceptors may withhold fields.
            return completionHandler(request.withholding(Platform.withheldFields(of: task), after: response))
        }
        delegate.redirect(response, to: request).give { answer in
            delegate.adapter.reply(in: session, if: { delegate.task.isActive }) {
                // FoundationNetworking may have given up on the redirect. It then terminates the process if the
                // completion handler is called.
                guard !delegate.adapter.hasGivenUp(on: task, redirectedBy: response) else {
                    return delegate.fail(with: LarkspurError(.timedOut, "The redirect was not answered in time."))
                }
                completionHandler(answer)
            }
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let delegate = delegate(of: task) else {
            // The task is the handshake of a WebSocket, or opens a connection in advance. It has no hooks, but uses the
            // credentials of the session.
            return completionHandler(
                Platform.belongsToNoCall(task) ? .performDefaultHandling : .cancelAuthenticationChallenge,
                nil
            )
        }
        delegate.answer(challenge).give { answer in
            // The adapter chooses the queue on which a reply is safe.
            delegate.adapter.reply(in: session, if: { delegate.task.isActive }) {
                completionHandler(answer.0, answer.1)
            }
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        guard let delegate = delegate(of: task) else { return completionHandler(nil) }
        delegate.makeBodyStream(completionHandler)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        delegate(of: task)?.sent(bytesSent, total: totalBytesSent, expected: totalBytesExpectedToSend)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        delegate(of: task)?.end(with: error)
    }
}

extension SessionDelegate: URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let delegate = delegate(of: dataTask) else { return completionHandler(.allow) }
        if delegate.decidesAboutCaching { hasCachingHook.store(true, ordering: .relaxed) }
        delegate.receive(ReceivedResponse(response)).give(completionHandler)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        delegate(of: dataTask)?.receive(data) { Platform.hold(data.count, of: dataTask) }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    ) {
        _ = delegate(of: dataTask)?.becomeDownload(downloadTask, of: dataTask, in: session)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        guard let delegate = delegate(of: dataTask) else {
            // The session has revalidated a stale response after it was delivered to a task. A hook needs that task,
            // and might refuse to store the response. So the response is stored only if there is no hook.
            let hasHook = hasCachingHook.load(ordering: .relaxed) || hooks.hook(\.willCacheResponse) != nil
            return completionHandler(hasHook ? nil : proposedResponse)
        }
        (delegate.cachingDecision { proposedResponse } ?? .now(proposedResponse)).give(completionHandler)
    }
}

extension SessionDelegate: URLSessionDownloadDelegate {
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        delegate(of: downloadTask)?.receiveFile(at: location)
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        delegate(of: downloadTask)?.wrote(bytesWritten, total: totalBytesWritten, expected: totalBytesExpectedToWrite)
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        delegate(of: downloadTask)?.resumed(at: fileOffset, expected: expectedTotalBytes)
    }
}

extension SessionDelegate {
    func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let hook = hooks.hook(\.sessionChallengeDisposition) else {
            return completionHandler(.performDefaultHandling, nil)
        }
        hooks.queue.async {
            switch hook(challenge).kind {
            case .useCredential(let credential):
                // If the server has just refused this credential, it would refuse the same credential again.
                let isRefused = challenge.previousFailureCount > 0 && challenge.proposedCredential == credential
                completionHandler(isRefused ? .rejectProtectionSpace : .useCredential, isRefused ? nil : credential)
            case .performDefaultHandling: completionHandler(.performDefaultHandling, nil)
            case .rejectProtectionSpace: completionHandler(.rejectProtectionSpace, nil)
            case .cancel, .fail: completionHandler(.cancelAuthenticationChallenge, nil)
            }
        }
    }
}

extension URLSession.ResponseDisposition {
    /// The disposition `becomeDownload`, which writes the content to a file. FoundationNetworking marks the name
    /// `becomeDownload` as deprecated, because its own sessions do not support the disposition.
    public static var download: Self { Self(rawValue: 2) ?? .allow }
}
