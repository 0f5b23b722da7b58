#if canImport(FoundationNetworking)
extension URLSessionDownloadTask {
    /// The data to continue this download if the process ends before it does; nil while there is none, and for tasks
    /// that are not a ``CurlURLSession``'s own.
    ///
    /// Reading it does not affect the download. Store the data, and a later process can resume with it: all bytes that
    /// the file then has count. The data is available as soon as the response has arrived. It becomes useless when the
    /// download starts over with another version of the file, so store it again from time to time. As long as the task
    /// runs, its file is locked, and another download from the data starts over.
    public var currentResumeData: Data? { (self as? CurlDownloadTask)?.core.currentResumeData }
}
#endif
