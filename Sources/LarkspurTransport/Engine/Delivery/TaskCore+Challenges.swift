#if canImport(FoundationNetworking)
/// Who is asked about a challenge.
extension TaskCore {
    private typealias Decision = (URLSession.AuthChallengeDisposition, URLCredential?)

    /// Asks the session's delegate about a challenge to a connection, and the task's about all others and what that
    /// leaves to default handling.
    ///
    /// A method that a delegate does not implement answers so, and cannot be told from one that it does.
    func askAboutChallenge(_ challenge: URLAuthenticationChallenge) {
        guard challenge.protectionSpace.isOfConnection, let delegate = session.delegate, let object = session.object
        else {
            return askTaskAboutChallenge(challenge)
        }
        let question = Question<Decision>(fallback: (.performDefaultHandling, nil))
        delegate.urlSession(object, didReceive: challenge) { question.answer(($0, $1)) }
        let answer = question.take { [self] in receive($0, of: challenge) }
        if let answer { receive(answer, of: challenge) }
    }

    private func receive(_ decision: Decision, of challenge: URLAuthenticationChallenge) {
        guard decision.0 == .performDefaultHandling else {
            return session.loop.post(.answer(self, .challenge(decision.0, decision.1)))
        }
        session.delivery.send(.event(self, .taskChallenge(challenge)), through: session.loop)
    }

    func askTaskAboutChallenge(_ challenge: URLAuthenticationChallenge) {
        let fallback: Decision = (isUnaskable ? .cancelAuthenticationChallenge : .performDefaultHandling, nil)
        ask(fallback: fallback, { DelegateAnswer.challenge($0.0, $0.1) }) { delegate, session, task, answer in
            delegate.urlSession(session, task: task, didReceive: challenge) { answer(($0, $1)) }
        }
    }
}
#endif
