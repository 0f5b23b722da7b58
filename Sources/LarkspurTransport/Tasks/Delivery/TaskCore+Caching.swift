#if canImport(FoundationNetworking)
extension TaskCore {
    /// Whether somebody may decide about storing the response. Read only by the thread that has the loop.
    var mayDecideAboutCaching: Bool {
        guard asksAboutCaching, hasReceiver, session.delivery.isOnLoop else { return asksAboutCaching }
        return deliveryState.receiver?.decidesAboutCaching ?? (plan.refresh?.decision != nil)
    }

    /// The decision of the receiver about the response of a refresh after this task; nil without a receiver. Read only
    /// by the thread that has the loop.
    var decisionForRefresh: CachingDecision? {
        // A session that uses receivers calls them on the loop's thread, which waits while another thread has the loop.
        hasReceiver && session.delivery.isOnLoop ? deliveryState.receiver?.cachingDecision : nil
    }

    /// Asks the delegate whether to store a response. If the decision is not made before the delegate's method returns,
    /// the task does not wait for it. If the handler is released without a call, the response is not stored.
    func askAboutCaching(_ proposal: CacheProposal) {
        guard !isCancelled else { return }
        if let decision = deliveryState.receiver?.cachingDecision ?? plan.refresh?.decision {
            return askAboutCaching(proposal, decision)
        }
        // A task that has become a download has no delegate for this question.
        guard delegates.data != nil, !(listener?.task is URLSessionDownloadTask) else { return proposal.store() }
        guard let (session, delegate, task) = cachingListener,
            let response = proposal.entry.cachedResponse(withMetadata: false)
        else { return proposal.accept(nil) }
        let question = Question<CachedURLResponse?>(refusal: nil)
        delegate.urlSession(session, dataTask: task, willCacheResponse: response) { question.answer($0) }
        if let answer = question.take(orLater: { Self.store($0, in: proposal, insteadOf: response) }) {
            Self.store(answer, in: proposal, insteadOf: response)
        }
    }

    /// The delegate to ask, and the objects that are passed to it; nil if it cannot be asked. For a refresh, a task
    /// object is created for this question alone.
    private var cachingListener: (any SessionObject, any URLSessionDataDelegate, URLSessionDataTask)? {
        guard let session = session.object, let delegate = delegates.data,
            let object = isRefresh ? session.makeTaskObject(self) : listener?.task,
            let task = object as? URLSessionDataTask
        else { return nil }
        return (session, delegate, task)
    }

    private func askAboutCaching(_ proposal: CacheProposal, _ decision: CachingDecision) {
        var response: CachedURLResponse?
        let answer = decision {
            response = proposal.entry.cachedResponse(withMetadata: false)
            return response
        }
        guard let response else { return proposal.store() }
        switch answer {
        case nil: proposal.store()
        case .now(let answer): Self.store(answer, in: proposal, insteadOf: response)
        case .later(let decide): decide { Self.store($0, in: proposal, insteadOf: response) }
        }
    }

    private static func store(
        _ answer: CachedURLResponse?,
        in proposal: CacheProposal,
        insteadOf response: CachedURLResponse
    ) {
        // If the delegate has not changed the response, the existing entry is stored.
        if answer === response { proposal.store() } else { proposal.accept(answer) }
    }
}
#endif
