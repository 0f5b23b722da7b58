#if canImport(FoundationNetworking)
extension CurlURLSession {
    /// The session's thread as an executor of Swift tasks, for `withTaskExecutorPreference` and
    /// `Task(executorPreference:)`. It is always the same object.
    ///
    /// A Swift task that awaits many small responses needs no switches between threads if it runs on this executor. But
    /// while the code of the task runs, no transfer of the session advances, so the code must be short. It may wait for
    /// the session only by `await`: a semaphore or `DispatchGroup.wait()` would wait forever.
    ///
    /// Jobs run even after the session was invalidated or released. If no thread can be started, they run on the global
    /// executor.
    public var executor: any TaskExecutor { core.executor }
}
#endif
