/// Tasks for requests that the caller has built. The methods have the same names as in `URLSession`.
///
/// The request is sent unchanged: headers, authorization and other settings of the manager are not added, and
/// ``SessionManager/baseURL`` is not used. A task with a `completionHandler` is created suspended, and waits for
/// ``SessionTask/resume()`` as a `URLSessionTask` does. A task without a `completionHandler` starts with its first
/// handler, `await` or sequence.
///
/// Nothing can be sent if the session has been invalidated, a header field is malformed, or the file to upload is
/// missing. A task with a `completionHandler` has then ended already, unless it has interceptors or limits of time. Any
/// other task ends when it starts. Its handler gets the error on the completion queue, and its `urlSessionTask` is nil.
/// A task with a `completionHandler` that is neither resumed nor cancelled may stay in memory until its session is
/// invalidated.
extension SessionManager {
    /// Creates a task that collects the response in memory.
    /// - Parameters:
    ///   - request: The request, which is sent unchanged with its body, if it has one.
    ///   - options: Settings of the task: timeouts, hooks, interceptors, progress and others. Default: the manager's
    ///     settings.
    ///   - serializer: Validates and parses the response for the handler. Default: ``responseSerializer``.
    ///   - completionHandler: Called once, on ``completionQueue``. If the request cannot be sent, the error is
    ///     `invalidURL`, `invalidMethod` or `invalidHeaderField`. Default: none.
    /// - Returns: The task, not started.
    public func dataTask<S: ResponseSerializer>(
        with request: URLRequest,
        options: CallOptions? = nil,
        as serializer: S = AnyResponseSerializer.sessionDefault,
        completionHandler: (@Sendable (DataResponse<S.Output>) -> Void)? = nil
    ) -> DataTask {
        task(CallPlan(template: .data, request: .success(request)), options, serializer, completionHandler)
    }

    /// Creates a task that sends a body with a request.
    /// - Parameters:
    ///   - request: The request. If it has no `Content-Type`, it gets the body's type. If it has a `Content-Length` and
    ///     the body is a stream, the progress shows this value as the expected length.
    ///   - body: The content that replaces the request's own body. Default: nil, which sends the `httpBody` of the
    ///     request or its `httpBodyStream`. That stream can be sent only once.
    ///   - options: Settings of the upload: timeouts, hooks, interceptors, progress and others. Default: the manager's
    ///     settings.
    ///   - resumable: The protocol and the settings of a resumable upload. After a failure, the upload continues from
    ///     the first byte that the server lacks. The body must be a value, data, a whole file, or a sequence that can
    ///     begin at any offset. Default: nil, which sends the content in one request.
    ///   - serializer: Validates and parses the response for the handler. Default: ``responseSerializer``.
    ///   - completionHandler: Called once, on ``completionQueue``. If the request cannot be sent, the error is
    ///     `invalidURL`, `invalidMethod` or `invalidHeaderField`. If a file cannot be read, the error is
    ///     `fileUnreadable`. Default: none.
    /// - Returns: The task, not started.
    public func uploadTask<S: ResponseSerializer>(
        with request: URLRequest,
        from body: RequestBody? = nil,
        options: CallOptions? = nil,
        resumable: ResumableUpload? = nil,
        as serializer: S = AnyResponseSerializer.sessionDefault,
        completionHandler: (@Sendable (DataResponse<S.Output>) -> Void)? = nil
    ) -> UploadTask {
        task(plan(request, body, resumable), options, serializer, completionHandler)
    }

    /// Creates a task that downloads a file.
    /// - Parameters:
    ///   - request: The request, which is sent unchanged.
    ///   - options: Settings of the download: timeouts, hooks, interceptors, progress and others. Default: the
    ///     manager's settings.
    ///   - maximumResumptions: The maximum number of times that the task resumes automatically; see
    ///     ``download(_:method:parameters:headers:options:maximumResumptions:resumeData:to:completionHandler:)``.
    ///     Default: 0.
    ///   - destination: The location of the file. Default: nil, for a temporary file that is removed when the task is
    ///     released.
    ///   - completionHandler: Called once, on ``completionQueue``. Default: none.
    /// - Returns: The task, not started.
    public func downloadTask(
        with request: URLRequest,
        options: CallOptions? = nil,
        maximumResumptions: Int = 0,
        to destination: DownloadDestination? = nil,
        completionHandler: (@Sendable (DownloadResponse) -> Void)? = nil
    ) -> DownloadTask {
        task(plan(.success(request), nil, maximumResumptions, destination), options, completionHandler)
    }

    /// Creates a task that continues a download.
    /// - Parameters:
    ///   - resumeData: The resume data of an earlier task: ``LarkspurError/resumeData``,
    ///     ``DownloadTask/cancel(byProducingResumeData:)`` or ``DownloadTask/resumeData``. If the data is not resume
    ///     data, the error is `invalidResumeData`. With the transport `.foundation` on Linux the error is always
    ///     `unsupported`.
    ///   - request: The request for the rest of the file, such as a request with a new token. Default: nil, which sends
    ///     the request of the earlier task.
    ///   - options: Settings of the resumed download, as in
    ///     ``downloadTask(with:options:maximumResumptions:to:completionHandler:)``. Default: those of the session
    ///     manager.
    ///   - maximumResumptions: The maximum number of times that the task resumes automatically; see
    ///     ``download(_:method:parameters:headers:options:maximumResumptions:resumeData:to:completionHandler:)``.
    ///     Default: 0.
    ///   - destination: The location of the file. Default: nil, for a temporary file that is removed when the task is
    ///     released.
    ///   - completionHandler: Called once, on ``completionQueue``. Default: none.
    /// - Returns: The task, not started.
    public func downloadTask(
        withResumeData resumeData: Data,
        request: URLRequest? = nil,
        options: CallOptions? = nil,
        maximumResumptions: Int = 0,
        to destination: DownloadDestination? = nil,
        completionHandler: (@Sendable (DownloadResponse) -> Void)? = nil
    ) -> DownloadTask {
        let request = request.map(Result<URLRequest, LarkspurError>.success)
        return task(plan(request, resumeData, maximumResumptions, destination), options, completionHandler)
    }

    // MARK: Common parts

    private func task<S: ResponseSerializer, T: DataTask>(
        _ plan: CallPlan,
        _ options: CallOptions?,
        _ serializer: S,
        _ completionHandler: (@Sendable (DataResponse<S.Output>) -> Void)?
    ) -> T {
        guard let completionHandler else { return chain(plan, options) }
        return makeTask(plan, ContentHandler(resolved(serializer)) { completionHandler($1) }, options)
    }

    private func task(
        _ plan: CallPlan,
        _ options: CallOptions?,
        _ completionHandler: (@Sendable (DownloadResponse) -> Void)?
    ) -> DownloadTask {
        guard let completionHandler else { return chain(plan, options) }
        return makeTask(plan, FileHandler(completionHandler), options)
    }

    /// Creates a task that starts with its first handler.
    func chain<T: SessionTask>(_ plan: CallPlan, _ options: CallOptions? = nil) -> T {
        var plan = plan
        plan.chain = CallPlan.Chain(jsonDecoder: jsonDecoder, serializer: AnyResponseSerializer(responseSerializer))
        return makeTask(plan, nil, options)
    }

    /// Creates a task. If its request could not be built, the task has ended already, or ends when it starts if its
    /// transfer is created then.
    func makeTask<T: SessionTask>(_ plan: CallPlan, _ handler: CallHandler?, _ options: CallOptions? = nil) -> T {
        let plan = options?.applied(to: plan) ?? plan
        let environment = environment
        let task = T(environment: environment, plan, handler, observers: observing.value, options: options)
        // If interceptors, limits or a deadline take part, the transfer is created when the task starts, because
        // interceptors decide about the request. Without them, the transfer is created now, which costs less.
        if plan.isLaunchedLate || environment.launchesLate || task.deadline != nil || options?.launchesLate == true {
            // An observer may cancel or resume the task as soon as it gets the event, so the launcher is set before.
            task.launchLater(by: self)
            task.note(.created, .request(plan.urlRequest))
        } else {
            // The event precedes the transfer, because the end of the transfer is an event, too.
            task.note(.created, .request(plan.urlRequest))
            start(task, plan.template, plan.request, isValid: plan.isValid, .call)
            // An observer may have resumed or cancelled the task before there was a transfer.
            if task.observation != nil { task.applyState() }
        }
        return task
    }

    /// Returns the serializer with the manager's settings in place of placeholders.
    @_specialize(where S == AnyResponseSerializer)
    @_specialize(where S == DataResponseSerializer)
    @_specialize(where S == StringResponseSerializer)
    func resolved<S: ResponseSerializer>(_ serializer: S) -> S {
        // These serializers need nothing from the manager. Comparing types takes less time than the casts below.
        if S.self == DataResponseSerializer.self || S.self == StringResponseSerializer.self { return serializer }
        if let placeholder = serializer as? AnyResponseSerializer {
            return placeholder.isSessionDefault
                ? AnyResponseSerializer(responseSerializer) as? S ?? serializer : serializer
        }
        return serializer.decoding(with: jsonDecoder)
    }
}
