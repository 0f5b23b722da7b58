internal import HTTPSyntax

/// The error of a failed call. Calls report no other type of error.
///
/// Switch over ``code`` to handle the error, log ``label`` for metrics, and show `localizedDescription` to users. A
/// request may fail for two reasons, such as a 404 whose body is of the wrong type. Then the outer error is the more
/// important one, and ``underlyingError`` is the other error. ``contains(_:)`` searches both errors.
public struct LarkspurError: Error, Sendable {
    /// The kind of failure.
    public let code: Code
    /// One sentence in English that describes the failure, without secrets.
    ///
    /// If the status is unacceptable, the message may end in the server's own error message, up to 160 characters in
    /// one line. For this the content must be JSON with a member, or XML with an element, that is known to hold such a
    /// message: for example `detail` (RFC 9457) or `message`.
    public let message: String
    /// The error that caused this error, as it was thrown: a `URLError`, a `DecodingError`, a file system error, or
    /// another `LarkspurError`.
    public internal(set) var underlyingError: (any Error)?
    /// The request that failed, if one was built. After redirects it is the request that was sent last.
    public internal(set) var request: URLRequest?
    /// The response, if one arrived.
    public internal(set) var response: URLResponse?
    /// The content that arrived before the failure. If the response is not acceptable, it is the whole body, or the
    /// first MiB of a download or stream. Nil if there was no response.
    public internal(set) var responseData: Data?
    /// The data with which another download continues a download that failed or was cancelled. Pass it to
    /// `SessionManager.download(_:resumeData:)` or `SessionManager.downloadTask(withResumeData:)`.
    ///
    /// The file with the beginning of the content stays on disk until the data is used or discarded.
    public internal(set) var resumeData: Data?
    /// The object that the response serializer returned for the body of an unacceptable response.
    ///
    /// The object is stored in the error itself. The size of the error is then not known, so the error is thrown in
    /// memory. If it were thrown in registers, the compiler of Swift 6.3 would crash in programs that await a sequence
    /// with this type of error.
    var responseObjectBox: Transferred<Any>?
    private let explicitFailingURL: URL?

    /// Creates an error.
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: One sentence that describes the failure, without secrets.
    ///   - underlyingError: The error that caused this error. Default: none.
    ///   - request: The request that failed. Default: none. Larkspur then fills in the request, if it is known.
    ///   - response: The response. Default: none. Larkspur then fills in the response, if it is known.
    ///   - responseData: The response's content. Default: none. Larkspur then fills in the content, if it is known.
    ///   - failingURL: The URL that failed. Default: the URL of the response, or else of the request.
    public init(
        _ code: Code,
        _ message: String,
        underlyingError: (any Error)? = nil,
        request: URLRequest? = nil,
        response: URLResponse? = nil,
        responseData: Data? = nil,
        failingURL: URL? = nil
    ) {
        self.code = code
        self.message = message
        self.underlyingError = underlyingError
        self.request = request
        self.response = response
        self.responseData = responseData
        explicitFailingURL = failingURL
    }

    /// The URL that failed, if there was one.
    public var failingURL: URL? { explicitFailingURL ?? response?.url ?? request?.url }

    /// A short stable name of the kind of failure, such as `"timed-out"`: for logs and metrics.
    public var label: String { code.label }

    /// The status code of the response, if there was an HTTP response.
    public var statusCode: Int? { (response as? HTTPURLResponse)?.statusCode }

    /// The object that the response serializer returned for the body of a response with an unacceptable status: a JSON
    /// object, a property list, a text.
    ///
    /// Nil if there was no body, or if the body could not be parsed. The property is also nil with a serializer that
    /// decodes a type, because that type is meant for a successful response; ``failure(as:decoder:)`` decodes the type
    /// of a failure. Treat the object as read-only: observers of the completion notification see the same object.
    public var responseObject: Any? { responseObjectBox?.value }

    /// Returns whether this error or one of its underlying errors has a code.
    /// - Parameter code: The code to look for.
    public func contains(_ code: Code) -> Bool {
        if self.code == code { return true }
        if let members = underlyingError as? any ErrorCollection {
            return members.errors.contains { $0.contains(code) }
        }
        return (underlyingError as? LarkspurError)?.contains(code) == true
    }
}

/// An error behind a reference. Most owners have no error, and the size of an error is known only at run time.
final class StoredError: Sendable {
    let error: LarkspurError

    init(_ error: LarkspurError) { self.error = error }
}

extension LarkspurError: LocalizedError {
    /// The sentence of ``message``.
    public var errorDescription: String? { message }
}

extension LarkspurError: CustomNSError {
    /// The domain of the `NSError` that a `LarkspurError` bridges to: `LarkspurErrorDomain`.
    public static var errorDomain: String { "LarkspurErrorDomain" }

    /// The key of the `URLResponse` in `errorUserInfo`.
    package static let responseUserInfoKey = "LarkspurErrorResponse"
    /// The key of the response's content in `errorUserInfo`, as `Data`.
    package static let responseDataUserInfoKey = "LarkspurErrorResponseData"

    /// The number of the `NSError`. If `NSURLErrorDomain` and AFNetworking have a number for the failure, this is the
    /// same number.
    public var errorCode: Int { code.number }

    /// The user info of the `NSError`: the description, the failing URL, the response, its content and the underlying
    /// error. Facts that are not known are left out.
    ///
    /// An `NSError` prints all of its user info. Therefore its URLs, including those of the underlying error, have no
    /// user, no password and no secrets in their queries (``Redaction/standard``). The response has all its fields, but
    /// prints without credentials and cookies. Content is printed as its length.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        info[NSUnderlyingErrorKey] = underlyingError.map { PrintableError.of($0) }
        info[NSURLErrorFailingURLErrorKey] = failingURL?.withoutSecrets
        info[Self.responseUserInfoKey] = response.map(PrintableResponse.of)
        info[Self.responseDataUserInfoKey] = responseData
        return info
    }
}

extension LarkspurError: CustomStringConvertible, CustomReflectable {
    /// The label, the message, the method, and the URL without credentials and query. It is safe to log.
    public var description: String {
        var text = "\(label): \(message)"
        if let url = failingURL.map(Self.redacted) {
            text += " [\(request?.httpMethod.map { $0.onOneLine + " " } ?? "")\(url)]"
        }
        if let underlyingError = underlyingError as? LarkspurError {
            text += " <- \(underlyingError.label): \(underlyingError.message)"
        }
        return text
    }

    /// A mirror for `dump` and debuggers that holds only values that are safe to log. It holds the length of the
    /// content, but not the content.
    public var customMirror: Mirror {
        var children: [Mirror.Child] = [("code", label), ("message", message)]
        if let url = failingURL { children.append(("failingURL", Self.redacted(url))) }
        if let response { children.append(("response", PrintableResponse.of(response))) }
        if let responseData { children.append(("responseData", "\(responseData.count) bytes")) }
        if let underlyingError { children.append(("underlyingError", PrintableError.of(underlyingError))) }
        return Mirror(self, children: children, displayStyle: .struct)
    }

    /// Returns a URL without credentials, query, fragment, and secrets in the parameters of its path. It stays
    /// percent-encoded, so that a log gets no line break.
    static func redacted(_ url: URL) -> String {
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url.scheme ?? "" }
        let hasQuery = components.percentEncodedQuery != nil
        components.user = nil
        components.password = nil
        components.fragment = nil
        // The query is removed. Setting it to a character that has to be percent-encoded would be a precondition
        // failure.
        components.percentEncodedQuery = nil
        return (components.string.map(Redaction.standard.text) ?? "") + (hasQuery ? "?…" : "")
    }
}

extension LarkspurError {
    /// Returns the same error, in which the missing request, response and content are filled in from the transfer.
    package func filled(request: URLRequest?, response: URLResponse?, responseData: Data?) -> LarkspurError {
        var error = self
        error.request = self.request ?? request
        error.response = self.response ?? response
        error.responseData = self.responseData ?? responseData
        return error
    }
}

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
        case .certificateRevoked: self = .certificateRevoked
        case .revocationListMissing, .revocationListExpired, .revocationListUnusable: self = .revocationUnknown
        case .refusedByEvaluator: self = .serverTrustRefused
        case .clientCertificateRequired: self = .clientCertificateRequired
        case .clientCertificateRejected, .clientIdentityUnusable: self = .clientCertificateRejected
        case .insecureRequest: self = .insecureRequest
        case .missingCloseNotify: self = .malformedResponse
        case .notEnforceable: self = .securityPolicyNotEnforceable
        default: self = .secureConnectionFailed
        }
    }

    /// Creates the code for an error number of URLSession that concerns TLS.
    ///
    /// The numbers are the raw values of `URLError.Code`. On Linux, each of the constants
    /// `NSURLErrorSecureConnectionFailed` to `NSURLErrorClientCertificateRequired` is too low by 1.
    init?(tlsNumber number: Int) {
        switch URLError.Code(rawValue: number) {
        case .serverCertificateHasBadDate: self = .certificateExpired
        case .serverCertificateNotYetValid: self = .certificateNotYetValid
        case .serverCertificateHasUnknownRoot: self = .certificateUnknownRoot
        case .serverCertificateUntrusted: self = .certificateUntrusted
        case .clientCertificateRequired: self = .clientCertificateRequired
        case .clientCertificateRejected: self = .clientCertificateRejected
        case .appTransportSecurityRequiresSecureConnection: self = .insecureRequest
        case .secureConnectionFailed: self = .secureConnectionFailed
        default: return nil
        }
    }

    /// Whether the failure concerns the identity of the server or of the client.
    var isAboutIdentity: Bool { Self.aboutIdentity.contains(self) }

    private static let aboutIdentity: Set<Self> = [
        .certificateExpired, .certificateNotYetValid, .certificateHostMismatch, .certificateUnknownRoot,
        .certificateUntrusted, .certificatePinMismatch, .certificateRevoked, .revocationUnknown, .serverTrustRefused,
        .clientCertificateRequired, .clientCertificateRejected,
    ]
}

/// An error that contains several other errors.
protocol ErrorCollection: Error {
    var errors: [LarkspurError] { get }
}
