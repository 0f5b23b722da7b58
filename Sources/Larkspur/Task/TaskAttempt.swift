/// One `URLSessionTask` that works for a `SessionTask`, and the transport that it belongs to.
struct TaskAttempt: Sendable {
    let urlTask: URLSessionTask
    let session: URLSession
    let adapter: any TransportAdapter
    /// The closure that ends the task if it takes longer than the resource timeout of its configuration.
    let expire: @Sendable () -> Void

    func perform(_ control: TaskControl) {
        adapter.perform(control, on: urlTask, in: session)
        if control == .start, let limit = adapter.unenforcedResourceTimeout(of: session) {
            DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: expire)
        }
    }
}
