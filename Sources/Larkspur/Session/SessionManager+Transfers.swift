/// Uploads and downloads.
extension SessionManager {
    /// Sends a body with an upload task.
    ///
    ///     manager.upload("backups/1", from: .file(archive), method: .put) { task, object in
    ///         print(object ?? "nothing")
    ///     }
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``, such as `"backups/1"`.
    ///   - body: The content: data, a file, a stream, a sequence, a writer, a form or a value.
    ///   - method: The method. Default: POST.
    ///   - parameters: Names and values of the query, for any method. If the body is a form, they become its first
    ///     parts instead. Default: none.
    ///   - headers: Fields of the upload. They replace fields of ``headers`` with the same name. Default: none.
    ///   - options: Settings of the upload: timeouts, hooks, interceptors, progress and others. Default: the settings
    ///     of the manager.
    ///   - resumable: The protocol and the settings with which the upload continues after a failure:
    ///     ``ResumableUpload/tus`` or ``ResumableUpload/ietf``. The upload continues from the first byte that the
    ///     server lacks. The body must be a value, data, a whole file, or a sequence that can begin at any offset.
    ///     Default: nil, which sends the content in one request.
    ///   - serializer: Validates and parses the response for `success`. Default: ``responseSerializer``.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and could
    ///     be parsed. Default: none.
    ///   - failure: Called on ``completionQueue`` with the task and the error. The task is nil if nothing was sent, for
    ///     example because a file cannot be read (`fileUnreadable`). Default: none.
    /// - Returns: The task, started if it has a handler.
    @discardableResult
    public func upload<S: ResponseSerializer>(
        _ url: any RequestTarget,
        from body: RequestBody,
        method: HTTPMethod = .post,
        parameters: Parameters? = nil,
        headers: HTTPHeaders? = nil,
        options: CallOptions? = nil,
        resumable: ResumableUpload? = nil,
        as serializer: S = AnyResponseSerializer.sessionDefault,
        success: SuccessHandler<S.Output>? = nil,
        failure: FailureHandler? = nil
    ) -> UploadTask {
        let plan = plan(
            RequestDraft(method, url, parameters, body, headers).encoded(by: options),
            isUpload: true,
            resumable
        )
        return perform(plan, handler(serializer, success, failure), options)
    }

    /// Sends a body with an upload task, and decodes the response into a type for `success` with ``jsonDecoder``.
    @discardableResult
    public func upload<T: Decodable & Sendable>(
        _ url: any RequestTarget,
        from body: RequestBody,
        method: HTTPMethod = .post,
        parameters: Parameters? = nil,
        headers: HTTPHeaders? = nil,
        options: CallOptions? = nil,
        resumable: ResumableUpload? = nil,
        as type: T.Type,
        success: SuccessHandler<T>? = nil,
        failure: FailureHandler? = nil
    ) -> UploadTask {
        let plan = plan(
            RequestDraft(method, url, parameters, body, headers).encoded(by: options),
            isUpload: true,
            resumable
        )
        return perform(plan, handler(.decodable(type), success, failure), options)
    }

    /// Downloads a file.
    ///
    /// The file is moved to its destination only if the response is acceptable: by default, if its status is 200 to
    /// 299. Otherwise the task fails, and the error's `responseData` holds the beginning of the file, up to 1 MiB. If
    /// the file cannot be moved, it is removed and the error is `fileMoveFailed`.
    ///
    ///     let file = try await manager.download("report.pdf", to: .folder(downloads)).file
    ///     manager.download("report.pdf", to: .folder(downloads)) { response in
    ///         print(response.fileURL?.path ?? "no file")
    ///     }
    /// - Parameters:
    ///   - url: The URL of the file, or a reference that is resolved against ``baseURL``, such as `"report.pdf"`.
    ///   - method: The method. Default: GET.
    ///   - parameters: Names and values. They become the query for GET, HEAD and DELETE, and the content for other
    ///     methods. Default: none.
    ///   - headers: Fields of the download. They replace fields of ``headers`` with the same name. Default: none.
    ///   - options: Settings of the download: timeouts, hooks, interceptors, progress and others. Default: the
    ///     manager's settings.
    ///   - maximumResumptions: The maximum number of times that the task resumes automatically after its connection is
    ///     lost or times out. The delay before each resumption is random, from 0 to a limit. The first limit is 0.25
    ///     seconds. If no content has arrived since the last delay, the next limit is twice as long, up to 30 seconds.
    ///     If content has arrived, the next limit is 0.25 seconds again. The task does not resume if the error has no
    ///     `resumeData`. If the number is above 0, the request asks the server for content without a content coding.
    ///     The number has no effect with the transport `.foundation` on Linux. Default: 0.
    ///   - resumeData: The resume data of an earlier task, with which the download continues:
    ///     ``LarkspurError/resumeData``, ``DownloadTask/cancel(byProducingResumeData:)`` or
    ///     ``DownloadTask/resumeData``. If the file on the server or the partial file on disk has changed, the download
    ///     starts again from the beginning. If the data is not resume data, the error is `invalidResumeData`. With the
    ///     transport `.foundation` on Linux the error is always `unsupported`. Default: nil, which downloads the file
    ///     from its beginning.
    ///   - destination: The location of the file. If nil, handlers get a temporary file, which is removed when the task
    ///     is released. An `async` function then returns a temporary file that its caller owns. Default: nil.
    ///   - completionHandler: Called once, on ``completionQueue``. If the request cannot be built, the error is
    ///     `invalidURL`, `invalidMethod`, `invalidHeaderField` or `parameterEncodingFailed`. Default: none.
    /// - Returns: The task, started if it has a handler.
    @discardableResult
    public func download(
        _ url: any RequestTarget,
        method: HTTPMethod = .get,
        parameters: Parameters? = nil,
        headers: HTTPHeaders? = nil,
        options: CallOptions? = nil,
        maximumResumptions: Int = 0,
        resumeData: Data? = nil,
        to destination: DownloadDestination? = nil,
        completionHandler: (@Sendable (DownloadResponse) -> Void)? = nil
    ) -> DownloadTask {
        let request = requestResult(RequestDraft(method, url, parameters, nil, headers).encoded(by: options))
        let plan = plan(request, resumeData, maximumResumptions, destination)
        return perform(plan, completionHandler.map { FileHandler($0) }, options)
    }
}
