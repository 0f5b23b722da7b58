#if canImport(FoundationNetworking)
extension URLSessionDownloadTask {
    /// What it takes to go on with this download if the process ends before it does; nil while there is nothing, and
    /// for tasks that are not a ``CurlURLSession``'s own.
    ///
    /// The download goes on as if nothing had been asked. Write the data somewhere and it serves a later process:
    /// whatever of the file has been written by then counts. It can be had as soon as the response has arrived, and
    /// says nothing any more when the download starts over with another version of the file; so write it again from
    /// time to time. As long as the task runs, its file is locked, and another download begins anew.
    public var currentResumeData: Data? { (self as? CurlDownloadTask)?.core.currentResumeData }
}
#endif
