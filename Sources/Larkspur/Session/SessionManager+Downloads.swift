/// Factories of download tasks.
extension SessionManager {
    /// Gets the temporary file and the response and returns where the file is to go.
    public typealias DownloadDestination = @Sendable (URL, URLResponse?) -> URL?

    /// Makes a task that writes the response to a file.
    ///
    /// A file is moved to its destination only if the response is acceptable; otherwise the task fails as a data task would, with the beginning of the file in the error's
    /// `responseData`. A file that exists at the destination is not replaced, and its folder must exist: both are the error `fileMoveFailed`, and the downloaded file is removed.
    /// - Parameters:
    ///   - request: The request.
    ///   - validation: Which responses are acceptable. Default: status 200–299 and any content type.
    ///   - resumes: How often the task goes on by itself when its connection is lost or times out, in all: after 0.25 seconds, and after twice as long each time that nothing came in between, at most 30. It does so where
    ///     there is something to go on with, as the error's `resumeData` would say; content is then asked for without a coding. Default: 0. Without effect with the transport `.foundation` on Linux.
    ///   - progress: Called on the completion queue as content is written. Default: none.
    ///   - destination: Gets the temporary file and the response and returns where the file is to go; nil leaves it where it is until the completion handler
    ///     has returned, then it is removed. Runs on ``processingQueue``. Default: nil.
    ///   - completionHandler: Called once on the completion queue.
    /// - Returns: The task, suspended.
    @discardableResult
    public func downloadTask(
        with request: URLRequest,
        validation: ResponseValidation = ResponseValidation(),
        resumes: Int = 0,
        progress: ProgressHandler? = nil,
        destination: DownloadDestination? = nil,
        completionHandler: @escaping @Sendable (DownloadResponse) -> Void
    ) -> DownloadTask {
        let request = resumes > 0 ? request.withoutCoding : request
        let delegate = makeDownload(validation, resumes, request, progress, destination, completionHandler)
        start(delegate.delegate, .success(request)) { $0.downloadTask(with: $1) }
        return delegate.download
    }

    /// Makes a task that goes on with what another download has left.
    ///
    /// Where the file on the server, or what had come of it, is not the same any more, the download begins anew. Data that is no resume data is the error `invalidResumeData`; with the
    /// transport `.foundation` on Linux all is the error `unsupported`.
    /// - Parameters:
    ///   - resumeData: What ``LarkspurError/resumeData``, ``DownloadTask/cancel(producingResumeData:)`` or ``DownloadTask/resumeData`` gave.
    ///   - request: What to send; needed where the request had fields that are secrets, as these are not in resume data. Default: what the resume data says. On Apple platforms it is ignored.
    ///   - validation: Which responses are acceptable. Default: status 200–299 and any content type.
    ///   - resumes: As for ``downloadTask(with:validation:resumes:progress:destination:completionHandler:)``. Default: 0.
    ///   - progress: Called on the completion queue as content is written; it begins with what was there. Default: none.
    ///   - destination: As for that method. Default: nil.
    ///   - completionHandler: Called once on the completion queue.
    /// - Returns: The task, suspended.
    @discardableResult
    public func downloadTask(
        withResumeData resumeData: Data,
        request: URLRequest? = nil,
        validation: ResponseValidation = ResponseValidation(),
        resumes: Int = 0,
        progress: ProgressHandler? = nil,
        destination: DownloadDestination? = nil,
        completionHandler: @escaping @Sendable (DownloadResponse) -> Void
    ) -> DownloadTask {
        let request = resumes > 0 ? request?.withoutCoding : request
        let delegate = makeDownload(validation, resumes, request, progress, destination, completionHandler)
        do throws(LarkspurError) {
            try request?.validate()
            try sessions.makeTask(for: delegate.delegate, resuming: resumeData, with: request)
        } catch {
            delegate.delegate.complete(with: error.filled(request: request, response: nil, responseData: nil))
        }
        return delegate.download
    }

    private func makeDownload(
        _ validation: ResponseValidation,
        _ resumes: Int,
        _ request: URLRequest?,
        _ progress: ProgressHandler?,
        _ destination: DownloadDestination?,
        _ completionHandler: @escaping @Sendable (DownloadResponse) -> Void
    ) -> (download: DownloadTask, delegate: TaskDelegate) {
        let environment = environment
        let task = DownloadTask(environment: environment, upload: nil, download: progress)
        let finisher = DownloadFinisher(
            validation: validation,
            destination: destination,
            hooks: sessions.hooks,
            handler: completionHandler
        )
        let sessions = sessions
        let resumer =
            resumes <= 0
            ? nil
            : DownloadResumer(limit: resumes, pause: environment.pause) { delegate, resumeData throws(LarkspurError) in
                try sessions.makeTask(for: delegate, resuming: resumeData, with: request)
            }
        let delegate = TaskDelegate(task: task, kind: .download, resumer: resumer) { result, _ in
            finisher.finish(result, of: task)
        }
        return (task, delegate)
    }
}

extension URLRequest {
    /// The same for content without a coding, unless it says which it takes: what is decoded on the way cannot be resumed, as nobody knows which coded byte comes next.
    fileprivate var withoutCoding: URLRequest {
        guard value(forHTTPHeaderField: "Accept-Encoding") == nil else { return self }
        var request = self
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        return request
    }
}
