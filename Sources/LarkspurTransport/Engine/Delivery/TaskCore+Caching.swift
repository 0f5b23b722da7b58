#if canImport(FoundationNetworking)
extension TaskCore {
    /// Asks the delegate whether a response is to be stored. The task does not wait for the answer; no answer is a
    /// refusal.
    func askAboutCaching(_ proposal: CacheProposal) {
        guard !isCancelled else { return }
        guard let listener, let delegate = listener.delegates.data, let task = listener.dataTask,
            let response = proposal.entry.cachedResponse(withMetadata: false)
        else { return proposal.store() }
        let question = Question<CachedURLResponse?>(fallback: nil)
        delegate.urlSession(listener.session, dataTask: task, willCacheResponse: response) { question.answer($0) }
        let accept: @Sendable (CachedURLResponse?) -> Void = { answer in
            // An unchanged response need not be read again.
            if answer === response { proposal.store() } else { proposal.accept(answer) }
        }
        if let answer = question.take(orLater: accept) { accept(answer) }
    }
}
#endif
