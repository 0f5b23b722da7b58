#if canImport(FoundationNetworking)
import HTTPSyntax

extension URLError {
    /// Creates an error with a sentence as its `localizedDescription`. Both keys for the failing URL have a URL without
    /// a password, because errors are logged.
    static func engine(
        _ code: URLError.Code,
        _ sentence: String,
        url: URL?,
        underlying: (any Error)? = nil
    ) -> URLError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: sentence]
        if let url = url?.withoutPassword {
            info[NSURLErrorFailingURLErrorKey] = url
            info[failingURLStringKey] = url.absoluteString
        }
        if let underlying { info[NSUnderlyingErrorKey] = underlying }
        return URLError(code, userInfo: info)
    }

    /// - Parameter wait: The wait for a place at the host; nil if the task was not waiting at its end.
    static func resourceTimedOut(after seconds: TimeInterval, url: URL?, wait: ConnectionWait? = nil) -> URLError {
        let reason = wait.map { ": " + $0.clause(at: .now, \.withoutQuery) } ?? ""
        return .engine(
            .timedOut,
            "The task took longer than the \(seconds) seconds that its session allows\(reason).",
            url: url
        )
    }

    /// The value of `NSURLErrorFailingURLStringErrorKey`. The key is deprecated, but some code still reads it.
    static let failingURLStringKey = "NSErrorFailingURLStringKey"
}

extension URL {
    /// The text of the URL without credentials, query and fragment.
    fileprivate var withoutQuery: String {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return scheme ?? "" }
        components.user = nil
        components.password = nil
        components.percentEncodedQuery = nil
        components.fragment = nil
        return components.string ?? ""
    }

    /// The URL without its password; nil if the password cannot be removed.
    fileprivate var withoutPassword: URL? {
        guard password != nil else { return self }
        var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        components?.password = nil
        return components?.url
    }
}
#endif
