/// Tasks of requests that the caller has built, named as in `URLSession`.
///
/// The request is sent unchanged: headers, authorization and other settings of the manager are not added, and
/// ``SessionManager/baseURL`` is not used. A task with a `completionHandler` is made at once, suspended, and waits for
/// ``SessionTask/resume()`` as a `URLSessionTask` does; one without starts with its first handler, `await` or sequence.
///
/// If a task cannot be created (the session has been invalidated, a header field is malformed, the file to upload is
/// missing), the method returns a task that has ended already. Its completion handler gets the error on the completion
/// queue, and its `urlSessionTask` is nil. A task that is neither resumed nor cancelled stays in memory until its
/// session is invalidated.
extension SessionManager {
    /// Creates a task that collects the response in memory.
    /// - Parameters:
    ///   - request: The request, which is sent unchanged with its body, if it has one.
    ///   - options: Timeouts, hooks, interceptors, progress and other settings of this call. Default: those of the
    ///     session manager.
    ///   - serializer: Validates and parses the response for the handler. Default: ``responseSerializer``.
    ///   - completionHandler: Called once, on ``completionQueue``. A request that cannot be sent is the error
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
    ///   - request: The request. If it has no `Content-Type`, it gets that of the body. Its `Content-Length`, if it has
    ///     one, is the expected length of a stream in the progress.
    ///   - body: What is sent in place of the request's own body. Default: nil, which stands for the `httpBody` of the
    ///     request, or for its `httpBodyStream`; that stream can be sent only once.
    ///   - options: Timeouts, hooks, interceptors, progress and other settings of this call. Default: those of the
    ///     session manager.
    ///   - resumable: The protocol by which the upload continues after a failure from where the server is, and its
    ///     settings. It needs data or a file. Default: nil, which sends the content in one request.
    ///   - serializer: Validates and parses the response for the handler. Default: ``responseSerializer``.
    ///   - completionHandler: Called once, on ``completionQueue``. A request that cannot be sent is the error
    ///     `invalidURL`, `invalidMethod` or `invalidHeaderField`, a file that cannot be read `fileUnreadable`. Default:
    ///     none.
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
    ///   - options: Timeouts, hooks, interceptors, progress and other settings of this call. Default: those of the
    ///     session manager.
    ///   - resumes: The maximum number of times that the task resumes automatically; see
    ///     ``download(_:method:parameters:headers:options:resumes:resumeData:to:completionHandler:)``. Default: 0.
    ///   - destination: The location of the file. Default: nil, for a temporary file that is removed when the task is
    ///     released.
    ///   - completionHandler: Called once, on ``completionQueue``. Default: none.
    /// - Returns: The task, not started.
    public func downloadTask(
        with request: URLRequest,
        options: CallOptions? = nil,
        resumes: Int = 0,
        destination: DownloadDestination? = nil,
        completionHandler: (@Sendable (DownloadResponse) -> Void)? = nil
    ) -> DownloadTask {
        task(plan(.success(request), nil, resumes, destination), options, completionHandler)
    }

    /// Creates a task that continues a download.
    /// - Parameters:
    ///   - resumeData: The resume data of an earlier task: ``LarkspurError/resumeData``,
    ///     ``DownloadTask/cancel(producingResumeData:)`` or ``DownloadTask/resumeData``. Data that is none is the error
    ///     `invalidResumeData`; with the transport `.foundation` on Linux any resume data is the error `unsupported`.
    ///   - request: The request of the rest, such as one with a new token. Default: nil, which stands for the request
    ///     of the earlier task.
    ///   - options: Timeouts, hooks, interceptors, progress and other settings of this call. Default: those of the
    ///     session manager.
    ///   - resumes: The maximum number of times that the task resumes automatically; see
    ///     ``download(_:method:parameters:headers:options:resumes:resumeData:to:completionHandler:)``. Default: 0.
    ///   - destination: The location of the file. Default: nil, for a temporary file that is removed when the task is
    ///     released.
    ///   - completionHandler: Called once, on ``completionQueue``. Default: none.
    /// - Returns: The task, not started.
    public func downloadTask(
        withResumeData resumeData: Data,
        request: URLRequest? = nil,
        options: CallOptions? = nil,
        resumes: Int = 0,
        destination: DownloadDestination? = nil,
        completionHandler: (@Sendable (DownloadResponse) -> Void)? = nil
    ) -> DownloadTask {
        let request = request.map(Result<URLRequest, LarkspurError>.success)
        return task(plan(request, resumeData, resumes, destination), options, completionHandler)
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

    /// Makes a task that starts with its first handler.
    func chain<T: SessionTask>(_ plan: CallPlan, _ options: CallOptions? = nil) -> T {
        var plan = plan
        plan.chain = CallPlan.Chain(jsonDecoder: jsonDecoder, serializer: resolved(.sessionDefault))
        return makeTask(plan, nil, options)
    }

    /// Makes a task, or, if its request could not be built, one that has ended already.
    func makeTask<T: SessionTask>(_ plan: CallPlan, _ handler: CallHandler?, _ options: CallOptions? = nil) -> T {
        let plan = options?.applied(to: plan) ?? plan
        let environment = environment
        let task = T(environment: environment, plan, handler, observers: observing.value, options: options)
        task.note(.created, .request(plan.urlRequest))
        // Interceptors decide about the request when the task starts.
        if plan.isLaunchedLate || environment.launchesLate || task.deadline != nil || options?.launchesLate == true {
            task.launchLater(by: self)
        } else {
            start(task, plan.template, plan.request, isValid: plan.isValid, .call)
        }
        return task
    }

    /// Returns the serializer with the manager's own settings in the place of their placeholders.
    @_specialize(where S == AnyResponseSerializer)
    @_specialize(where S == DataResponseSerializer)
    @_specialize(where S == StringResponseSerializer)
    func resolved<S: ResponseSerializer>(_ serializer: S) -> S {
        if S.self == DataResponseSerializer.self || S.self == StringResponseSerializer.self { return serializer }
        if let placeholder = serializer as? AnyResponseSerializer {
            return placeholder.isSessionDefault
                ? AnyResponseSerializer(responseSerializer) as? S ?? serializer : serializer
        }
        return serializer.decoding(with: jsonDecoder)
    }
}
