extension SessionDelegate {
    func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let hook = hooks.hook(\.didReceiveSessionChallenge) else {
            return completionHandler(.performDefaultHandling, nil)
        }
        hooks.queue.async {
            switch hook(challenge).kind {
            case .useCredential(let credential):
                // A credential that the server has just refused would be refused each time.
                let isRefused = challenge.previousFailureCount > 0 && challenge.proposedCredential == credential
                if isRefused {
                    completionHandler(.rejectProtectionSpace, nil)
                } else {
                    completionHandler(.useCredential, credential)
                }
            case .performDefaultHandling: completionHandler(.performDefaultHandling, nil)
            case .rejectProtectionSpace: completionHandler(.rejectProtectionSpace, nil)
            case .cancel, .fail: completionHandler(.cancelAuthenticationChallenge, nil)
            }
        }
    }
}
