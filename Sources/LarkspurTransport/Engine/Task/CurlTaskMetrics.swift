#if canImport(FoundationNetworking)
/// The metrics of a ``CurlURLSession``'s task, as `urlSession(_:task:didFinishCollecting:)` gets them.
///
/// The method is called once for each task, before `urlSession(_:task:didCompleteWithError:)`, with a completion
/// handler too, and whether the task succeeds, fails or is cancelled. The properties of the superclass cannot be set
/// from outside of FoundationNetworking: `transactionMetrics` is empty, `taskInterval` lasts no time and
/// `redirectCount` is 0. Those below have the figures.
///
/// ```swift
/// if let metrics = metrics as? CurlTaskMetrics { print(metrics.duration, metrics.transfers.count) }
/// ```
public final class CurlTaskMetrics: URLSessionTaskMetrics, @unchecked Sendable {
    // Safe: all properties are constants, and those of the superclass are never written.
    /// The requests that the task has sent, redirects and authentication included, and what the cache has answered;
    /// empty where nothing was sent.
    public let transfers: [TransferMetrics]
    /// From the moment that the task was made to its end.
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
        switch response?.statusCode {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }
}
#endif
