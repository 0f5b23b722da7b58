#if canImport(FoundationNetworking)
/// The session that users of the engine see, as far as the engine needs it.
protocol SessionObject: URLSession {
    /// Makes a download task that takes the place of a data task.
    func makeDownloadTask(_ core: TaskCore) -> URLSessionDownloadTask

    /// Calls back when the tasks that the session's superclass carries have ended.
    func whenSuperclassIsIdle(_ action: @escaping @Sendable () -> Void)
}
#endif
