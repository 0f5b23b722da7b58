import Synchronization

/// The progress of the request that refreshes a shared credential. It tells whether the credential may have been used.
final class RefreshProgress: Sendable {
    private enum Phase {
        case unsent
        /// The request may have arrived.
        case sent
        /// The server has responded that it does not accept the request.
        case refused
    }

    /// Nil for an authenticator that does not report its progress.
    private let phase = Mutex<Phase?>(nil)

    /// The progress of the refresh in the current task; nil if its credential is not shared.
    @TaskLocal static var current: RefreshProgress?

    /// Records that nothing was sent yet, and that the authenticator reports its progress.
    func begin() { phase.withLock { $0 = .unsent } }

    func willSend() { phase.withLock { $0 = .sent } }

    /// Records a response.
    /// - Parameter status: Its status code.
    func didReceive(status: Int, failure: OAuth2Failure?) {
        // A status of the server's own failure does not tell what became of the request.
        let isRefusal = (400..<500).contains(status) || (failure != nil && status < 500)
        if isRefusal { phase.withLock { $0 = .refused } }
    }

    /// Whether a refresh that failed with an error cannot have used the credential.
    func provesUnused(_ error: any Error) -> Bool {
        switch phase.withLock({ $0 }) {
        case .unsent, .refused: return true
        case .sent: return error.wasNotSent
        case nil: return error.wasNotSent || error.isRefusal
        }
    }
}

extension Error {
    /// Whether no connection was made, so that nothing was sent.
    fileprivate var wasNotSent: Bool {
        guard let error = self as? LarkspurError else { return false }
        // With a response, an earlier request was sent.
        if error.response == nil, LarkspurError.Code.beforeSending.contains(error.code) { return true }
        return error.underlyingError?.wasNotSent ?? false
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
    /// The failures of a request of which no byte was sent.
    fileprivate static let beforeSending: Set<Self> = [
        .invalidURL, .unsupportedURL, .invalidMethod, .invalidHeaderField, .parameterEncodingFailed, .fileUnreadable,
        .sessionInvalidated, .transportUnavailable, .invalidSecurityPolicy, .securityPolicyNotEnforceable,
        .insecureRequest, .addressNotAllowed, .portNotAllowed, .unsupported, .cannotFindHost, .cannotConnectToHost,
        .certificateExpired, .certificateNotYetValid, .certificateHostMismatch, .certificateUnknownRoot,
        .certificateRevoked, .revocationUnknown, .serverTrustRefused, .certificatePinMismatch, .certificateUntrusted,
        .tooManyCalls, .circuitOpen,
    ]
}
