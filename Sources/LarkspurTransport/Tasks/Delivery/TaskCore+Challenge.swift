#if canImport(FoundationNetworking)
/// The choice of the delegate that receives a challenge.
extension TaskCore {
    /// Passes a challenge about a connection to the session's delegate. If that delegate chooses default handling, the
    /// challenge is passed to the task's delegate. All other challenges are passed to the task's delegate immediately.
    ///
    /// If the session's delegate does not implement the method, the result is also default handling. The two cases
    /// cannot be distinguished.
    func askAboutChallenge(_ challenge: URLAuthenticationChallenge) {
        guard challenge.protectionSpace.isOfConnection, let delegate = session.delegate, let object = session.object
        else {
            return askTaskAboutChallenge(challenge)
        }
        let question = Question<ChallengeDecision>(fallback: (.performDefaultHandling, nil))
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
        let fallback: ChallengeDecision = (isUnaskable ? .cancelAuthenticationChallenge : .performDefaultHandling, nil)
        ask(fallback: fallback, { DelegateAnswer.challenge($0.0, $0.1) }) { delegate, session, task, answer in
            delegate.urlSession(session, task: task, didReceive: challenge) { answer(($0, $1)) }
        }
    }
}
#endif
