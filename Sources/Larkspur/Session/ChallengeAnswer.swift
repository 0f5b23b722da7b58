/// The answer to an authentication challenge.
public enum ChallengeAnswer: Sendable {
    /// Authenticate with a credential. One that the server has just refused is not sent again: the task ends with the
    /// 401 response.
    case useCredential(URLCredential)
    /// As if nobody had been asked: use the credential that the session's storage proposes; without one the task ends
    /// with the 401 response.
    case performDefaultHandling
    /// Do not authenticate: the task ends with the 401 response.
    case rejectProtectionSpace
    /// Cancel the task.
    case cancel
    /// Cancel the task and report this error as the cause.
    case fail(any Error)
}
