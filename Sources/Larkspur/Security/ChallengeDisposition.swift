/// The disposition of an authentication challenge, with its credential or error.
///
/// It is a struct and not an enum, so that a new kind of disposition does not break programs.
public struct ChallengeDisposition: Sendable {
    enum Kind: Sendable {
        case useCredential(URLCredential)
        case performDefaultHandling
        case rejectProtectionSpace
        case cancel
        case fail(any Error)
    }

    let kind: Kind

    /// Authenticates with a credential. A credential that the server has just refused is not sent again: the task ends
    /// with the 401 response.
    /// - Parameter credential: The credential.
    public static func useCredential(_ credential: URLCredential) -> Self { Self(kind: .useCredential(credential)) }

    /// The disposition that handles the challenge as if no hook were set. The engine tries the credential of the URL
    /// once, and then the credential of the session's storage once. If there is none, the task ends with the 401
    /// response.
    public static let performDefaultHandling = Self(kind: .performDefaultHandling)

    /// The disposition that sends no credential for the challenge. If the server has sent several challenges, the
    /// engine proposes the next challenge. If there is none, the task ends with the 401 response.
    public static let rejectProtectionSpace = Self(kind: .rejectProtectionSpace)

    /// The disposition that cancels the task.
    public static let cancel = Self(kind: .cancel)

    /// Cancels the task and reports an error as the cause of the cancellation.
    /// - Parameter error: The cause, which becomes the `underlyingError` of the task's error.
    public static func fail(_ error: any Error) -> Self { Self(kind: .fail(error)) }
}

extension ChallengeDisposition: CustomStringConvertible {
    /// The name of the disposition, without the credential. It is safe to log.
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

extension ChallengeDisposition: CustomReflectable {
    /// A mirror for `dump` and debuggers that does not show the credential.
    public var customMirror: Mirror { Mirror(self, children: ["disposition": description], displayStyle: .struct) }
}
