/// Downloads: calls that take a URL string, and the task factories that they use.
extension SessionManager {
    /// Downloads a file.
    ///
    /// The file is moved to its destination only if the response is acceptable. Otherwise the task fails, and the
    /// error's `responseData` holds the beginning of the file, up to 1 MiB. If the file cannot be moved, it is removed
    /// and the error is `fileMoveFailed`.
    ///
    ///     manager.download("report.pdf", to: .folder(downloads)) { response in
    ///         print(response.fileURL?.path ?? "no file")
    ///     }
    ///
    /// The call starts the task and returns it.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - method: The method. Default: GET.
    ///   - parameters: Names and values that the request serializer writes. They become the query for GET, HEAD and
    ///     DELETE, otherwise the content. Default: none.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - validation: The rules by which responses are acceptable. Default: status 200 to 299 and any content type.
    ///   - resumes: The maximum number of times that the task resumes automatically after its connection is lost or
    ///     times out. The first delay is 0.25 seconds. It doubles, up to 30 seconds, each time that no content arrived
    ///     in between; after content has arrived it is 0.25 seconds again. The task resumes only if the error would
    ///     have `resumeData`. With a limit above 0 the request asks for content without a content coding. Default: 0.
    ///     Without effect with the transport `.foundation` on Linux.
    ///   - resumeData: The resume data of an earlier task, with which the download continues:
    ///     ``LarkspurError/resumeData``, ``DownloadTask/cancel(producingResumeData:)`` or ``DownloadTask/resumeData``.
    ///     If the file on the server, or its part on disk, has changed, the download starts over. Other data is the
    ///     error `invalidResumeData`. With the transport `.foundation` on Linux any resume data is the error
    ///     `unsupported`. Default: nil, which downloads the file from its beginning.
    ///   - progress: Called on ``completionQueue`` as content is written to the file. Default: none.
    ///   - destination: The location of the file. If nil, the file stays where it is until the completion handler has
    ///     returned; then it is removed. Default: nil.
    ///   - completionHandler: Called once, on ``completionQueue``. A request that cannot be built is the error
    ///     `invalidURL`, `invalidMethod`, `invalidHeaderField` or `parameterEncodingFailed`.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func download(
        _ url: any RequestTarget,
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

    /// Creates a task that writes the response to a file.
    ///
    /// The file is moved to its destination only if the response is acceptable. Otherwise the task fails, and the
    /// error's `responseData` holds the beginning of the file, up to 1 MiB. If the file cannot be moved, it is removed
    /// and the error is `fileMoveFailed`.
    ///
    /// The request is sent unchanged: headers, authorization and other settings of the manager are not added, and
    /// ``baseURL`` is not used.
    /// - Parameters:
    ///   - request: The request.
    ///   - validation: The rules by which responses are acceptable. Default: status 200 to 299 and any content type.
    ///   - resumes: The maximum number of times that the task resumes automatically after its connection is lost or
    ///     times out. The first delay is 0.25 seconds. It doubles, up to 30 seconds, each time that no content arrived
    ///     in between; after content has arrived it is 0.25 seconds again. The task resumes only if the error would
    ///     have `resumeData`. With a limit above 0 the request asks for content without a content coding. Default: 0.
    ///     Without effect with the transport `.foundation` on Linux.
    ///   - progress: Called on ``completionQueue`` as content is written to the file. Default: none.
    ///   - destination: The location of the file. If nil, the file stays where it is until the completion handler has
    ///     returned; then it is removed. Default: nil.
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

    /// Creates a task that continues a download from the part that another download has left.
    ///
    /// If the file on the server, or its part on disk, has changed, the download starts over. Other data is the error
    /// `invalidResumeData`. With the transport `.foundation` on Linux any resume data is the error `unsupported`.
    ///
    /// The file is moved to its destination only if the response is acceptable. Otherwise the task fails, and the
    /// error's `responseData` holds the beginning of the file, up to 1 MiB. If the file cannot be moved, it is removed
    /// and the error is `fileMoveFailed`.
    ///
    /// The request is sent unchanged: headers, authorization and other settings of the manager are not added, and
    /// ``baseURL`` is not used.
    /// - Parameters:
    ///   - resumeData: The resume data from ``LarkspurError/resumeData``, ``DownloadTask/cancel(producingResumeData:)``
    ///     or ``DownloadTask/resumeData``.
    ///   - request: The request. It is needed if the original request had fields that are secrets, because resume data
    ///     does not hold these. Default: nil, which stands for the request in the resume data. On Apple platforms it is
    ///     ignored.
    ///   - validation: The rules by which responses are acceptable. Default: status 200 to 299 and any content type.
    ///   - resumes: The maximum number of times that the task resumes automatically after its connection is lost or
    ///     times out. The first delay is 0.25 seconds. It doubles, up to 30 seconds, each time that no content arrived
    ///     in between; after content has arrived it is 0.25 seconds again. The task resumes only if the error would
    ///     have `resumeData`. With a limit above 0 the request asks for content without a content coding. Default: 0.
    ///     Without effect with the transport `.foundation` on Linux.
    ///   - progress: Called on ``completionQueue`` as content is written to the file. The counts include the part that
    ///     exists already. Default: none.
    ///   - destination: The location of the file. If nil, the file stays where it is until the completion handler has
    ///     returned; then it is removed. Default: nil.
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

    /// Creates a task from a request or from resume data, or, if the request could not be built, a task that has ended
    /// already.
    /// - Parameter request: The request; nil for the one in the resume data.
    private func downloadTask(
        _ request: Result<URLRequest, LarkspurError>?,
        _ resumeData: Data?,
        _ validation: ResponseValidation,
        _ resumes: Int,
        _ progress: ProgressHandler?,
        _ destination: DownloadDestination?,
        _ completionHandler: @escaping @Sendable (DownloadResponse) -> Void
    ) -> DownloadTask {
        let plan = downloadPlan(request, resumeData, resumes, validation, destination)
        return makeTask(plan, FileHandler(completionHandler), download: progress)
    }
    /// Returns the plan of a download.
    func downloadPlan(
        _ request: Result<URLRequest, LarkspurError>?,
        _ resumeData: Data?,
        _ resumes: Int,
        _ validation: ResponseValidation,
        _ destination: DownloadDestination?
    ) -> CallPlan {
        var template = TransferTemplate.download
        template.resumeData = resumeData
        if resumes > 0 { template.resumption = DownloadResumption(limit: resumes) }
        let finisher = DownloadFinisher(validation: validation, destination: destination, hooks: sessions.hooks)
        // A part of coded content cannot be decoded alone.
        let request = request?.map { resumes > 0 ? $0.withoutCoding : $0 }
        return CallPlan(template: template, request: request, download: finisher)
    }
}

extension URLRequest {
    /// The same request, which asks for content without a content coding unless it has an `Accept-Encoding` field of
    /// its own. A download that is decoded as it arrives cannot be resumed, because the offset of the next coded byte
    /// is not known.
    fileprivate var withoutCoding: URLRequest {
        guard value(forHTTPHeaderField: "Accept-Encoding") == nil else { return self }
        var request = self
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        return request
    }
}
