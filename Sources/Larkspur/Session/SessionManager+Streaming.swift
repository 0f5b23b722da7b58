/// Streams: a call that takes a URL string, and the task factory that it uses.
extension SessionManager {
    /// Delivers the content of a response in pieces as it arrives, and stores none of it, so that its length is not
    /// limited by the memory.
    ///
    /// The content of a response that is not acceptable is not delivered: the task fails, and the error's
    /// `responseData` holds the beginning of the content, up to 1 MiB. ``maximumContentSize`` does not apply.
    ///
    /// With the transport `.curl` no more than about 1 MiB is buffered for `onContent`: if the closure is slow, the
    /// server has to wait. With `.foundation` on Linux all content that has arrived is buffered in memory. There, a
    /// task that is suspended in mid-content and resumed fails with the error `connectionLost` if its transfer begins
    /// again.
    ///
    /// The call starts the task and returns it.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - method: The method. Default: GET.
    ///   - parameters: Names and values that the request serializer writes. They become the query for GET, HEAD and
    ///     DELETE and if there is a `body`, otherwise the content. Default: none.
    ///   - body: A value that becomes the content of the request. It is encoded before the method returns. Default:
    ///     none.
    ///   - encoder: The encoder of `body`, which also names its `Content-Type`. Default: ``jsonEncoder``.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - validation: The rules by which responses are acceptable. Default: status 200 to 299 and any content type.
    ///   - uploadProgress: Called on ``completionQueue`` as the content of the request is sent. Default: none.
    ///   - downloadProgress: Called on ``completionQueue`` as the content of the response arrives. Default: none.
    ///   - onContent: Called on ``completionQueue`` with each piece of content, in order, before the completion
    ///     handler. It is no longer called once the task is cancelled.
    ///   - completionHandler: Called once, on ``completionQueue``. It gets the number of bytes that were delivered; the
    ///     response's `data` is empty. A request that cannot be built is the error `invalidURL`, `invalidMethod`,
    ///     `invalidHeaderField` or `parameterEncodingFailed`.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func stream(
        _ url: any RequestTarget,
        method: HTTPMethod = .get,
        parameters: [String: Any]? = nil,
        body: (any Encodable)? = nil,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        validation: ResponseValidation = ResponseValidation(),
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil,
        onContent: @escaping @Sendable (DataTask, Data) -> Void,
        completionHandler: @escaping @Sendable (DataResponse<Int64>) -> Void
    ) -> DataTask {
        let content = self.content(body, encoder)
        let request = requestResult(method, url, parameters, content, headers)
        let task = streamingTask(request, validation, uploadProgress, downloadProgress, onContent, completionHandler)
        task.start(with: hooks)
        return task
    }

    /// Creates a task that delivers the content of a response in pieces as it arrives, and stores none of it, so that
    /// its length is not limited by the memory.
    ///
    /// The content of a response that is not acceptable is not delivered: the task fails, and the error's
    /// `responseData` holds the beginning of the content, up to 1 MiB. ``maximumContentSize`` does not apply.
    ///
    /// With the transport `.curl` no more than about 1 MiB is buffered for `onContent`: if the closure is slow, the
    /// server has to wait. With `.foundation` on Linux all content that has arrived is buffered in memory. There, a
    /// task that is suspended in mid-content and resumed fails with the error `connectionLost` if its transfer begins
    /// again.
    ///
    /// The request is sent unchanged: headers, authorization and other settings of the manager are not added, and
    /// ``baseURL`` is not used.
    /// - Parameters:
    ///   - request: The request; its body, if it has one, is sent.
    ///   - validation: The rules by which responses are acceptable. Default: status 200 to 299 and any content type.
    ///   - uploadProgress: Called on ``completionQueue`` as the content of the request is sent. Default: none.
    ///   - downloadProgress: Called on ``completionQueue`` as the content of the response arrives. Default: none.
    ///   - onContent: Called on ``completionQueue`` with each piece of content, in order, before the completion
    ///     handler. It is no longer called once the task is cancelled.
    ///   - completionHandler: Called once, on ``completionQueue``. It gets the number of bytes that were delivered; the
    ///     response's `data` is empty. A request that cannot be sent is the error `invalidURL`, `invalidMethod` or
    ///     `invalidHeaderField`.
    /// - Returns: The task, suspended.
    public func streamingTask(
        with request: URLRequest,
        validation: ResponseValidation = ResponseValidation(),
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil,
        onContent: @escaping @Sendable (DataTask, Data) -> Void,
        completionHandler: @escaping @Sendable (DataResponse<Int64>) -> Void
    ) -> DataTask {
        streamingTask(.success(request), validation, uploadProgress, downloadProgress, onContent, completionHandler)
    }

    private func streamingTask(
        _ request: Result<URLRequest, LarkspurError>,
        _ validation: ResponseValidation,
        _ uploadProgress: ProgressHandler?,
        _ downloadProgress: ProgressHandler?,
        _ onContent: @escaping @Sendable (DataTask, Data) -> Void,
        _ completionHandler: @escaping @Sendable (DataResponse<Int64>) -> Void
    ) -> DataTask {
        let stream = ContentStream(validation: { validation }, consumer: .handler(onContent))
        var template = TransferTemplate.data
        template.stream = stream
        let plan = CallPlan(template: template, request: request)
        let handler = CountHandler(completionHandler)
        return makeTask(plan, handler, upload: uploadProgress, download: downloadProgress)
    }
}
