#if canImport(FoundationNetworking)
/// The session that users of the engine see, with the parts that the engine needs.
protocol SessionObject: URLSession {
    /// Creates the task object of a transfer.
    func makeTaskObject(_ core: TaskCore) -> URLSessionTask

    /// Creates a download task that replaces a data task.
    func makeDownloadTask(_ core: TaskCore) -> URLSessionDownloadTask

    /// Calls a closure when the tasks of the session's superclass have ended.
    func whenSuperclassIsIdle(_ action: @escaping @Sendable () -> Void)
}
#endif
