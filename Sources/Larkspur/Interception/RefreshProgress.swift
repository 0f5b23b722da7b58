import Synchronization

/// The progress of the requests that refresh a shared credential. It tells whether the credential may have been used.
///
/// All requests in the task of the refresh count, because it is not known which of them have the credential.
final class RefreshProgress: Sendable {
    private struct State {
        /// Whether the authenticator reports its requests.
        var isReported = false
        /// The number of reported requests that may have arrived, and were not refused.
        var openRequests = 0
        /// Whether a server has accepted a request.
        var isAccepted = false
        /// Whether an attempt of a session manager's call may have arrived, and was not refused. Later attempts of the
        /// call do not change that.
        var hasLostAttempt = false
    }

    private let state = Mutex(State())

    /// The progress of the refresh in the current task; nil if its credential is not shared.
    @TaskLocal static var current: RefreshProgress?

    /// Records that the authenticator reports its requests.
    func begin() { state.withLock { $0.isReported = true } }

    func willSend() { state.withLock { $0.openRequests += 1 } }

    /// Records that a reported request has failed without a response.
    func didFail(with error: any Error) {
        if error.wasNotSent { state.withLock { $0.openRequests -= 1 } }
    }

    /// Records the response to a reported request.
    /// - Parameter status: Its status code.
    func didReceive(status: Int, failure: OAuth2Failure?) {
        // A status of the server's own failure does not tell what became of the request.
        let isRefusal = (400..<500).contains(status) || (failure != nil && status < 500)
        state.withLock { state in
            if isRefusal { state.openRequests -= 1 } else if (200..<300).contains(status) { state.isAccepted = true }
        }
    }

    /// Records the end of an attempt of a session manager's call.
    func didEnd(_ attempt: Result<InterceptedResponse, any Error>) {
        let isLost =
            switch attempt {
            case .success(let response): response.statusCode.map { $0 >= 500 } ?? false
            case .failure(let error): !error.wasNotSent && !error.isRefusal
            }
        if isLost { state.withLock { $0.hasLostAttempt = true } }
    }

    /// Whether a refresh that failed with an error cannot have used the credential.
    func provesUnused(_ error: any Error) -> Bool {
        let state = state.withLock { $0 }
        if state.isAccepted || state.hasLostAttempt { return false }
        return state.isReported ? state.openRequests == 0 : error.wasNotSent || error.isRefusal
    }
}

extension Error {
    /// Whether no request was sent.
    fileprivate var wasNotSent: Bool {
        guard let error = self as? LarkspurError else { return wasSentByEngine == false }
        // With a response, an earlier request was sent.
        guard error.response == nil else { return false }
        // The cause may be a failure of a store's request.
        if LarkspurError.Code.ofInterceptors.contains(error.code) { return true }
        if let wasSent = error.underlyingError?.wasSentByEngine { return !wasSent }
        if LarkspurError.Code.beforeSending.contains(error.code) { return true }
        return (error.underlyingError as? LarkspurError)?.wasNotSent ?? false
    }

    /// Whether the engine may have sent a request; nil if the error does not come from the engine.
    private var wasSentByEngine: Bool? {
        let error: any Error = self
        return error is LarkspurError ? nil : (error as NSError).userInfo[RequestSending.userInfoKey] as? Bool
    }

    /// Whether a server has refused the request.
    fileprivate var isRefusal: Bool {
        guard let error = self as? LarkspurError else { return false }
        if let status = error.oauth2Failure?.statusCode { return status < 500 }
        if error.code == .unacceptableStatusCode, let status = error.statusCode { return (400..<500).contains(status) }
        return error.underlyingError?.isRefusal ?? false
    }
}

extension LarkspurError.Code {
    /// The failures of interceptors that send no request.
    fileprivate static let ofInterceptors: Set<Self> = [.tooManyCalls, .circuitOpen, .sharedStoreUnavailable]

    /// The failures of a request of which no byte was sent, for transports other than the engine. The engine's errors
    /// have the answer. Without it, `cannotConnectToHost` may mean that a request was lost, and no new connection could
    /// be made, or that another address of the host had refused before.
    fileprivate static let beforeSending: Set<Self> = [
        .invalidURL, .unsupportedURL, .invalidMethod, .invalidHeaderField, .parameterEncodingFailed, .fileUnreadable,
        .sessionInvalidated, .transportUnavailable, .invalidSecurityPolicy, .securityPolicyNotEnforceable,
        .insecureRequest, .addressNotAllowed, .portNotAllowed, .unsupported, .cannotFindHost,
        .certificateExpired, .certificateNotYetValid, .certificateHostMismatch, .certificateUnknownRoot,
        .certificateRevoked, .revocationUnknown, .serverTrustRefused, .certificatePinMismatch, .certificateUntrusted,
    ]
}
