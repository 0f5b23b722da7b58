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
    /// The session has been invalidated and makes no more tasks.
    public static let sessionInvalidated = Self(label: "session-invalidated", number: NSURLErrorCancelled)
    /// The transport cannot be used at all: there is no libcurl, or one that is too old.
    public static let transportUnavailable = Self(
        label: "transport-unavailable",
        number: NSURLErrorResourceUnavailable
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
    /// TLS could not be established, or the server's certificate was not accepted.
    public static let secureConnectionFailed = Self(
        label: "secure-connection-failed",
        number: NSURLErrorSecureConnectionFailed
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
    /// The content is empty where a value was expected.
    public static let emptyResponse = Self(label: "empty-response", number: NSURLErrorZeroByteResource)
    /// The downloaded file could not be moved to its destination, or its folder could not be written.
    public static let fileMoveFailed = Self(label: "file-move-failed", number: NSURLErrorCannotMoveFile)
}
