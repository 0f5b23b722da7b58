#if canImport(FoundationNetworking)
/// The facts about a task's earlier requests that affect the next ones.
struct TaskHistory {
    /// The maximum number of redirects that a task follows.
    static let redirectLimit = 20

    private(set) var redirects = 0
    var authentication = AuthenticationState()
    /// Whether stored responses are ignored, because a 304 did not match the stored response.
    var ignoresCache = false
    /// Whether a request with long content may have `Expect: 100-continue`. False after a 417.
    var mayExpectContinue = true
    /// Whether the request was sent again with a new stream, after a reused connection was lost.
    var hasRenewedStream = false
    /// Whether the request was sent again after a shared connection was lost.
    var hasRepeated = false
    /// Whether the next transfer has to make a new connection.
    var needsNewConnection = false
    /// The task's first request with https, if HSTS required this; nil otherwise.
    @Boxed var securedRequest: URLRequest?

    /// Returns the failure of a task that has reached the limit of redirects; nil for other tasks.
    func excessOfRedirects(at url: URL?) -> URLError? {
        guard redirects >= Self.redirectLimit else { return nil }
        return .engine(
            .httpTooManyRedirects,
            "More than \(Self.redirectLimit) redirects followed one another.",
            url: url
        )
    }

    mutating func noteRedirect() { redirects += 1 }
}
#endif
