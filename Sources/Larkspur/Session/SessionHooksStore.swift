import Synchronization

/// The hooks of a session manager and the queue that they run on, shared with the delegates of its sessions.
final class SessionHooksStore: Sendable {
    let queue = DispatchQueue(label: "larkspur.hooks")
    private let storage = Mutex(SessionHooks())

    var hooks: SessionHooks {
        get { storage.withLock { $0 } }
        // Released without the lock: objects may end with a closure that set hooks themselves.
        set { _ = storage.withLock { exchange(&$0, with: newValue) } }
    }

    /// Queues a call of a hook, if it is set.
    func call<Hook: Sendable>(
        _ hook: any KeyPath<SessionHooks, Hook?> & Sendable,
        _ body: @escaping @Sendable (Hook) -> Void
    ) {
        guard let hook = self.hook(hook) else { return }
        queue.async { body(hook) }
    }

    /// One hook, without the cost of copying all.
    func hook<Hook: Sendable>(_ hook: any KeyPath<SessionHooks, Hook?> & Sendable) -> Hook? {
        storage.withLock { $0[keyPath: hook] }
    }
}
