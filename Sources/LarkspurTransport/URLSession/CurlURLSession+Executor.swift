#if canImport(FoundationNetworking)
extension CurlURLSession {
    /// The session's thread as an executor of Swift tasks, for `withTaskExecutorPreference` and
    /// `Task(executorPreference:)`. It is always the same object.
    ///
    /// A task that awaits many small responses saves by it the way from thread to thread and back. As long as its code
    /// runs, no transfer of the session continues, so that it must be short. Waiting there for the session by other
    /// means than `await`, with a semaphore or `DispatchGroup.wait()`, waits for ever.
    ///
    /// Jobs run also when the session is invalidated or has been released. If no thread can be started, they run on the
    /// global executor.
    public var executor: any TaskExecutor { core.executor }
}
#endif
