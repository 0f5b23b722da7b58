#if canImport(FoundationNetworking)
/// The facts about a task's earlier requests that bear on the next ones.
struct TaskHistory {
    /// The number of redirects that a task follows.
    static let redirectLimit = 20

    private(set) var redirects = 0
    /// Whether stored responses are of no use, as a server has refused to validate one.
    var ignoresCache = false
    /// Whether a server may be asked for its consent to long content: until one has answered 417.
    var mayExpectContinue = true
    /// Whether the request was sent again with another stream, as a connection that had been used before was lost.
    var hasRenewedStream = false
    /// Whether the request was sent again, as a connection that it shared was lost.
    var hasRepeated = false
    /// Whether the next transfer may not use an existing connection.
    var needsNewConnection = false

    /// The failure of a task that has followed as many redirects as it may; nil for others.
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
