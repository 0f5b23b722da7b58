/// The hooks of a session manager and the queue that they run on, shared with the delegates of its sessions.
final class SessionHooksStore: Sendable {
    let queue = DispatchQueue(label: "larkspur.hooks")
    /// The queue of all writers that change the session manager in place.
    let writers: WriterQueue
    private let published: Published<SessionHooks>

    init() {
        writers = WriterQueue()
        published = Published(SessionHooks(), writers: writers)
    }

    var hooks: SessionHooks {
        get { published.value }
        set { published.value = newValue }
        _modify { yield &published.value }
    }

    /// Queues a call of a task's hook on the hook queue, if the hook is set.
    func call<Hook: Sendable>(
        _ hook: any KeyPath<SessionHooks, Hook?> & Sendable,
        of task: SessionTask,
        _ body: @escaping @Sendable (Hook) -> Void
    ) {
        guard let hook = self.hook(hook, of: task) else { return }
        queue.async { body(hook) }
    }

    /// Returns the hook that is called for a task: the task's own, or else the session manager's.
    func hook<Hook: Sendable>(_ hook: any KeyPath<SessionHooks, Hook?> & Sendable, of task: SessionTask) -> Hook? {
        task.hook(hook) ?? published.read(hook)
    }

    /// Returns a hook of the session manager without the cost of copying all hooks.
    func hook<Hook: Sendable>(_ hook: any KeyPath<SessionHooks, Hook?> & Sendable) -> Hook? { published.read(hook) }
}
