/// The answer to an authentication challenge.
///
/// A struct rather than an enum, so that another way to answer breaks no program.
public struct ChallengeAnswer: Sendable {
    enum Kind: Sendable {
        case useCredential(URLCredential)
        case performDefaultHandling
        case rejectProtectionSpace
        case cancel
        case fail(any Error)
    }

    let kind: Kind

    /// Authenticates with a credential. One that the server has just refused is not sent again: the task ends with the
    /// 401 response.
    /// - Parameter credential: The credential.
    public static func useCredential(_ credential: URLCredential) -> Self { Self(kind: .useCredential(credential)) }

    /// As if nobody had been asked: uses the credential that the session's storage proposes; without one the task ends
    /// with the 401 response.
    public static let performDefaultHandling = Self(kind: .performDefaultHandling)

    /// Does not authenticate: the task ends with the 401 response.
    public static let rejectProtectionSpace = Self(kind: .rejectProtectionSpace)

    /// Cancels the task.
    public static let cancel = Self(kind: .cancel)

    /// Cancels the task and reports an error as the cause.
    /// - Parameter error: The cause, which becomes the `underlyingError` of the task's error.
    public static func fail(_ error: any Error) -> Self { Self(kind: .fail(error)) }
}

extension ChallengeAnswer: CustomStringConvertible {
    /// The name of the answer, without the credential: safe to log.
    public var description: String {
        switch kind {
        case .useCredential: "use a credential"
        case .performDefaultHandling: "perform default handling"
        case .rejectProtectionSpace: "reject the protection space"
        case .cancel: "cancel"
        case .fail(let error): "fail: \(SerializationFailure.reason(error))"
        }
    }
}

extension ChallengeAnswer: CustomReflectable {
    /// A mirror for `dump` and debuggers that does not show the credential.
    public var customMirror: Mirror { Mirror(self, children: ["answer": description], displayStyle: .struct) }
}
