/// The delegate of one `URLSession`. It finds the ``TaskDelegate`` that each event of the session belongs to and passes
/// the event on.
///
/// Each session has its own delegate with its own registry, so that the task identifiers of a session that was reset
/// never clash with those of the next one. The delegate does not keep its session manager alive: the two share only the
/// hooks.
final class SessionDelegate: NSObject, Sendable {
    let registry = TaskRegistry()
    let creations = CreationsInFlight()
    let hooks: SessionHooksStore
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
            // A handshake has no hooks, but fields of its interceptors.
            return completionHandler(request.withholding(Platform.withheldFields(of: task), after: response))
        }
        let adapter = Platform.adapter(for: session)
        let request = delegate.withholdingFields(of: adapter.prepareRedirect(request, after: response), after: response)
        guard let hook = hooks.hook(\.willPerformHTTPRedirection, of: delegate.task) else {
            delegate.task.note(.redirected, .redirect(response, request))
            return adapter.reply(in: session, if: { delegate.task.isActive }) { completionHandler(request) }
        }
        hooks.queue.async {
            let answer = hook(delegate.task, response, request)
            delegate.task.note(.redirected, .redirect(response, answer))
            guard answer != nil || adapter.canRefuseRedirect(of: delegate.kind) else {
                return delegate.end(with: response)
            }
            var prepared = answer
            do throws(LarkspurError) {
                try answer?.validate()
                if let answer { prepared = try adapter.prepare(answer, for: delegate.kind) }
            } catch {
                return delegate.fail(with: error)
            }
            adapter.reply(in: session, if: { delegate.task.isActive }) { [prepared] in
                guard !adapter.hasGivenUp(on: task, redirectedBy: response) else {
                    return delegate.fail(with: LarkspurError(.timedOut, "The redirect was not answered in time."))
                }
                completionHandler(prepared)
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
            // A handshake has no hooks, but the credentials of the session.
            return completionHandler(
                Platform.opensWebSocket(task) ? .performDefaultHandling : .cancelAuthenticationChallenge,
                nil
            )
        }
        delegate.task.note(.challenged, .challenge(CallEvent.Challenge(challenge)))
        guard let hook = hooks.hook(\.didReceiveChallenge, of: delegate.task) else {
            return answer(.performDefaultHandling, challenge, of: delegate, in: session, completionHandler)
        }
        hooks.queue.async { [self] in
            answer(hook(delegate.task, challenge), challenge, of: delegate, in: session, completionHandler)
        }
    }

    private func answer(
        _ answer: ChallengeAnswer,
        _ challenge: URLAuthenticationChallenge,
        of delegate: TaskDelegate,
        in session: URLSession,
        _ completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        if case .fail(let error) = answer.kind {
            return delegate.fail(
                with: LarkspurError(.cancelled, "An authentication challenge was refused.", underlyingError: error)
            )
        }
        let adapter = Platform.adapter(for: session)
        var disposition = adapter.disposition(for: answer, to: challenge)
        if let credential = disposition?.1,
            !delegate.mayUse(credential, previousFailureCount: challenge.previousFailureCount)
        {
            disposition = adapter.disposition(for: .rejectProtectionSpace, to: challenge)
        }
        guard let (chosen, credential) = disposition else { return delegate.end(with: challenge.failureResponse) }
        if chosen == .cancelAuthenticationChallenge { return delegate.task.cancel() }
        adapter.reply(in: session, if: { delegate.task.isActive }) { completionHandler(chosen, credential) }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        guard let delegate = delegate(of: task), delegate.sendsStream else { return completionHandler(nil) }
        guard !delegate.sendsSection, let hook = hooks.hook(\.needNewBodyStream, of: delegate.task) else {
            return completionHandler(delegate.bodyStream())
        }
        Platform.adapter(for: session).makeBodyStream(
            on: hooks.queue,
            { hook(delegate.task) ?? delegate.bodyStream() },
            completionHandler
        )
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        guard let delegate = delegate(of: task) else { return }
        delegate.sent(totalBytesSent, of: totalBytesExpectedToSend)
        hooks.call(\.didSendBodyData, of: delegate.task) {
            $0(delegate.task, bytesSent, totalBytesSent, totalBytesExpectedToSend)
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let delegate = registry.remove(task.taskIdentifier) { end(delegate, with: error) }
    }

    /// Ends a task that has left the registry.
    func end(_ delegate: TaskDelegate, with error: (any Error)?) {
        delegate.complete(with: error) { [hooks] error in
            hooks.call(\.didCollectMetrics, of: delegate.task) { $0(delegate.task, delegate.task.timeline) }
            hooks.call(\.didComplete, of: delegate.task) { $0(delegate.task, error) }
        }
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
        delegate.receive(response)
        guard let hook = hooks.hook(\.didReceiveResponse, of: delegate.task), let task = delegate.task as? DataTask
        else {
            return completionHandler(.allow)
        }
        let adapter = Platform.adapter(for: session)
        hooks.queue.async {
            let disposition = hook(task, response)
            // A transport that ignores the disposition still obeys the cancellation.
            if disposition == .cancel { task.cancel() }
            completionHandler(disposition == .download && !adapter.canBecomeDownload ? .allow : disposition)
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let delegate = delegate(of: dataTask) else { return }
        let hook = hooks.hook(\.didReceiveData, of: delegate.task)
        let held = hook == nil && delegate.stream == nil ? nil : Platform.hold(data.count, of: dataTask)
        delegate.receive(data, held: held)
        guard let hook, let task = delegate.task as? DataTask else { return }
        hooks.queue.async { withExtendedLifetime(held) { hook(task, data) } }
    }
}

extension SessionDelegate {
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        guard let task = delegate(of: dataTask)?.task as? DataTask,
            let hook = hooks.hook(\.willCacheResponse, of: task)
        else {
            return completionHandler(proposedResponse)
        }
        hooks.queue.async { completionHandler(hook(task, proposedResponse)) }
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
        guard let delegate = delegate(of: downloadTask) else { return }
        delegate.task.note(.contentReceived, .bytes(count: bytesWritten, total: 0))
        delegate.wrote(totalBytesWritten, of: totalBytesExpectedToWrite)
        guard let task = delegate.task as? DownloadTask else { return }
        hooks.call(\.didWriteData, of: task) { $0(task, bytesWritten, totalBytesWritten, totalBytesExpectedToWrite) }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        guard let delegate = delegate(of: downloadTask) else { return }
        delegate.wrote(fileOffset, of: expectedTotalBytes)
        guard let task = delegate.task as? DownloadTask else { return }
        hooks.call(\.didResumeDownload, of: task) { $0(task, fileOffset, expectedTotalBytes) }
    }
}

extension SessionDelegate {
    func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let hook = hooks.hook(\.didReceiveSessionChallenge) else {
            return completionHandler(.performDefaultHandling, nil)
        }
        hooks.queue.async {
            switch hook(challenge).kind {
            case .useCredential(let credential):
                // A credential that the server has just refused would be refused each time.
                let isRefused = challenge.previousFailureCount > 0 && challenge.proposedCredential == credential
                if isRefused {
                    completionHandler(.rejectProtectionSpace, nil)
                } else {
                    completionHandler(.useCredential, credential)
                }
            case .performDefaultHandling: completionHandler(.performDefaultHandling, nil)
            case .rejectProtectionSpace: completionHandler(.rejectProtectionSpace, nil)
            case .cancel, .fail: completionHandler(.cancelAuthenticationChallenge, nil)
            }
        }
    }
}

/// The conversion of a data task into a download, which a hook decides.
extension SessionDelegate {
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    ) {
        guard let delegate = registry.remove(dataTask.taskIdentifier) else { return }
        let download = DownloadTask(environment: delegate.task.environment, upload: nil, download: nil)
        let finisher = DownloadFinisher(
            validation: ResponseValidation(),
            destination: nil,
            hooks: hooks,
            deliveries: { _ in [] }
        )
        let successor = TaskDelegate(
            task: download,
            .download,
            ending: .task(TaskFinisher { result, _ in finisher.finish(result, of: download) })
        )
        let attempt = TaskAttempt(urlTask: downloadTask, session: session, adapter: Platform.adapter(for: session)) {}
        guard let task = delegate.task as? DataTask, task.handOver(to: download, as: attempt) else {
            // The task is cancelled. The transport ends it as its new task object.
            return registry.add(delegate, for: downloadTask.taskIdentifier)
        }
        registry.add(successor, for: downloadTask.taskIdentifier)
        hooks.call(\.didBecomeDownload, of: task) { $0(task, download) }
        end(delegate, with: LarkspurError(.becameDownload, "The task has become a download, which goes on by itself."))
    }
}

extension URLSession.ResponseDisposition {
    /// The disposition `becomeDownload`, which writes the content to a file. FoundationNetworking marks that name as
    /// deprecated, because its own sessions do not support it.
    public static var download: Self { Self(rawValue: 2) ?? .allow }
}
