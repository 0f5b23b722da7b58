/// A task whose response is written to a file.
public final class DownloadTask: SessionTask, @unchecked Sendable {
    /// The resume data with which a later process can go on with the download if this one ends before it does; nil
    /// while there is none, and with a transport that cannot resume.
    ///
    /// The download runs on. What is written down serves a later process: whatever of the file is there by then counts.
    /// Write it down again from time to time, as it changes when the download has to start over.
    public var resumeData: Data? {
        pendingResumeData ?? (urlSessionTask as? URLSessionDownloadTask).flatMap(Platform.currentResumeData)
    }

    /// Ends the task with the error `cancelled`, as ``SessionTask/cancel()`` does, and keeps what has come, so that
    /// another task can go on with it.
    /// - Parameter handler: Called once, on the completion queue and before the completion handler, with resume data;
    ///   nil where there is none. The error has it too.
    public func cancel(producingResumeData handler: @escaping @Sendable (Data?) -> Void) {
        cancelKeepingResumeData(handler)
    }
}
