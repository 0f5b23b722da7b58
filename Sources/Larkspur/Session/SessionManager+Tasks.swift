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
        dataTask(for: .success(request), serializer: serializer, upload: uploadProgress, download: downloadProgress) {
            _,
            response in
            completionHandler(response)
        }
    }

    /// Creates a task that sends data.
    ///
    /// The request is sent unchanged: headers, authorization and other settings of the manager are not added, and
    /// ``baseURL`` is not used.
    /// - Parameters:
    ///   - request: The request, without a body.
    ///   - data: The content.
    ///   - serializer: Validates and parses the response, on ``processingQueue``. Default: ``responseSerializer``.
    ///   - progress: Called on ``completionQueue`` as the content of the request is sent. Default: none.
    ///   - completionHandler: Called once, on ``completionQueue``. A request that cannot be sent is the error
    ///     `invalidURL`, `invalidMethod` or `invalidHeaderField`.
    /// - Returns: The task, suspended.
    public func uploadTask<Serializer: ResponseSerializer>(
        with request: URLRequest,
        from data: Data,
        serializer: Serializer = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
    ) -> UploadTask {
        uploadTask(with: .success(request), .data(data), serializer, progress) { completionHandler($1) }
    }

    /// Creates a task that sends a file.
    ///
    /// The request is sent unchanged: headers, authorization and other settings of the manager are not added, and
    /// ``baseURL`` is not used.
    /// - Parameters:
    ///   - request: The request, without a body.
    ///   - file: The file, as a `file:` URL. If it is missing, unreadable or not a regular file, the task ends with the
    ///     error `fileUnreadable` and nothing is sent.
    ///   - serializer: Validates and parses the response, on ``processingQueue``. Default: ``responseSerializer``.
    ///   - progress: Called on ``completionQueue`` as the content of the request is sent. Default: none.
    ///   - completionHandler: Called once, on ``completionQueue``. A request that cannot be sent is the error
    ///     `invalidURL`, `invalidMethod` or `invalidHeaderField`.
    /// - Returns: The task, suspended.
    public func uploadTask<Serializer: ResponseSerializer>(
        with request: URLRequest,
        fromFile file: URL,
        serializer: Serializer = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
    ) -> UploadTask {
        uploadTask(with: .success(request), .file(file), serializer, progress) { completionHandler($1) }
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
        streamedUploadTask(with: .success(request), bodyStream, serializer, progress) { completionHandler($1) }
    }

    // MARK: Common parts

    // The method and those that it calls are specialized for the serializer that the verbs use by default. Otherwise
    // each call would look up its types at run time.
    /// Creates a data task from a request, or, if the request could not be built, a task that has ended already.
    @_specialize(where Serializer == AnyResponseSerializer)
    func dataTask<Serializer: ResponseSerializer>(
        for request: Result<URLRequest, LarkspurError>,
        serializer: Serializer,
        upload: ProgressHandler?,
        download: ProgressHandler?,
        handler: @escaping @Sendable (DataTask, DataResponse<Serializer.Output>) -> Void
    ) -> DataTask {
        let task = DataTask(environment: environment, upload: upload, download: download)
        let delegate = TaskDelegate(
            task: task,
            kind: .data,
            finisher: finisher(for: serializer) { handler(task, $0) }
        )
        start(delegate, request) { $0.dataTask(with: $1) }
        return task
    }

    /// Creates an upload task from a request, or, if the request could not be built, a task that has ended already.
    func uploadTask<Serializer: ResponseSerializer>(
        with request: Result<URLRequest, LarkspurError>,
        _ source: UploadContent.Source,
        _ serializer: Serializer,
        _ progress: ProgressHandler?,
        _ handler: @escaping @Sendable (UploadTask, DataResponse<Serializer.Output>) -> Void
    ) -> UploadTask {
        if case .stream(_, let makeStream) = source {
            return streamedUploadTask(with: request, makeStream, serializer, progress, handler)
        }
        let task = UploadTask(environment: environment, upload: progress, download: nil)
        let delegate = TaskDelegate(
            task: task,
            kind: .upload,
            finisher: finisher(for: serializer) { handler(task, $0) }
        )
        switch source {
        case .data(let data): start(delegate, request) { $0.uploadTask(with: $1, from: data) }
        case .file(let file):
            var request = request
            do { try UploadFile.check(file) } catch { request = .failure(error) }
            start(delegate, request) { $0.uploadTask(with: $1, fromFile: file.absoluteURL) }
        case .stream: break
        }
        return task
    }

    private func streamedUploadTask<Serializer: ResponseSerializer>(
        with request: Result<URLRequest, LarkspurError>,
        _ makeStream: (@Sendable () -> InputStream?)?,
        _ serializer: Serializer,
        _ progress: ProgressHandler?,
        _ handler: @escaping @Sendable (UploadTask, DataResponse<Serializer.Output>) -> Void
    ) -> UploadTask {
        let task = UploadTask(environment: environment, upload: progress, download: nil)
        let delegate = TaskDelegate(
            task: task,
            kind: .upload,
            makeBodyStream: makeStream,
            isStreamed: true,
            bodyLength: (try? request.get())?.announcedBodyLength,
            finisher: finisher(for: serializer) { handler(task, $0) }
        )
        start(delegate, request) { $0.uploadTask(withStreamedRequest: $1) }
        return task
    }

    /// Creates the `URLSessionTask` of a task, or ends the task if that fails.
    func start(
        _ delegate: TaskDelegate,
        _ request: Result<URLRequest, LarkspurError>,
        make: (URLSession, URLRequest) -> URLSessionTask
    ) {
        do {
            let request = try request.get()
            try request.validate()
            try sessions.makeTask(for: delegate, request: request, make: make)
        } catch {
            delegate.complete(with: error.filled(request: try? request.get(), response: nil, responseData: nil))
        }
    }

    /// Returns the closure that ends a task whose response is in memory. It validates and serializes the response, and
    /// calls the handler with the result.
    @_specialize(where Serializer == AnyResponseSerializer)
    func finisher<Serializer: ResponseSerializer>(
        for serializer: Serializer,
        handler: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
    ) -> TaskDelegate.Finisher {
        let serializer = resolved(serializer)
        return { result, task in
            let outcome: Transferred<Result<Serializer.Output, LarkspurError>>
            if let error = result.error {
                outcome = Transferred(.failure(error))
            } else {
                outcome = Transferred(
                    ResponsePipeline.run(
                        serializer,
                        request: result.request,
                        response: result.response,
                        data: result.data
                    )
                )
            }
            let timeline = task.markSerialized()
            return TaskEnding(
                completion: TaskCompletion(
                    serializer: serializer,
                    data: result.response == nil ? nil : result.data,
                    error: outcome.value.failure,
                    fileURL: nil,
                    timeline: timeline,
                    serialized: { outcome.compactMap { (try? $0.get()).flatMap { unwrapped($0) } } }
                ),
                deliver: {
                    handler(
                        DataResponse(
                            request: result.request,
                            response: result.response,
                            data: result.data,
                            timeline: timeline,
                            result: outcome.value
                        )
                    )
                }
            )
        }
    }

    /// Replaces the placeholder ``AnyResponseSerializer/sessionDefault`` with the session manager's serializer.
    private func resolved<Serializer: ResponseSerializer>(_ serializer: Serializer) -> Serializer {
        guard let placeholder = serializer as? AnyResponseSerializer, placeholder.isSessionDefault else {
            return serializer
        }
        return AnyResponseSerializer(responseSerializer) as? Serializer ?? serializer
    }
}
