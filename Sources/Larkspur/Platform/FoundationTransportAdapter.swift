#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The adapter of FoundationNetworking's own `URLSession`.
///
/// Its tasks are driven from the session's delegate queue, one order at a time: a cancellation that overtakes the
/// completion it races with, a redirect that is answered after a cancellation, or a suspension whose effect has not
/// settled when the task is resumed, are each the end of the process otherwise.
struct FoundationTransportAdapter: TransportAdapter {
    static func prepare(_ configuration: URLSessionConfiguration) {
        // HTTP responses are never stored in it, and looking them up makes the start of a task asynchronous, so that a
        // suspension can overtake it and trap.
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
            // A stream is sent in chunks whatever its length, and with both fields no server may take the request (RFC
            // 9112, section 6.1).
            request.setValue(nil, forHTTPHeaderField: "Content-Length")
        }
        let timeout = Self.wholeSeconds(request.timeoutInterval)
        if timeout != request.timeoutInterval { request.timeoutInterval = timeout }
        return request
    }

    /// Seconds that `Int(_:) * 1000` neither traps on nor truncates to nothing: rounded up, at most 1,000,000,000; 60
    /// where there is no sensible number.
    static func wholeSeconds(_ interval: TimeInterval) -> TimeInterval {
        guard interval > 0 else { return 60 }
        return min(interval.rounded(.up), 1_000_000_000)
    }

    func perform(_ control: TaskAttempt.Control, on task: URLSessionTask, in session: URLSession) {
        switch control {
        case .start: task.resume()
        case .resume: session.delegateQueue.addOperation { task.resume() }
        case .suspend:
            session.delegateQueue.addOperation {
                task.suspend()
                // Reading the priority waits for the session's work queue, where the suspension takes effect.
                _ = task.priority
            }
        case .cancel, .cancelKeepingResumeData:
            let cancellation = BlockOperation { task.cancel() }
            // Ahead of the content that a fast server may have queued by the thousand.
            cancellation.queuePriority = .veryHigh
            session.delegateQueue.addOperation(cancellation)
        }
    }

    func invalidate(_ session: URLSession, cancellingTasks: Bool) {
        // `invalidateAndCancel` would read a registry unprotected while others write it; the tasks know already.
        session.finishTasksAndInvalidate()
    }

    func disposition(
        for answer: ChallengeAnswer,
        to challenge: URLAuthenticationChallenge
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?)? {
        let credential: URLCredential? =
            switch answer.kind {
            case .useCredential(let credential): credential
            case .performDefaultHandling where challenge.previousFailureCount == 0: challenge.proposedCredential
            default: nil
            }
        // Default handling without a credential hangs, rejection cancels, and a credential for anything but Basic
        // traps.
        guard let credential, challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
        else {
            if case .cancel = answer.kind { return (.cancelAuthenticationChallenge, nil) }
            return nil
        }
        return (.useCredential, credential)
    }

    func reply(
        in session: URLSession,
        unlessCancelled task: SessionTask,
        _ completion: @escaping @Sendable () -> Void
    ) {
        session.delegateQueue.addOperation {
            guard task.state == .running || task.state == .suspended else { return }
            completion()
        }
    }

    /// The default, a week, is left alone: nothing is gained by a timer for every task.
    func unenforcedResourceTimeout(of session: URLSession) -> TimeInterval? {
        let timeout = session.configuration.timeoutIntervalForResource
        return timeout > 0 && timeout < 604_800 ? timeout : nil
    }

    /// On the thread that asks, which is the session's work queue: the transfer is set up wherever the answer is given,
    /// and only there that is safe.
    func makeBodyStream(
        on queue: DispatchQueue,
        _ hook: @escaping @Sendable () -> InputStream?,
        _ completion: @escaping @Sendable (InputStream?) -> Void
    ) {
        completion(hook())
    }

    /// Drops credentials when a redirect leads to another origin (RFC 9110, section 15.4), which FoundationNetworking
    /// sends along.
    func prepareRedirect(_ request: URLRequest, after response: HTTPURLResponse) -> URLRequest {
        if let target = request.url.flatMap(Origin.init), let source = response.url.flatMap(Origin.init),
            target == source
        {
            return request
        }
        var request = request
        for name in ["Authorization", "Proxy-Authorization", "Cookie"] {
            request.setValue(nil, forHTTPHeaderField: name)
        }
        return request
    }

    /// When a request times out while its redirect is being decided about, FoundationNetworking notes the redirect as
    /// the response, says nothing, and traps on an answer.
    func hasGivenUp(on task: URLSessionTask, redirectedBy response: HTTPURLResponse) -> Bool {
        task.response === response
    }

    /// It has no effect, waits for the session's work queue, and traps on it.
    func setPriority(_ priority: Float, of task: URLSessionTask) {}

    func canRefuseRedirect(of kind: TransferKind) -> Bool { kind != .download }

    /// It has no word for that, and collects the content.
    var canBecomeDownload: Bool { false }

    /// Its own task for that fails in any case, and never ends if it is cancelled.
    func makeDownloadTask(
        resuming resumeData: Data,
        with request: URLRequest?,
        in session: URLSession
    ) throws(LarkspurError) -> URLSessionDownloadTask {
        throw LarkspurError(.unsupported, "The transport .foundation cannot resume downloads.")
    }
}

extension URL {
    /// The same URL with its scheme in lower case, as FoundationNetworking knows no other; schemes are case-insensitive
    /// (RFC 3986, section 3.1).
    fileprivate var withLowercasedScheme: URL? {
        guard let scheme, scheme != scheme.lowercased() else { return self }
        return URL(string: scheme.lowercased() + absoluteString.dropFirst(scheme.count))
    }
}
#endif
