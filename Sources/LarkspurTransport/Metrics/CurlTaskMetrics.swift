#if canImport(FoundationNetworking)
/// The metrics of a ``CurlURLSession``'s task, as `urlSession(_:task:didFinishCollecting:)` receives them.
///
/// The method is called once for each task, before `urlSession(_:task:didCompleteWithError:)`, also with a completion
/// handler, and whether the task succeeds, fails or is cancelled. Code outside of FoundationNetworking cannot set the
/// properties of the superclass: `transactionMetrics` is empty, `taskInterval` has no length and `redirectCount` is 0.
/// The properties below have the figures.
///
/// ```swift
/// if let metrics = metrics as? CurlTaskMetrics { print(metrics.duration, metrics.transfers.count) }
/// ```
public final class CurlTaskMetrics: URLSessionTaskMetrics, @unchecked Sendable {
    // Safe: all properties are constants, and those of the superclass are never written.
    /// The metrics of the requests that the task has sent, redirects and authentication included, and of the cache's
    /// responses; empty if nothing was sent.
    public let transfers: [TransferMetrics]
    /// The interval from the creation of the task to its end.
    public let interval: DateInterval
    /// The length of ``interval`` in seconds.
    public var duration: TimeInterval { interval.duration }
    /// The number of redirects that were followed.
    public let followedRedirects: Int

    init(transfers: [TransferMetrics], from start: Date, to end: Date = Date()) {
        self.transfers = transfers
        // The clock may have been set back meanwhile.
        interval = DateInterval(start: start, end: max(start, end))
        followedRedirects = transfers.dropLast().count { $0.isRedirect }
        super.init()
    }
}

extension TransferMetrics {
    fileprivate var isRedirect: Bool {
        switch received?.statusCode {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }
}
#endif
