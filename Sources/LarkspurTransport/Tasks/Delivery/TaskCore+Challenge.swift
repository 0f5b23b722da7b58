#if canImport(FoundationNetworking)
/// The choice of the delegate that receives a challenge.
extension TaskCore {
    /// Passes a challenge about a connection to the session's delegate. If that delegate chooses default handling, the
    /// challenge is passed to the task's delegate. All other challenges are passed to the task's delegate immediately.
    ///
    /// If the session's delegate does not implement the method, the result is also default handling. The two cases
    /// cannot be distinguished. If the delegate releases the handler without a call, no credential is sent.
    func askAboutChallenge(_ challenge: URLAuthenticationChallenge) {
        guard challenge.protectionSpace.isOfConnection, let delegate = session.delegate, let object = session.object
        else {
            return askTaskAboutChallenge(challenge)
        }
        let question = Question<ChallengeDecision>(refusal: Self.refusedChallenge)
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

    /// The decision of a delegate that does not decide: no credential is sent, not even one of the session's storage.
    /// The 401 or 407 is the response, unless the server offers another scheme, for which the delegate is asked again.
    private static var refusedChallenge: ChallengeDecision { (.rejectProtectionSpace, nil) }
}
#endif
