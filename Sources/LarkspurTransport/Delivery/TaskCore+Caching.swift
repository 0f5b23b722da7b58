#if canImport(FoundationNetworking)
extension TaskCore {
    /// Asks the delegate whether a response is to be stored; the task does not wait for the answer, and none is a refusal.
    func askAboutCaching(_ proposal: CacheProposal) {
        guard !isCancelled else { return }
        guard let delegate = delegates.data, let session = session.face, let task = face as? URLSessionDataTask,
            let response = proposal.entry.cachedResponse(withMetadata: false)
        else { return proposal.store.store(proposal.entry, for: proposal.request) }
        let question = Question<CachedURLResponse?>(fallback: nil)
        delegate.urlSession(session, dataTask: task, willCacheResponse: response) { question.answer($0) }
        if let answer = question.take(orLater: proposal.accept) { proposal.accept(answer) }
    }
}
#endif
