/// The task factories that the calls use. They create suspended tasks from requests.
///
/// If a task cannot be created (the session has been invalidated, a header field is malformed, the file to upload is
/// missing), the factory returns a task that has ended already. Its completion handler gets the error on the completion
/// queue, and its `urlSessionTask` is nil. A task that is neither resumed nor cancelled stays in memory until its
/// session is invalidated.
extension SessionManager {
    /// Creates a task that collects the response in memory.
    ///
    /// The request is sent unchanged: headers, authorization and other settings of the manager are not added, and
    /// ``baseURL`` is not used.
    /// - Parameters:
    ///   - request: The request; its body, if it has one, is sent.
    ///   - serializer: Validates and parses the response, on ``processingQueue``. Default: ``responseSerializer``.
    ///   - uploadProgress: Called on ``completionQueue`` as the content of the request is sent. Default: none.
    ///   - downloadProgress: Called on ``completionQueue`` as the content of the response arrives. Default: none.
    ///   - completionHandler: Called once, on ``completionQueue``. A request that cannot be sent is the error
    ///     `invalidURL`, `invalidMethod` or `invalidHeaderField`.
    /// - Returns: The task, suspended.
    public func dataTask<Serializer: ResponseSerializer>(
        with request: URLRequest,
        serializer: Serializer = AnyResponseSerializer.sessionDefault,
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
    ) -> DataTask {
        let plan = CallPlan(template: .data, request: .success(request))
        return dataTask(plan, serializer, upload: uploadProgress, download: downloadProgress) { completionHandler($1) }
    }

    /// Creates a task that sends data.
    ///
    /// The request is sent unchanged: headers, authorization and other settings of the manager are not added, and
    /// ``baseURL`` is not used.
    /// - Parameters:
    ///   - request: The request, without a body.
    ///   - data: The content.
    ///   - resumable: The protocol by which the upload continues after a failure from where the server is, and its
    ///     settings. Default: nil, which sends the content in one request.
    ///   - serializer: Validates and parses the response, on ``processingQueue``. Default: ``responseSerializer``.
    ///   - progress: Called on ``completionQueue`` as the content of the request is sent. Default: none.
    ///   - completionHandler: Called once, on ``completionQueue``. A request that cannot be sent is the error
    ///     `invalidURL`, `invalidMethod` or `invalidHeaderField`.
    /// - Returns: The task, suspended.
    public func uploadTask<Serializer: ResponseSerializer>(
        with request: URLRequest,
        from data: Data,
        resumable: ResumableUpload? = nil,
        serializer: Serializer = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
    ) -> UploadTask {
        uploadTask(with: .success(request), .data(data), resumable, serializer, progress) { completionHandler($1) }
    }

    /// Creates a task that sends a file.
    ///
    /// The request is sent unchanged: headers, authorization and other settings of the manager are not added, and
    /// ``baseURL`` is not used.
    /// - Parameters:
    ///   - request: The request, without a body.
    ///   - file: The file, as a `file:` URL. If it is missing, unreadable or not a regular file, the task ends with the
    ///     error `fileUnreadable` and nothing is sent.
    ///   - resumable: The protocol by which the upload continues after a failure from where the server is, and its
    ///     settings. Default: nil, which sends the content in one request.
    ///   - serializer: Validates and parses the response, on ``processingQueue``. Default: ``responseSerializer``.
    ///   - progress: Called on ``completionQueue`` as the content of the request is sent. Default: none.
    ///   - completionHandler: Called once, on ``completionQueue``. A request that cannot be sent is the error
    ///     `invalidURL`, `invalidMethod` or `invalidHeaderField`.
    /// - Returns: The task, suspended.
    public func uploadTask<Serializer: ResponseSerializer>(
        with request: URLRequest,
        fromFile file: URL,
        resumable: ResumableUpload? = nil,
        serializer: Serializer = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
    ) -> UploadTask {
        uploadTask(with: .success(request), .file(file), resumable, serializer, progress) { completionHandler($1) }
    }

    /// Creates a task that sends the bytes of a stream.
    ///
    /// The request is sent unchanged: headers, authorization and other settings of the manager are not added, and
    /// ``baseURL`` is not used.
    /// - Parameters:
    ///   - request: The request. Its `Content-Length` field, if it has one, is the expected length in the progress.
    ///   - bodyStream: Creates the stream, unopened. Called each time that the content has to be sent. Default: nil,
    ///     which stands for the `httpBodyStream` of the request; that stream can be sent only once.
    ///   - serializer: Validates and parses the response, on ``processingQueue``. Default: ``responseSerializer``.
    ///   - progress: Called on ``completionQueue`` as the content of the request is sent. Default: none.
    ///   - completionHandler: Called once, on ``completionQueue``. A request that cannot be sent is the error
    ///     `invalidURL`, `invalidMethod` or `invalidHeaderField`.
    /// - Returns: The task, suspended.
    public func uploadTask<Serializer: ResponseSerializer>(
        withStreamedRequest request: URLRequest,
        bodyStream: (@Sendable () -> InputStream?)? = nil,
        serializer: Serializer = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
    ) -> UploadTask {
        uploadTask(
            with: .success(request),
            .stream(length: request.announcedBodyLength, bodyStream),
            nil,
            serializer,
            progress
        ) { completionHandler($1) }
    }

    // MARK: Common parts

    // The method and those that it calls are specialized for the serializer that the verbs use by default. Otherwise
    // each call would look up its types at run time.
    /// Creates a data task, or, if its request could not be built, a task that has ended already.
    @_specialize(where Serializer == AnyResponseSerializer)
    @_specialize(where Serializer == DataResponseSerializer)
    @_specialize(where Serializer == StringResponseSerializer)
    func dataTask<Serializer: ResponseSerializer>(
        _ plan: CallPlan,
        _ serializer: Serializer,
        upload: ProgressHandler?,
        download: ProgressHandler?,
        handler: @escaping @Sendable (DataTask, DataResponse<Serializer.Output>) -> Void
    ) -> DataTask {
        makeTask(plan, self.handler(serializer, handler), upload: upload, download: download)
    }

    /// Creates an upload task from a request, or, if the request could not be built, a task that has ended already.
    func uploadTask<Serializer: ResponseSerializer>(
        with request: Result<URLRequest, LarkspurError>,
        _ source: UploadContent.Source,
        _ resumable: ResumableUpload? = nil,
        _ serializer: Serializer,
        _ progress: ProgressHandler?,
        _ handler: @escaping @Sendable (UploadTask, DataResponse<Serializer.Output>) -> Void
    ) -> UploadTask {
        let (template, request) = source.template(for: request, resumable)
        let plan = CallPlan(template: template, request: request)
        return makeTask(plan, self.handler(serializer, handler), upload: progress)
    }

    /// Creates a task, and its transfer unless the call is launched later.
    /// - Parameters:
    ///   - plan: The call.
    ///   - handler: The handler of a task that takes no others; nil for a call that takes handlers.
    func makeTask<T: SessionTask>(
        _ plan: CallPlan,
        _ handler: CallHandler?,
        upload: ProgressHandler? = nil,
        download: ProgressHandler? = nil
    ) -> T {
        let environment = environment
        let task = T(
            environment: environment,
            plan,
            handler,
            observers: observing.value,
            upload: upload,
            download: download
        )
        task.note(.created, .request(plan.urlRequest))
        // Interceptors decide about the request when the task starts.
        if plan.isLaunchedLate || environment.launchesLate || task.deadline != nil {
            task.launchLater(by: self)
        } else {
            start(task, plan.template, plan.request, isValid: plan.isValid, .call)
        }
        return task
    }

    /// Returns the handler of a task that takes no others.
    @_specialize(where Serializer == AnyResponseSerializer, T == DataTask)
    @_specialize(where Serializer == DataResponseSerializer, T == DataTask)
    @_specialize(where Serializer == StringResponseSerializer, T == DataTask)
    func handler<Serializer: ResponseSerializer, T: SessionTask>(
        _ serializer: Serializer,
        _ body: @escaping @Sendable (T, DataResponse<Serializer.Output>) -> Void
    ) -> CallHandler {
        ContentHandler(resolved(serializer)) { if let task = $0 as? T { body(task, $1) } }
    }

    /// Replaces the placeholder ``AnyResponseSerializer/sessionDefault`` with the session manager's serializer.
    func resolved<Serializer: ResponseSerializer>(_ serializer: Serializer) -> Serializer {
        guard let placeholder = serializer as? AnyResponseSerializer, placeholder.isSessionDefault else {
            return serializer
        }
        return AnyResponseSerializer(responseSerializer) as? Serializer ?? serializer
    }
}
