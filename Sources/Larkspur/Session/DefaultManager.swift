extension SessionManager {
    /// A manager with the default settings and without a base URL, for programs that need no other:
    ///
    ///     let text = try await SessionManager.default.get("https://api.example.com/motd").string
    ///
    /// All code of the process shares this manager. A change of its settings applies to the calls of all code. After an
    /// invalidation of the manager, all calls fail.
    public static let `default` = SessionManager()
}

/// Runs a closure with a session manager. Then invalidates the manager, and waits until its tasks have ended.
///
///     let user = try await withSessionManager(SessionManager(baseURL: url)) { manager in
///         try await manager.get("users/1").value(as: User.self)
///     }
///
/// If the closure throws, or the surrounding `Task` is cancelled, the tasks under way are cancelled. The connections
/// and the thread of the manager end with its last task.
/// - Parameters:
///   - manager: The manager. It must not be used afterwards.
///   - isolation: The actor on which the closure runs. Default: the actor of the caller.
///   - body: The closure, which gets the manager.
/// - Returns: The result of the closure.
/// - Throws: The error of the closure.
public func withSessionManager<Value>(
    _ manager: SessionManager = SessionManager(),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (SessionManager) async throws -> sending Value
) async rethrows -> sending Value {
    do {
        let result = try await body(manager)
        await manager.drain(cancelingTasks: Task.isCancelled)
        return result
    } catch {
        await manager.drain(cancelingTasks: true)
        throw error
    }
}

extension SessionManager {
    /// Invalidates the session, and waits until its tasks have ended.
    /// - Parameter cancelingTasks: True to cancel the tasks under way. They are also cancelled if the surrounding
    ///   `Task` is cancelled.
    fileprivate func drain(cancelingTasks: Bool) async {
        invalidate(cancelingTasks: cancelingTasks)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                completionGroup.notify(queue: .global()) { continuation.resume() }
            }
        } onCancel: {
            for task in tasks { task.cancel() }
        }
    }
}
