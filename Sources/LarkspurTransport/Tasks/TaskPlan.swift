#if canImport(FoundationNetworking)
/// The part of a task that is known when it is made and never changes.
struct TaskPlan: Sendable {
    let kind: TaskCore.Kind
    let originalRequest: URLRequest?
    let body: RequestBody
    let completion: TaskCore.Completion?
    /// The resume data from which the task continues.
    @Boxed var resumption: ResumeData?
    /// The connection of a WebSocket that the task makes; nil for other tasks.
    var webSocket: WebSocketConnection?
    /// The reason why the task fails as soon as it is resumed.
    var defect: URLError?
    /// Whether the task is the session's own, which revalidates a cached response that was delivered stale.
    var isRefresh = false
    /// Whether the events go to a receiver, so that the task has an object only if somebody asks for it.
    var hasReceiver = false
}
#endif
