#if canImport(FoundationNetworking)
/// What the engine itself ends a task with, where libcurl found nothing wrong or was never asked.
enum EngineFailure: Sendable, Hashable {
    case cancelled
    /// Nothing arrived or was sent for the interval of the request, in seconds.
    case requestTimedOut(TimeInterval)
    /// The task took longer than a resource may, in seconds.
    case resourceTimedOut(TimeInterval)
    case sessionInvalidated
    /// libcurl cannot be used; the reason is a sentence without its full stop.
    case libcurlUnavailable(String)
    /// The machine refused a handle or a thread; the reason is a sentence without its full stop.
    case resourcesExhausted(String)
    case noURL
    case unsupportedScheme(String)
    /// A method, field or URL that would break the request's header; the name says which.
    case malformedRequest(String)
    /// Content where a request may have none.
    case unexpectedBody
    /// The content of a request that cannot be read, or read a second time.
    case bodyUnavailable
    case fileUnreadable(path: String, systemError: Int32)
    case fileUnwritable(path: String, systemError: Int32)
    /// A response that is none; the reason completes "The server's response could not be understood".
    case malformedResponse(String)
    /// The response's header is larger than a limit in bytes.
    case responseHeadTooLarge(limit: Int)
    /// The response's header has more fields or interim responses than a limit.
    case tooManyResponseFields(limit: Int)
    /// The content is larger than a limit in bytes.
    case contentTooLarge(limit: Int64)
    /// Compressed content became more than so many times larger than what was sent.
    case expansionLimitExceeded(factor: Int)
    case tooManyRedirects(limit: Int)
    /// A redirect whose location is missing, no URL, or not to be followed.
    case redirectRefused(String)
    /// The delegate cancelled a challenge.
    case authenticationCancelled
    /// A server or proxy refused the credentials again and again.
    case authenticationFailed
    /// The request may be answered by the cache alone, and the cache has no answer.
    case notInCache
    /// The configuration asks for what the libcurl at hand cannot do; the reason is a sentence without its full stop.
    case policyNotEnforceable(String)

    /// The error that the task reports.
    func error(url: URL?) -> URLError {
        .engine(code, sentence + ".", url: url, underlying: systemCause)
    }

    private var code: URLError.Code {
        switch self {
        case .cancelled, .sessionInvalidated: .cancelled
        case .requestTimedOut, .resourceTimedOut: .timedOut
        case .libcurlUnavailable, .resourcesExhausted, .notInCache: .resourceUnavailable
        case .noURL, .malformedRequest: .badURL
        case .unsupportedScheme: .unsupportedURL
        case .unexpectedBody: .dataLengthExceedsMaximum
        case .bodyUnavailable: .requestBodyStreamExhausted
        case .fileUnreadable(_, ENOENT): .fileDoesNotExist
        case .fileUnreadable(_, EISDIR): .fileIsDirectory
        case .fileUnreadable(_, EACCES), .fileUnreadable(_, EPERM): .noPermissionsToReadFile
        case .fileUnreadable: .cannotOpenFile
        case .fileUnwritable: .cannotWriteToFile
        case .malformedResponse, .responseHeadTooLarge, .tooManyResponseFields: .cannotParseResponse
        case .contentTooLarge, .expansionLimitExceeded: .dataLengthExceedsMaximum
        case .tooManyRedirects: .httpTooManyRedirects
        case .redirectRefused: .redirectToNonExistentLocation
        case .authenticationCancelled: .userCancelledAuthentication
        case .authenticationFailed: .userAuthenticationRequired
        case .policyNotEnforceable: .secureConnectionFailed
        }
    }

    private var sentence: String {
        switch self {
        case .cancelled: "The request was cancelled"
        case .requestTimedOut(let seconds): "The request timed out: nothing happened for \(Self.text(seconds))"
        case .resourceTimedOut(let seconds): "The request timed out: it took longer than \(Self.text(seconds)) in all"
        case .sessionInvalidated: "The session was invalidated"
        case .libcurlUnavailable(let reason): "libcurl cannot be used: \(reason)"
        case .resourcesExhausted(let reason): "The machine has no resources for the request: \(reason)"
        case .noURL: "The request has no URL"
        case .unsupportedScheme(let scheme): "The URL's scheme is not supported: \(scheme)"
        case .malformedRequest(let name): "The request cannot be sent: its \(name) has characters that are not allowed"
        case .unexpectedBody: "The request's method allows no content"
        case .bodyUnavailable: "The content to send is not available, or not a second time"
        case .fileUnreadable(let path, let error): "The file \(path) could not be read: \(Self.text(ofError: error))"
        case .fileUnwritable(let path, let error): "The file \(path) could not be written: \(Self.text(ofError: error))"
        case .malformedResponse(let reason): "The server's response could not be understood: \(reason)"
        case .responseHeadTooLarge(let limit): "The response's header is larger than \(limit) bytes"
        case .tooManyResponseFields(let limit): "The response's header has more than \(limit) fields"
        case .contentTooLarge(let limit): "The content is larger than \(limit) bytes"
        case .expansionLimitExceeded(let factor):
            "The content became more than \(factor) times larger when it was decoded"
        case .tooManyRedirects(let limit): "More than \(limit) redirects followed one another"
        case .redirectRefused(let reason): "The redirect cannot be followed: \(reason)"
        case .authenticationCancelled: "The authentication was cancelled"
        case .authenticationFailed: "The credentials were refused"
        case .notInCache: "The request may be answered by the cache alone, which has no answer"
        case .policyNotEnforceable(let reason): "The security that is asked for cannot be had: \(reason)"
        }
    }

    private var systemCause: NSError? {
        switch self {
        case .fileUnreadable(_, let error), .fileUnwritable(_, let error):
            error == 0 ? nil : NSError(domain: NSPOSIXErrorDomain, code: Int(error))
        default: nil
        }
    }

    private static func text(_ seconds: TimeInterval) -> String {
        if seconds == 1 { return "1 second" }
        return Int(exactly: seconds).map { "\($0) seconds" } ?? "\(seconds) seconds"
    }

    private static func text(ofError number: Int32) -> String {
        number == 0 ? "unknown error" : String(cString: strerror(number))
    }
}
#endif
