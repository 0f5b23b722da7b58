#if canImport(FoundationNetworking)
/// The part of a task that is known at its creation and never changes.
struct TaskPlan: Sendable {
    let kind: TaskCore.Kind
    let originalRequest: URLRequest?
    let body: RequestBody
    let completion: TaskCore.Completion?
    /// The resume data of the download that the task continues.
    @Boxed var resumption: ResumeData?
    /// The WebSocket connection that the task opens; nil for other tasks.
    var webSocket: WebSocketConnection?
    /// The error with which the task fails as soon as it is resumed; nil if there is none.
    var defect: URLError?
    /// Whether the session itself made the task, to revalidate a cached response that was delivered stale.
    var isRefresh = false
    /// Whether the events go to a receiver. Then the task object is only created if it is read.
    var hasReceiver = false
}
#endif
