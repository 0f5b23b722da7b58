import HTTPSyntax

extension LarkspurError {
    /// A kind of failure.
    ///
    /// It is a struct rather than an enum, so that a new kind breaks no `switch` of a program. Give every `switch` a
    /// `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// A short stable name for logs and metrics, such as `"timed-out"`.
        public let label: String
        /// The number of the `NSError` that the error bridges to.
        public let number: Int

        package init(label: String, number: Int) {
            self.label = label
            self.number = number
        }

        /// The label, as text.
        public var description: String { label }

        /// Compares codes by their labels.
        public static func == (left: Code, right: Code) -> Bool { left.label == right.label }

        /// Hashes the label.
        public func hash(into hasher: inout Hasher) { hasher.combine(label) }
    }
}

/// The failures before anything is sent: the request of the caller cannot be performed.
extension LarkspurError.Code {
    /// The URL cannot be parsed, has no host or one without a canonical form, or is relative without a base URL.
    public static let invalidURL = Self(label: "invalid-url", number: NSURLErrorBadURL)
    /// The transport does not support the URL's scheme.
    public static let unsupportedURL = Self(label: "unsupported-url", number: NSURLErrorUnsupportedURL)
    /// The request's method is not a token (RFC 9110, section 9.1).
    public static let invalidMethod = Self(label: "invalid-method", number: NSURLErrorBadURL)
    /// A field name is not a token, a field value holds CR, LF or NUL (RFC 9110, section 5), or the fields are too long
    /// to be sent.
    public static let invalidHeaderField = Self(label: "invalid-header-field", number: NSURLErrorBadURL)
    /// The parameters cannot be encoded by the request serializer.
    public static let parameterEncodingFailed = Self(
        label: "parameter-encoding-failed",
        number: NSURLErrorCannotDecodeContentData
    )
    /// The file to upload is missing, unreadable, or not a regular file.
    public static let fileUnreadable = Self(label: "file-unreadable", number: NSURLErrorFileDoesNotExist)
    /// The data to resume from is not resume data of the transport.
    public static let invalidResumeData = Self(label: "invalid-resume-data", number: NSURLErrorCannotDecodeRawData)
    /// The session has been invalidated, and creates no more tasks.
    public static let sessionInvalidated = Self(label: "session-invalidated", number: NSURLErrorCancelled)
    /// The transport cannot be used at all: libcurl is missing or too old.
    public static let transportUnavailable = Self(
        label: "transport-unavailable",
        number: NSURLErrorResourceUnavailable
    )
    /// A security policy with pins is used with a session manager whose base URL is missing or not https, or
    /// certificates for the policy cannot be read.
    public static let invalidSecurityPolicy = Self(
        label: "invalid-security-policy",
        number: NSURLErrorSecureConnectionFailed
    )
    /// The requirements on TLS contradict each other, or the transport cannot enforce them.
    public static let securityPolicyNotEnforceable = Self(
        label: "security-policy-not-enforceable",
        number: NSURLErrorSecureConnectionFailed
    )
    /// The request would be sent over plain http where that is not allowed: to a host with pins, or by a redirect from
    /// https.
    public static let insecureRequest = Self(
        label: "insecure-request",
        number: NSURLErrorAppTransportSecurityRequiresSecureConnection
    )
    /// The session may connect to none of the host's addresses, or cannot check them, because a proxy chooses them.
    public static let addressNotAllowed = Self(label: "address-not-allowed", number: NSURLErrorDataNotAllowed)
    /// The session may not connect to the port of the URL.
    public static let portNotAllowed = Self(label: "port-not-allowed", number: NSURLErrorDataNotAllowed)
    /// The transport does not support an option of the request, or the program uses a call in a way that is not
    /// possible. An option that is not supported is reported and not ignored.
    public static let unsupported = Self(label: "unsupported", number: NSURLErrorUnsupportedURL)
}

/// The failures of the transfer.
extension LarkspurError.Code {
    /// The task was cancelled.
    public static let cancelled = Self(label: "cancelled", number: NSURLErrorCancelled)
    /// A limit of time was reached: nothing arrived in time, or the call took too long.
    public static let timedOut = Self(label: "timed-out", number: NSURLErrorTimedOut)
    /// The host name could not be resolved.
    public static let cannotFindHost = Self(label: "cannot-find-host", number: NSURLErrorCannotFindHost)
    /// The host refused the connection or could not be reached.
    public static let cannotConnectToHost = Self(label: "cannot-connect-to-host", number: NSURLErrorCannotConnectToHost)
    /// The connection was closed or reset before the response was complete.
    public static let connectionLost = Self(label: "connection-lost", number: NSURLErrorNetworkConnectionLost)
    /// TLS could not be established, for a reason other than a certificate or a key.
    public static let secureConnectionFailed = Self(
        label: "secure-connection-failed",
        number: NSURLErrorSecureConnectionFailed
    )
    /// The server's certificate, or one of the authorities that issued it, has expired.
    public static let certificateExpired = Self(
        label: "certificate-expired",
        number: NSURLErrorServerCertificateHasBadDate
    )
    /// The server's certificate is not valid yet.
    public static let certificateNotYetValid = Self(
        label: "certificate-not-yet-valid",
        number: NSURLErrorServerCertificateNotYetValid
    )
    /// The server's certificate was issued for other hosts.
    public static let certificateHostMismatch = Self(
        label: "certificate-host-mismatch",
        number: NSURLErrorServerCertificateUntrusted
    )
    /// The server's certificate was not issued by a trusted authority.
    public static let certificateUnknownRoot = Self(
        label: "certificate-unknown-root",
        number: NSURLErrorServerCertificateHasUnknownRoot
    )
    /// The server's certificate, or one of the authorities that issued it, was revoked.
    public static let certificateRevoked = Self(
        label: "certificate-revoked",
        number: NSURLErrorServerCertificateUntrusted
    )
    /// The server's certificate could not be looked up, because a revocation list is missing, expired or unusable.
    public static let revocationUnknown = Self(
        label: "revocation-unknown",
        number: NSURLErrorServerCertificateUntrusted
    )
    /// The program's `ServerTrustEvaluator` has refused the server.
    public static let serverTrustRefused = Self(
        label: "server-trust-refused",
        number: NSURLErrorServerCertificateUntrusted
    )
    /// The server has none of the keys or certificates that are pinned for it.
    public static let certificatePinMismatch = Self(
        label: "certificate-pin-mismatch",
        number: NSURLErrorServerCertificateUntrusted
    )
    /// The server's certificate is invalid for another reason.
    public static let certificateUntrusted = Self(
        label: "certificate-untrusted",
        number: NSURLErrorServerCertificateUntrusted
    )
    /// The server requires a client certificate.
    public static let clientCertificateRequired = Self(
        label: "client-certificate-required",
        number: NSURLErrorClientCertificateRequired
    )
    /// The server does not accept the client's certificate, or the client's certificate or key cannot be used.
    public static let clientCertificateRejected = Self(
        label: "client-certificate-rejected",
        number: NSURLErrorClientCertificateRejected
    )
    /// The number of consecutive redirects exceeds the limit.
    public static let tooManyRedirects = Self(
        label: "too-many-redirects",
        number: NSURLErrorHTTPTooManyRedirects
    )
    /// The server sent a response that is not HTTP, or a list of pages that does not end.
    public static let malformedResponse = Self(label: "malformed-response", number: NSURLErrorCannotParseResponse)
    /// The content could not be decoded with its content coding (gzip, br …).
    public static let contentDecodingFailed = Self(
        label: "content-decoding-failed",
        number: NSURLErrorCannotDecodeRawData
    )
    /// The file of a download could not be created or written: there is no space, no permission, or no such folder.
    public static let fileUnwritable = Self(label: "file-unwritable", number: NSURLErrorCannotWriteToFile)
    /// The content of the request could not be read or produced to its end: a file, a stream or a producer failed, was
    /// changed, differed from its announced length, or cannot be sent a second time.
    public static let bodyUnreadable = Self(label: "body-unreadable", number: NSURLErrorRequestBodyStreamExhausted)
    /// The rest of the request's content is not sent, because there is an early response or the call has ended. Only a
    /// ``BodyWriter`` throws this error.
    public static let sendingEnded = Self(label: "sending-ended", number: NSURLErrorCancelled)
    /// A resumable upload cannot be continued: the server has no upload, has lost it twice, or reports an impossible
    /// state.
    public static let resumptionFailed = Self(label: "resumption-failed", number: NSURLErrorBadServerResponse)
    /// The server asks to try again at a time that is beyond the deadline of the retry policy, or after a longer delay
    /// than the policy or ``ServerRateLimits`` allows.
    public static let deadlineExceeded = Self(label: "deadline-exceeded", number: NSURLErrorTimedOut)
    /// Nothing was sent, because the maximum number of calls is under way; see `.concurrencyLimit(_:maximumWaiting:)`.
    public static let tooManyCalls = Self(label: "too-many-calls", number: NSURLErrorResourceUnavailable)
    /// Nothing was sent, because the server has failed repeatedly; see `.circuitBreaker()`.
    public static let circuitOpen = Self(label: "circuit-open", number: NSURLErrorResourceUnavailable)
    /// A credential has expired or was refused, and there is no new credential; see the underlying error.
    public static let credentialRefreshFailed = Self(
        label: "credential-refresh-failed",
        number: NSURLErrorUserAuthenticationRequired
    )
    /// A ``SharedStore`` has failed or was too slow. The message has its description; see the underlying error.
    public static let sharedStoreUnavailable = Self(
        label: "shared-store-unavailable",
        number: NSURLErrorResourceUnavailable
    )
    /// An authorization server gave no token to a program of LarkspurCredentials; see ``LarkspurError/oauth2Failure``
    /// and the underlying error.
    public static let authorizationFailed = Self(
        label: "authorization-failed",
        number: NSURLErrorUserAuthenticationRequired
    )
    /// An interceptor failed with an error that is not a ``LarkspurError``; see the underlying error.
    public static let interceptionFailed = Self(label: "interception-failed", number: NSURLErrorUnknown)
    /// The transport failed for a reason that has no code here; see the underlying error.
    public static let transportFailed = Self(label: "transport-failed", number: NSURLErrorUnknown)
}

/// The failures after the response: it is not acceptable, or cannot be used.
extension LarkspurError.Code {
    /// The status code is not acceptable.
    public static let unacceptableStatusCode = Self(
        label: "unacceptable-status-code",
        number: NSURLErrorBadServerResponse
    )
    /// The content type is not acceptable.
    public static let unacceptableContentType = Self(
        label: "unacceptable-content-type",
        number: NSURLErrorCannotDecodeContentData
    )
    /// A check that the call has added rejected the response; see the underlying error.
    public static let unacceptableResponse = Self(label: "unacceptable-response", number: NSURLErrorBadServerResponse)
    /// The content does not have the digest that the response announces, or the digest or size that the caller expects;
    /// or one of these is malformed. See ``DigestVerification``.
    public static let digestMismatch = Self(label: "digest-mismatch", number: NSURLErrorBadServerResponse)
    /// The call requires a digest of the content, but the response has none that can be verified.
    public static let digestMissing = Self(label: "digest-missing", number: NSURLErrorBadServerResponse)
    /// The content could not be parsed.
    public static let responseSerializationFailed = Self(
        label: "response-serialization-failed",
        number: NSURLErrorCannotParseResponse
    )
    /// The content has more bytes than may be collected in memory: for a task, for a slow consumer, or for a line.
    public static let contentTooLarge = Self(
        label: "content-too-large",
        number: NSURLErrorDataLengthExceedsMaximum
    )
    /// The data task has become a download, which continues as a separate task.
    public static let becameDownload = Self(label: "became-download", number: NSURLErrorCancelled)
    /// The content is empty where a value was expected.
    public static let emptyResponse = Self(label: "empty-response", number: NSURLErrorZeroByteResource)
    /// The downloaded file could not be moved to its destination, or its folder could not be written.
    public static let fileMoveFailed = Self(label: "file-move-failed", number: NSURLErrorCannotMoveFile)
}
