#if canImport(FoundationNetworking)
/// A task of the engine, of any of its task classes.
protocol EngineTask: URLSessionTask {
    var core: TaskCore { get }
}

extension URLSessionTask {
    /// Whether the task is the handshake of a ``WebSocketTask``.
    package var opensWebSocket: Bool { (self as? any EngineTask)?.core.webSocket != nil }

    /// The names, in lower case, of the fields that a redirect of a WebSocket's handshake to another origin loses.
    /// Empty for other tasks.
    package var withheldFields: Set<String> { (self as? any EngineTask)?.core.webSocket?.attempt?.withheldFields ?? [] }

    /// The metrics of each request of the task so far, including redirects and authentication. Empty if the task is not
    /// a ``CurlURLSession``'s own.
    public var transferMetrics: [TransferMetrics] {
        (self as? any EngineTask)?.core.withStorage { $0.record.metrics } ?? []
    }
}
#else
extension URLSessionTask {
    /// The metrics of each request of the task. Empty on this platform, as the system collects its own metrics.
    public var transferMetrics: [TransferMetrics] { [] }
}
#endif
