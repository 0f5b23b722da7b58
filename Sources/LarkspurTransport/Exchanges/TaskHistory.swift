#if canImport(FoundationNetworking)
/// The facts about a task's earlier requests that affect the next ones.
struct TaskHistory {
    /// The largest number of redirects that a task follows.
    static let redirectLimit = 20

    private(set) var redirects = 0
    var authentication = AuthenticationState()
    /// Whether stored responses are ignored, as a server has not validated one.
    var ignoresCache = false
    /// Whether a request may have `Expect: 100-continue` for long content: until a server has answered 417.
    var mayExpectContinue = true
    /// Whether the request was sent again with another stream, as a reused connection was lost.
    var hasRenewedStream = false
    /// Whether the request was sent again, as a shared connection was lost.
    var hasRepeated = false
    /// Whether the next transfer needs a new connection.
    var needsNewConnection = false

    /// Returns the failure of a task that has followed the largest number of redirects; nil for others.
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
