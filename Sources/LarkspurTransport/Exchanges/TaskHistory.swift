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
    /// The number of times that the engine has sent a request again without a response.
    private(set) var repetitions = 0
    /// Whether the next transfer has to make a new connection.
    var needsNewConnection = false
    /// Whether the next transfer has to use HTTP/1.1, because the server requires it.
    var needsHTTP1 = false
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

    /// The maximum number of times that the engine sends a request again without a response. libcurl has the same
    /// limit.
    static let repetitionLimit = 5

    var mayRepeat: Bool { repetitions < Self.repetitionLimit }

    /// Records that the request is sent again, on a new connection.
    mutating func noteRepetition(overHTTP1: Bool) {
        repetitions += 1
        needsNewConnection = true
        needsHTTP1 = overHTTP1
    }
}
#endif
