extension Platform {
    private static var resumeDataKey: String {
        #if canImport(FoundationNetworking)
        URLSessionDownloadTaskResumeData
        #else
        NSURLSessionDownloadTaskResumeData
        #endif
    }

    /// What a download has left that failed with an error.
    static func resumeData(of error: any Error) -> Data? { (error as NSError).userInfo[resumeDataKey] as? Data }

    /// What a task that was cancelled between two attempts ends with.
    static func cancellation(resumeData: Data?) -> URLError {
        URLError(.cancelled, userInfo: resumeData.map { [resumeDataKey: $0] } ?? [:])
    }

    /// Removes what resume data speaks of, where that is possible.
    static func discard(resumeData: Data) {
        #if canImport(FoundationNetworking)
        CurlURLSession.discardResumeData(resumeData)
        #endif
    }

    /// What it takes to go on with a download that is under way.
    static func currentResumeData(of task: URLSessionDownloadTask) -> Data? {
        #if canImport(FoundationNetworking)
        task.currentResumeData
        #else
        nil
        #endif
    }

    static func makeDownloadTask(
        resuming resumeData: Data,
        with request: URLRequest?,
        in session: URLSession
    ) throws(LarkspurError) -> URLSessionDownloadTask {
        #if canImport(FoundationNetworking)
        if let session = session as? CurlURLSession {
            guard CurlURLSession.isResumeData(resumeData) else {
                throw LarkspurError(.invalidResumeData, "The download cannot be resumed: this is no resume data.")
            }
            if let request { return session.downloadTask(with: request, resumeData: resumeData) }
        }
        #endif
        return session.downloadTask(withResumeData: resumeData)
    }
}
