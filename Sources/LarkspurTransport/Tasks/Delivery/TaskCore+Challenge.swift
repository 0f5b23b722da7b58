#if canImport(FoundationNetworking)
/// The choice of the delegate that receives a challenge.
extension TaskCore {
    /// Passes a challenge about a connection to the session's delegate. If that delegate chooses default handling, the
    /// challenge is passed to the task's delegate. All other challenges are passed to the task's delegate immediately.
    ///
    /// If the session's delegate does not implement the method, the result is also default handling, because the two
    /// cases cannot be distinguished. If the delegate releases the handler without a call, no credential is sent.
    func askAboutChallenge(_ challenge: URLAuthenticationChallenge) {
        guard challenge.protectionSpace.isOfConnection, let delegate = session.delegate, let object = session.object
        else {
            return askTaskAboutChallenge(challenge)
        }
        let question = DelegateQuestion<ChallengeDecision>(refusal: Self.refusedChallenge)
        delegate.urlSession(object, didReceive: challenge) { question.answer(($0, $1)) }
        let answer = question.take { [self] in receive($0, of: challenge) }
        if let answer { receive(answer, of: challenge) }
    }

    private func receive(_ decision: ChallengeDecision, of challenge: URLAuthenticationChallenge) {
        guard decision.0 == .performDefaultHandling else {
            return session.loop.post(.answer(self, .challenge(decision.0, decision.1)))
        }
        session.delivery.send(.event(self, .taskChallenge(challenge)), through: session.loop)
    }

    func askTaskAboutChallenge(_ challenge: URLAuthenticationChallenge) {
        if let receiver = deliveryState.receiver {
            return receiver.answer(challenge).give { [self] in
                session.loop.post(.answer(self, .challenge($0.0, $0.1)))
            }
        }
        ask(
            default: (.performDefaultHandling, nil),
            refusal: Self.refusedChallenge,
            { DelegateAnswer.challenge($0.0, $0.1) }
        ) { delegate, session, task, answer in
            delegate.urlSession(session, task: task, didReceive: challenge) { answer(($0, $1)) }
        }
    }

    /// The decision if a delegate does not decide. No credential is sent, not even a credential of the session's
    /// storage. The 401 or 407 is the response. If the server offers another scheme, the delegate is asked again.
    private static var refusedChallenge: ChallengeDecision { (.rejectProtectionSpace, nil) }
}

extension TaskCore {
    /// Whether a delegate or receiver may decide about storing the response. Read only by the thread that has the loop.
    var mayDecideAboutCaching: Bool {
        guard asksAboutCaching, plan.hasReceiver, session.delivery.isOnLoop else { return asksAboutCaching }
        return deliveryState.receiver?.decidesAboutCaching ?? (plan.refresh?.decision != nil)
    }

    /// If the task received a stale response, the decision of its receiver about the response of the refresh; nil
    /// without a receiver. Read only by the thread that has the loop.
    var decisionForRefresh: CachingDecision? {
        // A session with receivers calls them on the loop's thread. This thread waits while another thread has the
        // loop.
        plan.hasReceiver && session.delivery.isOnLoop ? deliveryState.receiver?.cachingDecision : nil
    }

    /// Asks the delegate whether to store a response. If the decision is not made before the delegate's method returns,
    /// the task continues without it. If the handler is released without a call, the response is not stored.
    func askAboutCaching(_ proposal: CacheProposal) {
        guard !isCancelled else { return }
        if let decision = deliveryState.receiver?.cachingDecision ?? plan.refresh?.decision {
            return askAboutCaching(proposal, decision)
        }
        // A task that has become a download has no delegate that decides about storing.
        guard delegates.data != nil, !(listener?.task is URLSessionDownloadTask) else { return proposal.store() }
        guard let (session, delegate, task) = cachingListener,
            let response = proposal.entry.cachedResponse(withMetadata: false)
        else { return proposal.accept(nil) }
        let question = DelegateQuestion<CachedURLResponse?>(refusal: nil)
        delegate.urlSession(session, dataTask: task, willCacheResponse: response) { question.answer($0) }
        if let answer = question.take(orLater: { Self.store($0, in: proposal, insteadOf: response) }) {
            Self.store(answer, in: proposal, insteadOf: response)
        }
    }

    /// The delegate to ask, and the objects that are passed to it; nil if the delegate cannot be asked. For a refresh,
    /// a task object is created only for this question.
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
