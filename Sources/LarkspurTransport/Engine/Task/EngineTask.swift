#if canImport(FoundationNetworking)
/// One of the engine's tasks, whichever class it has to be.
protocol EngineTask: URLSessionTask {
    var core: TaskCore { get }
}

extension URLSessionTask {
    /// What each request of the task took and moved so far, redirects and authentication included; empty for tasks that
    /// are not a ``CurlURLSession``'s own.
    public var transferMetrics: [TransferMetrics] { (self as? any EngineTask)?.core.withStorage { $0.metrics } ?? [] }
}
#else
extension URLSessionTask {
    /// Empty on this platform, where the system collects metrics of its own.
    public var transferMetrics: [TransferMetrics] { [] }
}
#endif
