/// A task whose response is written to a file.
public final class DownloadTask: SessionTask, @unchecked Sendable {
    /// The resume data with which a later process can continue the download if this process ends first. Nil while there
    /// is none, and with a transport that cannot resume.
    ///
    /// Reading it does not interrupt the download. Store the data for a later process, which continues from the part of
    /// the file that exists by then. Store it again from time to time, because it changes if the download has to start
    /// over.
    public var resumeData: Data? {
        pendingResumeData ?? (urlSessionTask as? URLSessionDownloadTask).flatMap(Platform.currentResumeData)
    }

    /// Ends the task with the error `cancelled`, as ``SessionTask/cancel()`` does, and keeps the content that has
    /// arrived, so that another task can continue the download.
    /// - Parameter handler: Called once, on the completion queue and before the completion handler, with resume data;
    ///   nil if there is none. The error has it too.
    public func cancel(producingResumeData handler: @escaping @Sendable (Data?) -> Void) {
        cancelKeepingResumeData(handler)
    }
}
