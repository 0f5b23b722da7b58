import HTTPSyntax
import Synchronization

/// The decisions of a transfer about redirects, challenges, the cache, and streams of the request's content.
extension TaskDelegate {
    func redirect(_ response: HTTPURLResponse, to request: URLRequest) -> TransferAnswer<URLRequest?> {
        let request = adapter.prepareRedirect(request, after: response)
            .withholding(template.withheldFields, after: response)
        guard let hook = session.hooks.hook(\.willPerformHTTPRedirection, of: task) else {
            task.note(.redirected, .redirect(response, request))
            return .now(request)
        }
        return .later { [self] give in
            session.hooks.queue.async { [self] in
                let answer = hook(task, response, request)
                task.note(.redirected, .redirect(response, answer))
                // If the transport cannot refuse a redirect, the transfer is ended, and the redirect is the response.
                guard answer != nil || adapter.canRefuseRedirect(of: template.content.kind) else {
                    return endTransfer(with: response)
                }
                do throws(LarkspurError) {
                    try answer?.validate()
                    var prepared = answer
                    if let answer { prepared = try adapter.prepare(answer, for: template.content.kind) }
                    give(prepared)
                } catch {
                    fail(with: error, keepingOpen: give)
                }
            }
        }
    }

    func answer(_ challenge: URLAuthenticationChallenge) -> TransferAnswer<ChallengeDecision> {
        task.note(.challenged, .challenge(CallEvent.Challenge(challenge)))
        guard let hook = session.hooks.hook(\.challengeDisposition, of: task) else {
            return .later { [self] in answer(.performDefaultHandling, challenge, $0) }
        }
        return .later { [self] give in
            session.hooks.queue.async { [self] in answer(hook(task, challenge), challenge, give) }
        }
    }

    private func answer(
        _ answer: ChallengeDisposition,
        _ challenge: URLAuthenticationChallenge,
        _ give: @escaping @Sendable (ChallengeDecision) -> Void
    ) {
        if case .fail(let error) = answer.kind {
            return fail(
                with: LarkspurError(.cancelled, "An authentication challenge was refused.", underlyingError: error),
                keepingOpen: give
            )
        }
        var disposition = adapter.disposition(for: answer, to: challenge)
        if let credential = disposition?.1, !mayUse(credential, previousFailureCount: challenge.previousFailureCount) {
            disposition = adapter.disposition(for: .rejectProtectionSpace, to: challenge)
        }
        guard let (chosen, credential) = disposition else { return endTransfer(with: challenge.failureResponse) }
        if chosen == .cancelAuthenticationChallenge {
            keepOpen(give)
            return task.cancel()
        }
        give((chosen, credential))
    }

    /// Returns whether a credential may be used. A credential that the server has just refused may not be used again.
    private func mayUse(_ credential: URLCredential, previousFailureCount: Int) -> Bool {
        storage.withLock { storage in
            defer { storage.lastCredential = credential }
            guard previousFailureCount > 0, let last = storage.lastCredential else { return true }
            return last.user != credential.user || last.password != credential.password
        }
    }

    /// Whether a hook decides about storing the response of the task.
    var decidesAboutCaching: Bool { session.hooks.hook(\.willCacheResponse, of: task) != nil }

    var cachingDecision: CachingDecision {
        guard let task = task as? DataTask else { return { _ in nil } }
        // The hooks of a call are released at its end, after which a refresh still needs the decision.
        return { [hooks = session.hooks, own = session.hooks.hook(\.willCacheResponse, of: task)] proposal in
            guard let hook = hooks.hook(\.willCacheResponse, of: task) ?? own, let proposal = proposal() else {
                return nil
            }
            return .later { give in hooks.queue.async { give(hook(task, proposal)) } }
        }
    }

    // MARK: Streams of the request's content

    func makeBodyStream(_ completion: @escaping @Sendable (InputStream?) -> Void) {
        guard template.isStreamed || task.originalRequest?.httpBodyStream != nil else { return completion(nil) }
        // A section of a file is the content that a resumable upload has to send next. No hook may replace this
        // content.
        guard template.section == nil, template.producer == nil,
            let hook = session.hooks.hook(\.needNewBodyStream, of: task)
        else { return completion(bodyStream()) }
        adapter.makeBodyStream(on: session.hooks.queue, { [self] in hook(task) ?? bodyStream() }, completion)
    }

    /// Returns the task's own body stream: from a section of a file, from the caller's closure, or from the request.
    private func bodyStream() -> InputStream? {
        if let section = template.section { return section.makeStream { [weak self] in self?.fail(with: $0) } }
        if let producer = template.producer, let request = task.originalRequest {
            let content = template.production(by: producer, for: request)
            return Platform.makeStream(onFailure: { [weak self] in self?.fail(with: $0) }) {
                ProducedBodyReader(content.makeChannel())
            }
        }
        let stream = template.makeBodyStream?() ?? task.originalRequest?.httpBodyStream
        // The stream of a form is created again from its beginning each time, and reports its own errors.
        return Platform.remade(stream) { [weak self] in self?.fail(with: $0) } ?? stream
    }
}
