/// Task factories below the verbs: from requests to tasks, which are created suspended.
///
/// A task that cannot be made (the session has been invalidated, a header field is malformed, the file to upload is missing) is returned all the same, already ended: its completion
/// handler gets the error on the completion queue, and its `urlSessionTask` is nil. A task that is neither resumed nor cancelled is kept until its session is invalidated.
extension SessionManager {
    /// Makes a task that collects the response in memory.
    /// - Parameters:
    ///   - request: The request; its body, if it has one, is sent.
    ///   - serializer: Validates and parses the response. Default: ``responseSerializer``.
    ///   - uploadProgress: Called on the completion queue as the body is sent. Default: none.
    ///   - downloadProgress: Called on the completion queue as content arrives. Default: none.
    ///   - completionHandler: Called once on the completion queue.
    /// - Returns: The task, suspended.
    @discardableResult
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

    /// Makes a task that sends data.
    /// - Parameters:
    ///   - request: The request, without a body.
    ///   - data: The body.
    ///   - serializer: Validates and parses the response. Default: ``responseSerializer``.
    ///   - progress: Called on the completion queue as the body is sent. Default: none.
    ///   - completionHandler: Called once on the completion queue.
    /// - Returns: The task, suspended.
    @discardableResult
    public func uploadTask<Serializer: ResponseSerializer>(
        with request: URLRequest,
        from data: Data,
        serializer: Serializer = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
    ) -> UploadTask {
        uploadTask(with: request, serializer, progress, completionHandler) { $0.uploadTask(with: $1, from: data) }
    }

    /// Makes a task that sends a file.
    /// - Parameters:
    ///   - request: The request, without a body.
    ///   - file: The file, by a `file:` URL. If it is missing, unreadable or no regular file, the task ends with the error `fileUnreadable` and nothing is sent.
    ///   - serializer: Validates and parses the response. Default: ``responseSerializer``.
    ///   - progress: Called on the completion queue as the file is sent. Default: none.
    ///   - completionHandler: Called once on the completion queue.
    /// - Returns: The task, suspended.
    @discardableResult
    public func uploadTask<Serializer: ResponseSerializer>(
        with request: URLRequest,
        fromFile file: URL,
        serializer: Serializer = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
    ) -> UploadTask {
        var error: LarkspurError?
        do { try UploadFile.check(file) } catch let unreadable { error = unreadable }
        return uploadTask(with: request, serializer, progress, completionHandler, error: error) {
            $0.uploadTask(with: $1, fromFile: file.absoluteURL)
        }
    }

    /// Makes a task that sends what a stream delivers.
    /// - Parameters:
    ///   - request: The request. If it has a `Content-Length` field, that counts as the expected length in the progress.
    ///   - bodyStream: Makes the stream, unopened; called anew each time that the body has to be sent. Default: the `httpBodyStream` of the request, which can be sent only once.
    ///   - serializer: Validates and parses the response. Default: ``responseSerializer``.
    ///   - progress: Called on the completion queue as the stream is sent. Default: none.
    ///   - completionHandler: Called once on the completion queue.
    /// - Returns: The task, suspended.
    @discardableResult
    public func uploadTask<Serializer: ResponseSerializer>(
        withStreamedRequest request: URLRequest,
        bodyStream: (@Sendable () -> InputStream?)? = nil,
        serializer: Serializer = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
    ) -> UploadTask {
        uploadTask(with: request, serializer, progress, completionHandler, bodyStream: bodyStream, isStreamed: true) {
            $0.uploadTask(withStreamedRequest: $1)
        }
    }

    // MARK: What they share

    // Specialized, as are those that it calls, for what the verbs use by default: without that each call asks the runtime for its types.
    /// Makes a data task of a request, or one that has ended already because there is none.
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

    private func uploadTask<Serializer: ResponseSerializer>(
        with request: URLRequest,
        _ serializer: Serializer,
        _ progress: ProgressHandler?,
        _ completionHandler: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void,
        bodyStream: (@Sendable () -> InputStream?)? = nil,
        isStreamed: Bool = false,
        error: LarkspurError? = nil,
        make: (URLSession, URLRequest) -> URLSessionTask
    ) -> UploadTask {
        let task = UploadTask(environment: environment, upload: progress, download: nil)
        let delegate = TaskDelegate(
            task: task,
            kind: .upload,
            makeBodyStream: bodyStream,
            isStreamed: isStreamed,
            bodyLength: isStreamed ? request.announcedBodyLength : nil,
            finisher: finisher(for: serializer, handler: completionHandler)
        )
        start(delegate, error.map(Result.failure) ?? .success(request), make: make)
        return task
    }

    /// Gives a task its `URLSessionTask`, or lets it end if that cannot be made.
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

    /// Makes the ending of a task whose response is in memory: validates, serializes, and calls the handler with what became of it.
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

    /// Puts the session manager's serializer in the place of the one that stands for it.
    private func resolved<Serializer: ResponseSerializer>(_ serializer: Serializer) -> Serializer {
        guard let placeholder = serializer as? AnyResponseSerializer, placeholder.isSessionDefault else {
            return serializer
        }
        return AnyResponseSerializer(responseSerializer) as? Serializer ?? serializer
    }
}
