#if canImport(FoundationNetworking)
extension TaskCore {
    /// Asks the delegate whether to store a response. If the decision is not made before the delegate's method returns,
    /// the task does not wait for it. If the handler is released without a call, the response is not stored.
    func askAboutCaching(_ proposal: CacheProposal) {
        guard !isCancelled else { return proposal.completion() }
        if let receiver = deliveryState.receiver { return askAboutCaching(proposal, receiver) }
        guard let listener, let delegate = listener.delegates.data, let task = listener.dataTask,
            let response = proposal.entry.cachedResponse(withMetadata: false)
        else { return proposal.store() }
        let question = Question<CachedURLResponse?>(refusal: nil)
        delegate.urlSession(listener.session, dataTask: task, willCacheResponse: response) { question.answer($0) }
        if let answer = question.take(orLater: { Self.store($0, in: proposal.unawaited, insteadOf: response) }) {
            Self.store(answer, in: proposal, insteadOf: response)
        } else {
            proposal.completion()
        }
    }

    private func askAboutCaching(_ proposal: CacheProposal, _ receiver: any TransferReceiver) {
        var response: CachedURLResponse?
        let answer = receiver.cache {
            response = proposal.entry.cachedResponse(withMetadata: false)
            return response
        }
        guard let response else { return proposal.store() }
        switch answer {
        case nil: proposal.store()
        case .now(let answer): Self.store(answer, in: proposal, insteadOf: response)
        case .later(let decide):
            decide { Self.store($0, in: proposal.unawaited, insteadOf: response) }
            proposal.completion()
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
