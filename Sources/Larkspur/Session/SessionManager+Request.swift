/// The calls. Each builds a request, starts its task and returns the task.
extension SessionManager {
    /// A closure that gets the task and the value that the response serializer made of the response. Runs on the
    /// completion queue.
    public typealias SuccessHandler<Value> = @Sendable (DataTask, Value) -> Void

    /// A closure that gets the task and the error. Runs on the completion queue.
    ///
    /// The task is nil if nothing was sent, because the request could not be built or the session makes no more tasks.
    /// The call has then returned a task that has ended already.
    public typealias FailureHandler = @Sendable (DataTask?, LarkspurError) -> Void

    /// A closure that gets the progress, which is always the same object. Runs on the completion queue.
    public typealias ProgressHandler = @Sendable (Progress) -> Void

    /// Performs a request with any method, and parses the response.
    ///
    /// Content has no defined meaning in a GET or HEAD request (RFC 9110, section 9.3). A `body` is sent nevertheless.
    ///
    /// The call starts the task and returns it. Exactly one of `success` and `failure` is called, once.
    /// - Parameters:
    ///   - method: The method, which may be any token (RFC 9110, section 9.1).
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Names and values that the request serializer writes. They become the query for GET, HEAD and
    ///     DELETE and if there is a `body`, otherwise the content. Default: none.
    ///   - body: A value that becomes the content of the request. It is encoded before the method returns. Default:
    ///     none.
    ///   - encoder: The encoder of `body`, which also names its `Content-Type`. Default: ``jsonEncoder``.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - serializer: Validates and parses the response, on ``processingQueue``. Default: ``responseSerializer``.
    ///   - uploadProgress: Called on ``completionQueue`` as the content of the request is sent. Default: none.
    ///   - downloadProgress: Called on ``completionQueue`` as the content of the response arrives. Default: none.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and could
    ///     be parsed.
    ///   - failure: Called on ``completionQueue`` with the task and the error, if the call fails. The task is nil if
    ///     nothing was sent, as with the codes `invalidURL`, `invalidMethod`, `invalidHeaderField` and
    ///     `parameterEncodingFailed`. Default: none.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func request<S: ResponseSerializer>(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: (any Encodable)? = nil,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        let plan = dataPlan(method, url, parameters, content(body, encoder), headers)
        return perform(plan, hooks, serializer, uploadProgress, downloadProgress, success, failure)
    }

    /// Performs a request with any method, and decodes the response's JSON into a type.
    ///
    /// Content has no defined meaning in a GET or HEAD request (RFC 9110, section 9.3). A `body` is sent nevertheless.
    ///
    /// The call starts the task and returns it. Exactly one of `success` and `failure` is called, once.
    /// - Parameters:
    ///   - method: The method, which may be any token (RFC 9110, section 9.1).
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Names and values that the request serializer writes. They become the query for GET, HEAD and
    ///     DELETE and if there is a `body`, otherwise the content. Default: none.
    ///   - body: A value that becomes the content of the request. It is encoded before the method returns. Default:
    ///     none.
    ///   - encoder: The encoder of `body`, which also names its `Content-Type`. Default: ``jsonEncoder``.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - type: The type that ``jsonDecoder`` decodes the response into, on ``processingQueue``.
    ///   - uploadProgress: Called on ``completionQueue`` as the content of the request is sent. Default: none.
    ///   - downloadProgress: Called on ``completionQueue`` as the content of the response arrives. Default: none.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and could
    ///     be parsed.
    ///   - failure: Called on ``completionQueue`` with the task and the error, if the call fails. The task is nil if
    ///     nothing was sent, as with the codes `invalidURL`, `invalidMethod`, `invalidHeaderField` and
    ///     `parameterEncodingFailed`. Default: none.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func request<T: Decodable & Sendable>(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: (any Encodable)? = nil,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        as type: T.Type,
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        let plan = dataPlan(method, url, parameters, content(body, encoder), headers)
        return perform(plan, hooks, decodable(type), uploadProgress, downloadProgress, success, failure)
    }

    /// Builds the request that a call with these arguments sends.
    /// - Parameters:
    ///   - method: The method, which may be any token (RFC 9110, section 9.1).
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Names and values that the request serializer writes. They become the query for GET, HEAD and
    ///     DELETE and if there is a `body`, otherwise the content. Default: none.
    ///   - body: A value that becomes the content of the request. It is encoded before the method returns. Default:
    ///     none.
    ///   - encoder: The encoder of `body`, which also names its `Content-Type`. Default: ``jsonEncoder``.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    /// - Returns: The request, with headers and settings of the manager.
    /// - Throws: ``LarkspurError``: `invalidURL`, `invalidMethod`, `invalidHeaderField` or `parameterEncodingFailed`.
    public func makeRequest(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: (any Encodable)? = nil,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil
    ) throws(LarkspurError) -> URLRequest {
        try makeRequest(method, url, parameters, content(body, encoder), headers)
    }

    // MARK: Common parts of the calls

    /// Builds a request, creates its task and starts the task.
    @_specialize(where S == AnyResponseSerializer)
    @_specialize(where S == DataResponseSerializer)
    @_specialize(where S == StringResponseSerializer)
    func perform<S: ResponseSerializer>(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        _ parameters: [String: Any]?,
        _ content: RequestContent?,
        _ headers: HTTPHeaders?,
        _ hooks: SessionHooks?,
        _ serializer: S,
        download: ProgressHandler? = nil,
        _ success: @escaping SuccessHandler<S.Output>,
        _ failure: FailureHandler?
    ) -> DataTask {
        let plan = dataPlan(method, url, parameters, content, headers)
        return perform(plan, hooks, serializer, nil, download, success, failure)
    }

    /// Creates the task of a plan and starts it.
    @_specialize(where S == AnyResponseSerializer)
    @_specialize(where S == DataResponseSerializer)
    @_specialize(where S == StringResponseSerializer)
    func perform<S: ResponseSerializer>(
        _ plan: CallPlan,
        _ hooks: SessionHooks?,
        _ serializer: S,
        _ upload: ProgressHandler?,
        _ download: ProgressHandler?,
        _ success: @escaping SuccessHandler<S.Output>,
        _ failure: FailureHandler?
    ) -> DataTask {
        let task = dataTask(plan, serializer, upload: upload, download: download) {
            $1.deliver(for: $0, success, failure)
        }
        task.start(with: hooks)
        return task
    }

    /// The content of a request with this body, in the call's encoder or that of the manager; nil without a body.
    func content(_ body: (any Encodable)?, _ encoder: (any DataEncoder)?) -> RequestContent? {
        RequestContent(body, encoder ?? jsonEncoder)
    }

    /// The serializer that decodes a type with the decoder of the manager.
    func decodable<T>(_ type: T.Type) -> DecodableResponseSerializer<T> { .decodable(type, decoder: jsonDecoder) }

    /// Returns the URL of a call.
    /// - Throws: ``LarkspurError`` with the code `invalidURL`, also if the manager's base URL is not valid.
    func resolved(_ target: any RequestTarget) throws(LarkspurError) -> URL {
        try target.requestURL(relativeTo: base.get())
    }

    /// Returns the plan of a call whose response is collected in memory.
    func dataPlan(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        _ parameters: [String: Any]?,
        _ content: RequestContent?,
        _ headers: HTTPHeaders?
    ) -> CallPlan {
        let reference = plainReference(method, url, parameters, content, headers)
        if let reference, let request = requests.request(of: reference, builder.version) {
            return CallPlan(validRequest: request)
        }
        // Code of the caller may have changed it after its parts were validated.
        return CallPlan(template: .data, request: requestResult(method, url, parameters, content, headers))
    }

    /// Returns the reference of a request that depends on it and the settings alone; nil for any other request.
    private func plainReference(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        _ parameters: [String: Any]?,
        _ content: RequestContent?,
        _ headers: HTTPHeaders?
    ) -> String? {
        method == .get && parameters == nil && content == nil && headers == nil ? url as? String : nil
    }

    /// Returns the request of a call, or the error that prevented its creation.
    func requestResult(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        _ parameters: [String: Any]?,
        _ content: RequestContent?,
        _ headers: HTTPHeaders?
    ) -> Result<URLRequest, LarkspurError> {
        do {
            return .success(try makeRequest(method, url, parameters, content, headers))
        } catch {
            return .failure(error)
        }
    }

    /// Builds the request of a call: resolves the URL, and writes parameters and content. The call's own fields replace
    /// those of the manager.
    private func makeRequest(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        _ parameters: [String: Any]?,
        _ content: RequestContent?,
        _ headers: HTTPHeaders?
    ) throws(LarkspurError) -> URLRequest {
        let version = builder.version
        // It may run code of the caller's, which changes the settings.
        let resolvedURL = try resolved(url)
        let builder = builder.value
        let request = try builder.makeRequest(
            method,
            url: resolvedURL,
            parameters: parameters.map(Parameters.dictionary),
            headers: headers ?? HTTPHeaders(),
            content: content
        )
        let reference = plainReference(method, url, parameters, content, headers)
        // Otherwise the serializer, which may be the caller's, has written its content.
        if let reference, builder.settings.encodesParametersInURI("GET") {
            requests.remember(request, of: reference, version)
        }
        return request
    }
}

extension DataResponse {
    /// Calls the success or failure handler of a call, depending on the result.
    ///
    /// `failure` gets the task only if it has a `URLSessionTask`; without one nothing was sent. If there is no
    /// `failure`, the error is reported as unhandled.
    func deliver(
        for task: DataTask,
        _ success: SessionManager.SuccessHandler<Value>,
        _ failure: SessionManager.FailureHandler?
    ) {
        switch result {
        case .success(let value): success(task, value)
        case .failure(let error):
            if let failure { return failure(task.attempt == nil ? nil : task, error) }
            if let writer = task.environment.failureWriter { UnhandledFailure.line(about: error).map(writer) }
        }
    }
}
