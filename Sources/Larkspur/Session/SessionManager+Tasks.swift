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
    /// Creates a data task from a request, or, if the request could not be built, a task that has ended already.
    @_specialize(where Serializer == AnyResponseSerializer)
    func dataTask<Serializer: ResponseSerializer>(
        for request: Result<URLRequest, LarkspurError>,
        serializer: Serializer,
        upload: ProgressHandler?,
        download: ProgressHandler?,
        handler: @escaping @Sendable (DataTask, DataResponse<Serializer.Output>) -> Void
    ) -> DataTask {
        makeTask(.data, request, finisher(for: serializer, handler)) {
            DataTask(environment: $0, plan: $1, upload: upload, download: download)
        }
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
        return makeTask(template, request, finisher(for: serializer, handler)) {
            UploadTask(environment: $0, plan: $1, upload: progress, download: nil)
        }
    }

    /// Creates a task, and its attempt unless the call is launched later.
    /// - Parameters:
    ///   - template: The kind of transfer.
    ///   - request: The request, or the error that prevented its creation; nil for a download from resume data.
    ///   - finisher: Creates the ending of the task.
    ///   - make: Creates the task.
    func makeTask<T: SessionTask>(
        _ template: TransferTemplate,
        _ request: Result<URLRequest, LarkspurError>?,
        _ finisher: TaskFinisher,
        _ make: (TaskEnvironment, CallPlan?) -> T
    ) -> T {
        let environment = environment
        guard environment.needsPlan || template.resumption != nil || template.resumer != nil else {
            let task = make(environment, nil)
            task.note(.created, .request(try? request?.get()))
            launch(task, template, request, CallPlan.Settings(), finisher)
            return task
        }
        // Interceptors decide about the request when the task starts.
        let plan = CallPlan(
            request: request,
            jsonDecoder: jsonDecoder,
            takesHandlers: false,
            writer: environment.failureWriter
        ) {
            self.launch($0, template, request, $1, finisher)
        }
        let task = make(environment, plan)
        task.note(.created, .request(try? request?.get()))
        return task
    }

    /// Creates the attempt of a task, or ends the task if that is not possible.
    func launch(
        _ task: SessionTask,
        _ template: TransferTemplate,
        _ request: Result<URLRequest, LarkspurError>?,
        _ settings: CallPlan.Settings,
        _ finisher: TaskFinisher
    ) {
        let environment = task.environment
        var request = request
        var template = template
        if !settings.isCancelled, environment.needsPlan || !settings.timeouts.isEmpty {
            let shared = environment.timeouts
            let limits = settings.timeouts.filled(from: settings.eventStream == nil ? shared : shared.forEventStreams)
            if request == nil, limits.idle != nil { request = template.requestOfResumeData.map { .success($0) } }
            request = request?.map(limits.applied)
            template.limits = limits
            do throws(LarkspurError) {
                try begin(limits, for: task)
            } catch {
                request = .failure(error)
            }
        }
        var own = settings.interceptors
        if let resumption = template.resumption { own.call.append(resumption) }
        if let resumer = template.resumer { own.call.append(resumer) }
        if !settings.isCancelled, !(environment.interceptors.isEmpty && own.isEmpty),
            case .success(let request) = request ?? template.requestOfResumeData.map({ .success($0) })
        {
            let interceptors = environment.interceptors.chain(with: own)
            let lastOwn = environment.interceptors.lastIndex(of: own)
            return InterceptedCall(self, task, template, interceptors, lastOwn: lastOwn, finisher).start(with: request)
        }
        let ending = TransferEnding.task(finisher)
        if settings.isCancelled { return ending.end(task, transportError: URLError(.cancelled)) }
        _ = start(task, template, request, ending)
    }

    /// Starts the timers of a call.
    /// - Throws: `timedOut`, if the deadline of the call is over.
    private func begin(_ limits: Timeouts, for task: SessionTask) throws(LarkspurError) {
        var limits = limits
        var whole: Duration?
        if let deadline = task.environment.deadline {
            let remaining = deadline.remaining()
            guard remaining > .zero else {
                throw CallTimers.error("The deadline of \(deadline.limit) was over before the call began.")
            }
            if remaining < limits.total ?? .seconds(Int64.max) { (limits.total, whole) = (remaining, deadline.limit) }
        }
        task.plan?.use(CallTimers(limits, until: whole, on: task.environment.clock, for: task))
    }

    /// Creates the transfer of an attempt, or ends the attempt if that is not possible.
    /// - Returns: Whether there is a transfer.
    func start(
        _ task: SessionTask,
        _ template: TransferTemplate,
        _ request: Result<URLRequest, LarkspurError>?,
        _ ending: TransferEnding
    ) -> Bool {
        do throws(LarkspurError) {
            let request = try request?.get()
            try request?.validate()
            try sessions.makeTransfer(for: task, template, request, ending: ending)
            return true
        } catch {
            let error = error.filled(request: try? request?.get(), response: nil, responseData: nil)
            ending.end(task, transportError: error, template.stream)
            return false
        }
    }

    /// Returns the closure that ends a task whose response is in memory. It validates and serializes the response, and
    /// calls the handler with the result.
    @_specialize(where Serializer == AnyResponseSerializer, T == DataTask)
    func finisher<Serializer: ResponseSerializer, T: SessionTask>(
        for serializer: Serializer,
        _ handler: @escaping @Sendable (T, DataResponse<Serializer.Output>) -> Void
    ) -> TaskFinisher {
        let serializer = resolved(serializer)
        return TaskFinisher(isQuick: serializer.isQuick) { result, task in
            ResponseHandler(serializer) { if let task = task as? T { handler(task, $0) } }.ending(result, of: task)
        }
    }

    /// Replaces the placeholder ``AnyResponseSerializer/sessionDefault`` with the session manager's serializer.
    func resolved<Serializer: ResponseSerializer>(_ serializer: Serializer) -> Serializer {
        guard let placeholder = serializer as? AnyResponseSerializer, placeholder.isSessionDefault else {
            return serializer
        }
        return AnyResponseSerializer(responseSerializer) as? Serializer ?? serializer
    }
}
