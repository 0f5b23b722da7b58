extension LarkspurError.Code {
    /// Creates the code for the reason why the engine rejected a connection.
    init(_ reason: TLSFailure.Reason) {
        switch reason {
        case .certificateExpired: self = .certificateExpired
        case .certificateNotYetValid: self = .certificateNotYetValid
        case .hostMismatch, .missingSubjectAltName: self = .certificateHostMismatch
        case .unknownRoot: self = .certificateUnknownRoot
        case .certificateUntrusted: self = .certificateUntrusted
        case .pinMismatch: self = .certificatePinMismatch
        case .clientCertificateRequired: self = .clientCertificateRequired
        case .clientCertificateRejected, .clientIdentityUnusable: self = .clientCertificateRejected
        case .insecureRequest: self = .insecureRequest
        case .missingCloseNotify: self = .malformedResponse
        case .notEnforceable: self = .securityPolicyNotEnforceable
        default: self = .secureConnectionFailed
        }
    }

    /// Creates the code for an error number of URLSession that concerns TLS.
    init?(tlsNumber number: Int) {
        switch number {
        case NSURLErrorServerCertificateHasBadDate: self = .certificateExpired
        case NSURLErrorServerCertificateNotYetValid: self = .certificateNotYetValid
        case NSURLErrorServerCertificateHasUnknownRoot: self = .certificateUnknownRoot
        case NSURLErrorServerCertificateUntrusted: self = .certificateUntrusted
        case NSURLErrorClientCertificateRequired: self = .clientCertificateRequired
        case NSURLErrorClientCertificateRejected: self = .clientCertificateRejected
        case NSURLErrorAppTransportSecurityRequiresSecureConnection: self = .insecureRequest
        case NSURLErrorSecureConnectionFailed: self = .secureConnectionFailed
        default: return nil
        }
    }

    /// Whether the failure concerns the identity of the server or of the client.
    var isAboutIdentity: Bool { Self.aboutIdentity.contains(self) }

    private static let aboutIdentity: Set<Self> = [
        .certificateExpired, .certificateNotYetValid, .certificateHostMismatch, .certificateUnknownRoot,
        .certificateUntrusted, .certificatePinMismatch, .clientCertificateRequired, .clientCertificateRejected,
    ]
}
