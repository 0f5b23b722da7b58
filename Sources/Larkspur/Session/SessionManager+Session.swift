import HTTPSyntax

/// The session of a manager, and its tasks.
extension SessionManager {
    /// Posted when a session has become invalid: its tasks have ended, and it creates no more tasks. The object is the
    /// `SessionManager`.
    public static let didInvalidateNotification = Notification.Name("LarkspurSessionDidInvalidate")

    /// The session that creates the tasks. It is created when it is first needed, and again after a reset.
    ///
    /// The session manager does not know tasks that you create in the session directly. If the manager has a
    /// ``baseURL``, such tasks do not have the credentials among the configuration's additional fields. Invalidate the
    /// session only through the session manager. On Linux, invalidating it directly may terminate the process if a task
    /// is created at that moment.
    public var session: URLSession { sessions.current.session }

    /// The thread of ``session`` as an executor of Swift tasks, for `withTaskExecutorPreference` and
    /// `Task(executorPreference:)`. Nil with transports other than `.curl`.
    ///
    ///     try await withTaskExecutorPreference(manager.executor) {
    ///         for id in ids { print(try await manager.get(.path("users/\(id)")).string) }
    ///     }
    ///
    /// A task that awaits many small responses runs faster on this executor, because no response has to wake another
    /// thread. Keep the code of the task short: while it runs, all transfers of the session wait. Wait for calls only
    /// with `await`. A semaphore, or waiting for ``completionGroup``, blocks the thread for ever.
    ///
    /// Reading the property creates the session if there is none. After a reset, the property is the executor of the
    /// next session. Tasks on the previous executor still run, but the thread of that executor no longer sends their
    /// requests.
    public var executor: (any TaskExecutor)? { Platform.executor(of: session) }

    /// Opens connections to the origin of a URL before they are needed, and waits until they are open.
    ///
    ///     try await manager.connect()
    ///
    /// Connections that are open already count, whether they have requests or not. With HTTP/2, one connection is
    /// enough for any count. For each connection, the session sends a HEAD request to the path `/`, without cookies,
    /// credentials for the server, and fields of ``headers``. Its response is ignored, whatever the status is. The
    /// request is no call: interceptors, observers and hooks are not called, and ``tasks`` does not contain it. The
    /// limit ``Timeouts/connect`` and ``RequestSettings/timeoutInterval`` apply. Connections are only opened with the
    /// transport `.curl`, for a `CurlURLSession`, whose method of this name says more.
    /// - Parameters:
    ///   - url: An absolute URL, or a reference that is resolved against ``baseURL``. Only its origin counts. Default:
    ///     nil, the base URL.
    ///   - count: The number of connections that shall be open, at most `httpMaximumConnectionsPerHost` of the
    ///     configuration. Default: 1.
    /// - Throws: The error of a call that cannot be sent, such as `cannotConnectToHost`. `invalidURL` without a URL and
    ///   a base URL, `sessionInvalidated` after an invalidation, and `unsupported` with another transport.
    public func connect(to url: (any RequestTarget)? = nil, count: Int = 1) async throws(LarkspurError) {
        let url = try resolved(url ?? "")
        let session = try sessions.withSession { $0.session }
        do {
            try await Platform.connect(
                to: url,
                count: count,
                in: session,
                requestTimeout: requestSettings.timeoutInterval,
                connectTimeout: timeouts.connect?.timeInterval
            )
        } catch {
            throw LarkspurError(transportError: error)
        }
    }

    /// The tasks of the current session that have not ended, in the order of their creation.
    public var tasks: [SessionTask] { sessions.tasks }

    /// The data tasks among ``tasks``, without the upload tasks.
    public var dataTasks: [DataTask] { tasks.compactMap { $0 is UploadTask ? nil : $0 as? DataTask } }

    /// The upload tasks among ``tasks``.
    public var uploadTasks: [UploadTask] { tasks.compactMap { $0 as? UploadTask } }

    /// The download tasks among ``tasks``.
    public var downloadTasks: [DownloadTask] { tasks.compactMap { $0 as? DownloadTask } }

    /// Invalidates the session. Its tasks are cancelled or finish; when all have ended, ``didInvalidateNotification``
    /// is posted.
    ///
    /// A task that is created afterwards fails with the error `sessionInvalidated`, unless `resettingSession` was true.
    /// - Parameters:
    ///   - cancelingTasks: True to cancel the tasks under way; false to let them finish.
    ///   - resettingSession: True to discard the session, so that the next task is created in a new session. Default:
    ///     false.
    public func invalidate(cancelingTasks: Bool, resettingSession: Bool = false) {
        sessions.invalidate(cancelingTasks: cancelingTasks, resettingSession: resettingSession)
    }
}
