extension Platform {
    /// Returns the request of the download that left resume data, without its credentials; nil if the request is not
    /// known.
    static func request(ofResumeData resumeData: Data) -> URLRequest? {
        #if canImport(FoundationNetworking)
        CurlURLSession.request(ofResumeData: resumeData)
        #else
        nil
        #endif
    }

    /// Removes the file that resume data refers to, if that is possible.
    static func discard(resumeData: Data) {
        #if canImport(FoundationNetworking)
        CurlURLSession.discardResumeData(resumeData)
        #endif
    }

    /// Returns the resume data of a download that is under way, if any.
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
