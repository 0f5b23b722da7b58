/// Downloads: calls by a URL string, and factories of tasks below them.
extension SessionManager {
    /// Downloads a file.
    ///
    /// A file is moved to its destination only if the response is acceptable; otherwise the task fails, with the
    /// beginning of the file, up to 1 MiB, in the error's `responseData`. A file that cannot be moved is the error
    /// `fileMoveFailed`, and is removed.
    ///
    ///     manager.download("report.pdf", to: .folder(downloads)) { response in
    ///         print(response.fileURL?.path ?? "no file")
    ///     }
    ///
    /// The call starts the task and returns it.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` at
    ///     the root of its host.
    ///   - method: The method. Default: GET.
    ///   - parameters: Names and values that the request serializer writes: into the query for GET, HEAD and DELETE,
    ///     else into the content. Default: none.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those of ``hooks``. Default: none.
    ///   - validation: The rules by which responses are acceptable. Default: status 200 to 299 and any content type.
    ///   - resumes: How often the task goes on by itself when its connection is lost or times out, in all: after 0.25
    ///     seconds, and after twice as long each time that nothing came in between, at most 30. It does so where
    ///     there is something to go on with, as the error's `resumeData` would say; content is then asked for without
    ///     a coding. Default: 0. Without effect with the transport `.foundation` on Linux.
    ///   - resumeData: The data with which the download goes on, of a task before it: ``LarkspurError/resumeData``,
    ///     ``DownloadTask/cancel(producingResumeData:)`` or ``DownloadTask/resumeData``. Where the file on the
    ///     server, or its part on disk, has changed, the download begins anew. Data of another kind is the error
    ///     `invalidResumeData`; with the transport `.foundation` on Linux all is the error `unsupported`. Default:
    ///     nil, for a download from its beginning.
    ///   - progress: Called on ``completionQueue`` as content is written. Default: none.
    ///   - destination: The place of the file; nil leaves it where it is until the completion handler has returned,
    ///     then it is removed. Default: nil.
    ///   - completionHandler: Called once, on ``completionQueue``. A request that cannot be built is the error
    ///     `invalidURL`, `invalidMethod`, `invalidHeaderField` or `parameterEncodingFailed`.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func download(
        _ url: String,
        method: HTTPMethod = .get,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        validation: ResponseValidation = ResponseValidation(),
        resumes: Int = 0,
        resumeData: Data? = nil,
        progress: ProgressHandler? = nil,
        to destination: DownloadDestination? = nil,
        completionHandler: @escaping @Sendable (DownloadResponse) -> Void
    ) -> DownloadTask {
        let request = requestResult(method, url, parameters, nil, headers)
        let task = downloadTask(request, resumeData, validation, resumes, progress, destination, completionHandler)
        task.start(with: hooks)
        return task
    }

    /// Makes a task that writes the response to a file.
    ///
    /// A file is moved to its destination only if the response is acceptable; otherwise the task fails, with the
    /// beginning of the file, up to 1 MiB, in the error's `responseData`. A file that cannot be moved is the error
    /// `fileMoveFailed`, and is removed.
    ///
    /// The request is sent as it is: headers, authorization and other settings of the manager are not added, and
    /// ``baseURL`` is not used.
    /// - Parameters:
    ///   - request: The request.
    ///   - validation: The rules by which responses are acceptable. Default: status 200 to 299 and any content type.
    ///   - resumes: How often the task goes on by itself when its connection is lost or times out, in all: after 0.25
    ///     seconds, and after twice as long each time that nothing came in between, at most 30. It does so where
    ///     there is something to go on with, as the error's `resumeData` would say; content is then asked for without
    ///     a coding. Default: 0. Without effect with the transport `.foundation` on Linux.
    ///   - progress: Called on ``completionQueue`` as content is written. Default: none.
    ///   - destination: The place of the file; nil leaves it where it is until the completion handler has returned,
    ///     then it is removed. Default: nil.
    ///   - completionHandler: Called once, on ``completionQueue``. A request that cannot be sent is the error
    ///     `invalidURL`, `invalidMethod` or `invalidHeaderField`.
    /// - Returns: The task, suspended.
    public func downloadTask(
        with request: URLRequest,
        validation: ResponseValidation = ResponseValidation(),
        resumes: Int = 0,
        progress: ProgressHandler? = nil,
        destination: DownloadDestination? = nil,
        completionHandler: @escaping @Sendable (DownloadResponse) -> Void
    ) -> DownloadTask {
        downloadTask(.success(request), nil, validation, resumes, progress, destination, completionHandler)
    }

    /// Makes a task that goes on with the part that another download has left.
    ///
    /// If the file on the server, or its part on disk, has changed, the download begins anew. Data of another kind is
    /// the error `invalidResumeData`; with the transport `.foundation` on Linux all is the error `unsupported`.
    ///
    /// A file is moved to its destination only if the response is acceptable; otherwise the task fails, with the
    /// beginning of the file, up to 1 MiB, in the error's `responseData`. A file that cannot be moved is the error
    /// `fileMoveFailed`, and is removed.
    ///
    /// The request is sent as it is: headers, authorization and other settings of the manager are not added, and
    /// ``baseURL`` is not used.
    /// - Parameters:
    ///   - resumeData: The data of ``LarkspurError/resumeData``, ``DownloadTask/cancel(producingResumeData:)`` or
    ///     ``DownloadTask/resumeData``.
    ///   - request: The request; needed where the first one had fields that are secrets, as these are not in resume
    ///     data. Default: nil, which stands for the one that the resume data says. On Apple platforms it is ignored.
    ///   - validation: The rules by which responses are acceptable. Default: status 200 to 299 and any content type.
    ///   - resumes: How often the task goes on by itself when its connection is lost or times out, in all: after 0.25
    ///     seconds, and after twice as long each time that nothing came in between, at most 30. It does so where
    ///     there is something to go on with, as the error's `resumeData` would say; content is then asked for without
    ///     a coding. Default: 0. Without effect with the transport `.foundation` on Linux.
    ///   - progress: Called on ``completionQueue`` as content is written; it begins with the part that is there.
    ///     Default: none.
    ///   - destination: The place of the file; nil leaves it where it is until the completion handler has returned,
    ///     then it is removed. Default: nil.
    ///   - completionHandler: Called once, on ``completionQueue``. A request that cannot be sent is the error
    ///     `invalidURL`, `invalidMethod` or `invalidHeaderField`.
    /// - Returns: The task, suspended.
    public func downloadTask(
        withResumeData resumeData: Data,
        request: URLRequest? = nil,
        validation: ResponseValidation = ResponseValidation(),
        resumes: Int = 0,
        progress: ProgressHandler? = nil,
        destination: DownloadDestination? = nil,
        completionHandler: @escaping @Sendable (DownloadResponse) -> Void
    ) -> DownloadTask {
        let request = request.map(Result<URLRequest, LarkspurError>.success)
        return downloadTask(request, resumeData, validation, resumes, progress, destination, completionHandler)
    }

    /// Makes a task of a request, or of what another task has left, or one that has ended already.
    /// - Parameter request: The request; nil for the one that the resume data says.
    private func downloadTask(
        _ request: Result<URLRequest, LarkspurError>?,
        _ resumeData: Data?,
        _ validation: ResponseValidation,
        _ resumes: Int,
        _ progress: ProgressHandler?,
        _ destination: DownloadDestination?,
        _ completionHandler: @escaping @Sendable (DownloadResponse) -> Void
    ) -> DownloadTask {
        let request = request?.map { resumes > 0 ? $0.withoutCoding : $0 }
        let sent = try? request?.get()
        let (task, delegate) = makeDownload(validation, resumes, sent, progress, destination, completionHandler)
        do throws(LarkspurError) {
            let request = try request?.get()
            try request?.validate()
            if let resumeData {
                try sessions.makeTask(for: delegate, resuming: resumeData, with: request)
            } else if let request {
                try sessions.makeTask(for: delegate, request: request) { $0.downloadTask(with: $1) }
            }
        } catch {
            delegate.complete(with: error.filled(request: sent, response: nil, responseData: nil))
        }
        return task
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
    /// The same for content without a coding, unless it says which it takes: content that is decoded on the way
    /// cannot be resumed, as the next coded byte is not known.
    fileprivate var withoutCoding: URLRequest {
        guard value(forHTTPHeaderField: "Accept-Encoding") == nil else { return self }
        var request = self
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        return request
    }
}
