#if canImport(FoundationNetworking)
package import HTTPSyntax

/// A task object of one of the engine's task classes.
protocol EngineTask: URLSessionTask {
    var core: TaskCore { get }
}

extension URLSessionTask {
    /// Whether the task is the handshake of a ``WebSocketTask``.
    package var opensWebSocket: Bool { (self as? any EngineTask)?.core.plan.webSocket != nil }

    /// Whether the task opens a connection in advance.
    package var opensConnection: Bool { (self as? any EngineTask)?.core.plan.opensConnection == true }

    /// The lower-case names of the fields that were removed when a redirect of a WebSocket's handshake led to another
    /// origin. Empty for other tasks.
    package var withheldFields: Set<TextKey> {
        (self as? any EngineTask)?.core.plan.webSocket?.attempt?.withheldFields ?? []
    }

    /// The metrics of each request of the task so far, including redirects and authentication. Empty if the engine of a
    /// ``CurlURLSession`` does not perform the task.
    public var transactionMetrics: [TransactionMetrics] {
        (self as? any EngineTask)?.core.withStorage { $0.record.metrics } ?? []
    }

    /// The trailers of the task's response: the fields that the server has sent after the content (RFC 9110, section
    /// 6.5). Nil before the end of the response, and if there are no trailers. The trailers are set before the task's
    /// end is reported, and are never part of the header fields.
    ///
    /// The values of a repeated field are joined by commas. Fields that must not be in a trailer section, such as
    /// `Content-Length` or `Set-Cookie`, are removed. A response from the cache has no trailers. Nil if the engine of a
    /// ``CurlURLSession`` does not perform the task.
    public var responseTrailers: [String: String]? {
        (self as? any EngineTask)?.core.withStorage { $0.record.trailers }
    }
}
#else
extension URLSessionTask {
    /// The metrics of each request of the task. Empty on this platform, because the system collects the metrics here.
    public var transactionMetrics: [TransactionMetrics] { [] }

    /// The trailers of the task's response. Nil on this platform, because the system does not report them.
    public var responseTrailers: [String: String]? { nil }
}
#endif
