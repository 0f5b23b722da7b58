#if canImport(FoundationNetworking)
/// The part of a task that is known at its creation and never changes.
struct TaskPlan: Sendable {
    let kind: TaskCore.Kind
    let originalRequest: URLRequest?
    let body: TaskBody
    let completion: TaskCore.Completion?
    /// The resume data of the download that the task continues.
    @Boxed var resumption: ResumeData?
    /// The WebSocket connection that the task opens; nil for other tasks.
    var webSocket: WebSocketConnection?
    /// The error with which the task fails as soon as it is resumed; nil if there is none.
    var defect: URLError?
    /// The decisions about the new response, if the session itself created the task to revalidate a stale response that
    /// was delivered from the cache; nil for other tasks.
    var refresh: Refresh?
    /// Whether a receiver gets the events. If so, the task object is created only when it is read.
    var hasReceiver = false

    /// The code that decides about the new response of a refresh, in the same way as about the responses of the task
    /// that got the stale response.
    struct Refresh: Sendable {
        /// The decision of the receiver of that task; nil if it has none.
        var decision: CachingDecision?
        /// Whether a delegate or the receiver is asked whether to store the response.
        var asks: Bool
    }
}
#endif
