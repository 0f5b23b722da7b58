extension LarkspurError {
    /// A kind of failure.
    ///
    /// A struct rather than an enum, so that a new kind breaks nobody's `switch`; give every `switch` a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// A short stable name for logs and metrics, such as `"timed-out"`.
        public let label: String
        /// The number of the `NSError` that it bridges to.
        public let number: Int

        /// The label.
        public var description: String { label }

        /// Codes are equal when their labels are.
        public static func == (left: Code, right: Code) -> Bool { left.label == right.label }

        /// Hashes the label.
        public func hash(into hasher: inout Hasher) { hasher.combine(label) }
    }
}

/// Before anything is sent: what the caller asked for cannot be done.
extension LarkspurError.Code {
    /// The URL cannot be parsed, has no host, or is relative without a base URL.
    public static let invalidURL = Self(label: "invalid-url", number: NSURLErrorBadURL)
    /// The URL's scheme is not one that the transport can load.
    public static let unsupportedURL = Self(label: "unsupported-url", number: NSURLErrorUnsupportedURL)
    /// The request's method is not a token (RFC 9110, section 9.1).
    public static let invalidMethod = Self(label: "invalid-method", number: NSURLErrorBadURL)
    /// A field name is not a token, or a field value holds CR, LF or NUL (RFC 9110, section 5).
    public static let invalidHeaderField = Self(label: "invalid-header-field", number: NSURLErrorBadURL)
    /// The parameters cannot be encoded by the request serializer.
    public static let parameterEncodingFailed = Self(
        label: "parameter-encoding-failed",
        number: NSURLErrorCannotDecodeContentData
    )
    /// The file to upload is missing, unreadable, or no regular file.
    public static let fileUnreadable = Self(label: "file-unreadable", number: NSURLErrorFileDoesNotExist)
    /// What was to be resumed is no resume data of the transport's.
    public static let invalidResumeData = Self(label: "invalid-resume-data", number: NSURLErrorCannotDecodeRawData)
    /// A snapshot of settings cannot be taken, because of something of the caller's own, or nothing can be made of it.
    public static let invalidSettings = Self(label: "invalid-settings", number: NSURLErrorCannotDecodeRawData)
    /// The session has been invalidated and makes no more tasks.
    public static let sessionInvalidated = Self(label: "session-invalidated", number: NSURLErrorCancelled)
    /// The transport cannot be used at all: there is no libcurl, or one that is too old.
    public static let transportUnavailable = Self(
        label: "transport-unavailable",
        number: NSURLErrorResourceUnavailable
    )
    /// A security policy with pins on a session manager whose base URL is missing or not https, or certificates for it
    /// that cannot be read.
    public static let invalidSecurityPolicy = Self(
        label: "invalid-security-policy",
        number: NSURLErrorSecureConnectionFailed
    )
    /// What is asked of TLS contradicts itself, or cannot be enforced by the transport.
    public static let securityPolicyNotEnforceable = Self(
        label: "security-policy-not-enforceable",
        number: NSURLErrorSecureConnectionFailed
    )
    /// The request would go over plain http, where that is not allowed: to a host with pins, or from https by a
    /// redirect.
    public static let insecureRequest = Self(
        label: "insecure-request",
        number: NSURLErrorAppTransportSecurityRequiresSecureConnection
    )
    /// The transport cannot do what was asked, and says so rather than ignore it.
    public static let unsupported = Self(label: "unsupported", number: NSURLErrorUnsupportedURL)
}

/// On the way: the transport failed.
extension LarkspurError.Code {
    /// The task was cancelled.
    public static let cancelled = Self(label: "cancelled", number: NSURLErrorCancelled)
    /// Nothing arrived within the time allowed.
    public static let timedOut = Self(label: "timed-out", number: NSURLErrorTimedOut)
    /// The host name could not be resolved.
    public static let cannotFindHost = Self(label: "cannot-find-host", number: NSURLErrorCannotFindHost)
    /// The host refused the connection or could not be reached.
    public static let cannotConnectToHost = Self(label: "cannot-connect-to-host", number: NSURLErrorCannotConnectToHost)
    /// The connection was closed or reset before the response was complete.
    public static let connectionLost = Self(label: "connection-lost", number: NSURLErrorNetworkConnectionLost)
    /// TLS could not be established, for another reason than a certificate or a key.
    public static let secureConnectionFailed = Self(
        label: "secure-connection-failed",
        number: NSURLErrorSecureConnectionFailed
    )
    /// The server's certificate, or that of an authority of its, has expired.
    public static let certificateExpired = Self(
        label: "certificate-expired",
        number: NSURLErrorServerCertificateHasBadDate
    )
    /// The server's certificate is not valid yet.
    public static let certificateNotYetValid = Self(
        label: "certificate-not-yet-valid",
        number: NSURLErrorServerCertificateNotYetValid
    )
    /// The server's certificate is made out to other hosts.
    public static let certificateHostMismatch = Self(
        label: "certificate-host-mismatch",
        number: NSURLErrorServerCertificateUntrusted
    )
    /// Nobody who is trusted has issued the server's certificate.
    public static let certificateUnknownRoot = Self(
        label: "certificate-unknown-root",
        number: NSURLErrorServerCertificateHasUnknownRoot
    )
    /// The server has none of the keys or certificates that are pinned for it.
    public static let certificatePinMismatch = Self(
        label: "certificate-pin-mismatch",
        number: NSURLErrorServerCertificateUntrusted
    )
    /// The server's certificate is bad in another way.
    public static let certificateUntrusted = Self(
        label: "certificate-untrusted",
        number: NSURLErrorServerCertificateUntrusted
    )
    /// The server wants a certificate of the client's.
    public static let clientCertificateRequired = Self(
        label: "client-certificate-required",
        number: NSURLErrorClientCertificateRequired
    )
    /// The server does not accept the client's certificate, or the client's certificate or key cannot be used.
    public static let clientCertificateRejected = Self(
        label: "client-certificate-rejected",
        number: NSURLErrorClientCertificateRejected
    )
    /// More redirects followed one another than are allowed.
    public static let tooManyRedirects = Self(
        label: "too-many-redirects",
        number: NSURLErrorHTTPTooManyRedirects
    )
    /// What the server sent is not HTTP.
    public static let malformedResponse = Self(label: "malformed-response", number: NSURLErrorCannotParseResponse)
    /// The content could not be decoded by its content coding (gzip, br …).
    public static let contentDecodingFailed = Self(
        label: "content-decoding-failed",
        number: NSURLErrorCannotDecodeRawData
    )
    /// The file of a download could not be made or written: no space, no permission, no such folder.
    public static let fileUnwritable = Self(label: "file-unwritable", number: NSURLErrorCannotWriteToFile)
    /// The content could not be read to its end: a file or a stream failed, was changed, had another length than
    /// announced, or cannot be sent a second time.
    public static let bodyUnreadable = Self(label: "body-unreadable", number: NSURLErrorRequestBodyStreamExhausted)
    /// The transport failed in a way that it has no better name for; see the underlying error.
    public static let transportFailed = Self(label: "transport-failed", number: NSURLErrorUnknown)
}

/// After the response: it is not what was wanted.
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
    /// The content could not be parsed.
    public static let responseSerializationFailed = Self(
        label: "response-serialization-failed",
        number: NSURLErrorCannotParseResponse
    )
    /// More content arrived than a task may collect in memory.
    public static let contentTooLarge = Self(
        label: "content-too-large",
        number: NSURLErrorDataLengthExceedsMaximum
    )
    /// The data task has become a download, which goes on as a task of its own.
    public static let becameDownload = Self(label: "became-download", number: NSURLErrorCancelled)
    /// The content is empty where a value was expected.
    public static let emptyResponse = Self(label: "empty-response", number: NSURLErrorZeroByteResource)
    /// The downloaded file could not be moved to its destination, or its folder could not be written.
    public static let fileMoveFailed = Self(label: "file-move-failed", number: NSURLErrorCannotMoveFile)
}
