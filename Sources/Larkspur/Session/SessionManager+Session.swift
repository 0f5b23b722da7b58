/// The session of a manager, and its tasks.
extension SessionManager {
    /// Posted when a session has become invalid: its tasks have ended and it creates no more. The object is the
    /// `SessionManager`.
    public static let didInvalidateNotification = Notification.Name("LarkspurSessionDidInvalidate")

    /// The session that creates the tasks. It is created when it is first needed, and again after a reset.
    ///
    /// The session manager does not know tasks that are created in it directly. Invalidate it only through the session
    /// manager: if it is invalidated directly, a task that is created at that moment may terminate the process on
    /// Linux.
    public var session: URLSession { sessions.current.session }

    /// The thread of ``session`` as an executor of Swift tasks, for `withTaskExecutorPreference` and
    /// `Task(executorPreference:)`; nil with other transports than `.curl`, which have none.
    ///
    ///     await withTaskExecutorPreference(manager.executor) {
    ///         for id in ids { await show(try? manager.get("users/\(id)").value(as: User.self)) }
    ///     }
    ///
    /// A task that awaits many small responses saves by it the way from thread to thread and back. As long as its code
    /// runs, no transfer of the session goes on, so that it must be short. Waiting there for calls by other means than
    /// `await`, with a semaphore or with the wait of ``completionGroup``, waits for ever.
    ///
    /// Reading it creates the session, if there is none. After a reset it is the executor of the next session; tasks on
    /// the one before still run, on a thread that no longer sends their requests.
    public var executor: (any TaskExecutor)? { Platform.executor(of: session) }

    /// The tasks of the current session that have not ended, in the order of their creation.
    public var tasks: [SessionTask] { sessions.tasks }

    /// The data tasks among ``tasks``, without the upload tasks.
    public var dataTasks: [DataTask] { tasks.compactMap { $0 is UploadTask ? nil : $0 as? DataTask } }

    /// The upload tasks among ``tasks``.
    public var uploadTasks: [UploadTask] { tasks.compactMap { $0 as? UploadTask } }

    /// The download tasks among ``tasks``.
    public var downloadTasks: [DownloadTask] { tasks.compactMap { $0 as? DownloadTask } }

    /// Invalidates the session: its tasks end, and it creates no more. ``didInvalidateNotification`` is posted when
    /// they have ended.
    ///
    /// A task that is created afterwards fails with the error `sessionInvalidated`, unless the session was reset.
    /// - Parameters:
    ///   - cancellingTasks: True to cancel the tasks under way; false to let them finish.
    ///   - resettingSession: True to discard the session, so that the next task is created in a new one. Default:
    ///     false.
    public func invalidate(cancellingTasks: Bool, resettingSession: Bool = false) {
        sessions.invalidate(cancellingTasks: cancellingTasks, resettingSession: resettingSession)
    }
}
