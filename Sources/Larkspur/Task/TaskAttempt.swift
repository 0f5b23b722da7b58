/// One `URLSessionTask` on behalf of a `SessionTask`, and the transport that it belongs to.
struct TaskAttempt: Sendable {
    /// A step of a task's control: first to start or to cancel, then to suspend and to resume in turn, last to cancel.
    enum Control: Sendable {
        case start
        case resume
        case suspend
        case cancel
        /// The same for a download, of which another one is to go on with what has come.
        case cancelKeepingResumeData
    }

    let urlTask: URLSessionTask
    let session: URLSession
    let adapter: any TransportAdapter
    /// Ends the task because it took longer than its configuration allows in all.
    let expire: @Sendable () -> Void

    func perform(_ control: Control) {
        adapter.perform(control, on: urlTask, in: session)
        if control == .start, let limit = adapter.unenforcedResourceTimeout(of: session) {
            DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: expire)
        }
    }
}
