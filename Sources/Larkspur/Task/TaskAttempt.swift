/// One `URLSessionTask` that works for a `SessionTask`, and the transport that it belongs to.
struct TaskAttempt: Sendable {
    /// An order to an attempt. The first is to start or to cancel; then suspend and resume alternate; the last is to
    /// cancel.
    enum Control: Sendable {
        case start
        case resume
        case suspend
        case cancel
        /// The cancellation of a download that keeps the content that has arrived, so that another download can
        /// continue it.
        case cancelKeepingResumeData
    }

    let urlTask: URLSessionTask
    let session: URLSession
    let adapter: any TransportAdapter
    /// The closure that ends the task if it takes longer than the resource timeout of its configuration.
    let expire: @Sendable () -> Void

    func perform(_ control: Control) {
        adapter.perform(control, on: urlTask, in: session)
        if control == .start, let limit = adapter.unenforcedResourceTimeout(of: session) {
            DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: expire)
        }
    }
}
