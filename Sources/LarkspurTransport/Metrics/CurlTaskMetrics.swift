#if canImport(FoundationNetworking)
/// The metrics of a ``CurlURLSession``'s task, as `urlSession(_:task:didFinishCollecting:)` receives them.
///
/// The method is called once for each task, before `urlSession(_:task:didCompleteWithError:)`. It is called with or
/// without a completion handler, and whether the task succeeds, fails or is cancelled.
///
/// Code outside of FoundationNetworking cannot set the superclass's properties: `transactionMetrics` is empty,
/// `taskInterval` has no length, and `redirectCount` is 0. Use the properties below instead.
///
/// ```swift
/// if let metrics = metrics as? CurlTaskMetrics { print(metrics.interval.duration, metrics.transfers.count) }
/// ```
public final class CurlTaskMetrics: URLSessionTaskMetrics, @unchecked Sendable {
    // Safe: all properties are constants, and the superclass's properties are never written.
    /// The metrics of the task's requests, including redirects and authentication, and of responses from the cache.
    /// Empty if nothing was sent and nothing came from the cache.
    public let transfers: [TransferMetrics]
    /// The interval from the creation of the task to its end.
    public let interval: DateInterval
    /// The number of redirects that were followed.
    public let followedRedirects: Int

    init(transfers: [TransferMetrics], from start: Date, to end: Date = Date()) {
        self.transfers = transfers
        // The clock may have been set back during the task.
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
