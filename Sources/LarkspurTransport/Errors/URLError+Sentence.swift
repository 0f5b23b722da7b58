#if canImport(FoundationNetworking)
extension URLError {
    /// Creates an error whose `localizedDescription` is a sentence, with the URL that failed under both of its keys.
    /// The URL is without its password, as errors are logged.
    static func engine(
        _ code: URLError.Code,
        _ sentence: String,
        url: URL?,
        underlying: NSError? = nil
    ) -> URLError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: sentence]
        if let url = url?.withoutPassword {
            info[NSURLErrorFailingURLErrorKey] = url
            info[failingURLStringKey] = url.absoluteString
        }
        if let underlying { info[NSUnderlyingErrorKey] = underlying }
        return URLError(code, userInfo: info)
    }

    static func resourceTimedOut(after seconds: TimeInterval, url: URL?) -> URLError {
        .engine(.timedOut, "The task took longer than the \(seconds) seconds that its session allows.", url: url)
    }

    /// The value of `NSURLErrorFailingURLStringErrorKey`, which is deprecated, and read by code that still relies on
    /// it.
    static let failingURLStringKey = "NSErrorFailingURLStringKey"
}

extension URL {
    /// The URL without its password; nil rather than a URL with a password.
    fileprivate var withoutPassword: URL? {
        guard password != nil else { return self }
        var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        components?.password = nil
        return components?.url
    }
}
#endif
