#if canImport(FoundationNetworking)
/// One of the engine's tasks, of any of their classes.
protocol EngineTask: URLSessionTask {
    var core: TaskCore { get }
}

extension URLSessionTask {
    /// Whether the task is the handshake of a ``WebSocketTask``.
    package var opensWebSocket: Bool { (self as? any EngineTask)?.core.webSocket != nil }

    /// The names of the fields, in lower case, that a redirect of a WebSocket's handshake to another origin does not
    /// get; none for other tasks.
    package var withheldFields: Set<String> { (self as? any EngineTask)?.core.webSocket?.attempt?.withheldFields ?? [] }

    /// The metrics of each request of the task so far, redirects and authentication included; empty for tasks that are
    /// not a ``CurlURLSession``'s own.
    public var transferMetrics: [TransferMetrics] {
        (self as? any EngineTask)?.core.withStorage { $0.record.metrics } ?? []
    }
}
#else
extension URLSessionTask {
    /// The metrics of each request of the task; empty on this platform, where the system collects metrics of its own.
    public var transferMetrics: [TransferMetrics] { [] }
}
#endif
