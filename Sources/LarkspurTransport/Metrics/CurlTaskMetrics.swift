#if canImport(FoundationNetworking)
import HTTPSyntax

/// The metrics of a ``CurlURLSession``'s task, as `urlSession(_:task:didFinishCollecting:)` receives them.
///
/// The method is called once for each task, before `urlSession(_:task:didCompleteWithError:)`. It is also called for a
/// task with a completion handler, and for a task that fails or is cancelled.
///
/// Code outside of FoundationNetworking cannot set the superclass's properties: `transactionMetrics` is empty,
/// `taskInterval` has no length, and `redirectCount` is 0. Use the properties below.
///
/// ```swift
/// if let metrics = metrics as? CurlTaskMetrics { print(metrics.interval.duration, metrics.transactions.count) }
/// ```
public final class CurlTaskMetrics: URLSessionTaskMetrics, @unchecked Sendable {
    // Safe: all properties are constants, and the superclass's properties are never written.
    /// The metrics of the task's requests, including redirects and authentication, and of responses from the cache.
    /// Empty if no request was sent and no response came from the cache.
    public let transactions: [TransactionMetrics]
    /// The interval from the creation of the task to its end.
    public let interval: DateInterval
    /// The number of redirects that were followed.
    public let followedRedirectCount: Int

    init(_ transactions: [TransactionMetrics], from start: Date, to end: Date = Date()) {
        self.transactions = transactions
        // The clock may have been set back during the task.
        interval = DateInterval(start: start, end: max(start, end))
        followedRedirectCount = transactions.dropLast().count { $0.isRedirect }
        super.init()
    }
}

extension TransactionMetrics {
    fileprivate var isRedirect: Bool {
        switch received?.statusCode {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }
}

/// The connections and requests of a session at one origin, at the time of the snapshot
/// (``CurlURLSession/connections``).
public struct OriginConnections: Sendable, Hashable {
    /// The scheme, host and port, such as "https://example.com:443". For a Unix-domain socket, the URL of the socket.
    public let origin: String
    /// The number of open connections, including connections that are being opened. If a connection to a proxy is used
    /// for several origins, it counts for the origin for which it was opened.
    public internal(set) var open = 0
    /// The number of open connections without a request.
    public var idle: Int { open - busy }
    /// The number of connections that have requests, or are being opened for a request.
    public internal(set) var busy = 0
    /// The number of requests that have a place at the origin, or are an open WebSocket. Over HTTP/2, many requests
    /// share a connection.
    public internal(set) var activeRequests = 0
    /// The number of WebSockets among ``activeRequests``. Each has its own connection.
    var webSockets = 0
    /// The number of requests that wait for a place at the origin.
    public internal(set) var waitingRequests = 0
    /// The protocol of the latest response, by its ALPN identifier, such as "http/1.1" or "h2"; nil before the first
    /// response.
    public internal(set) var protocolName: String?
    /// The age of the oldest open connection; nil if no connection is open.
    public internal(set) var oldestAge: Duration?

    init(origin: String) { self.origin = origin }
}
#endif
