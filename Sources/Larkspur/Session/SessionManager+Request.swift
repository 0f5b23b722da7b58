/// The calls: each builds a request, starts its task and returns it.
extension SessionManager {
    /// Gets the task and the value that the response serializer made of the response; runs on the completion queue.
    public typealias SuccessHandler<Value> = @Sendable (DataTask, Value) -> Void

    /// Gets the task and the error; runs on the completion queue.
    ///
    /// The task is nil if nothing was ever sent because the request could not be built or the session makes no more
    /// tasks; it is then the one that the call returned, already ended.
    public typealias FailureHandler = @Sendable (DataTask?, LarkspurError) -> Void

    /// Gets the progress, always the same object; runs on the completion queue.
    public typealias ProgressHandler = @Sendable (Progress) -> Void

    /// Performs a request with any method, and parses the response.
    ///
    /// Content has no defined meaning in a GET or HEAD request (RFC 9110, section 9.3); a `body` is sent all the
    /// same.
    ///
    /// The call starts the task and returns it. Exactly one of `success` and `failure` is called, once.
    /// - Parameters:
    ///   - method: The method; any token may be one.
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` at
    ///     the root of its host.
    ///   - parameters: Names and values that the request serializer writes: into the query for GET, HEAD and DELETE
    ///     and where there is a `body`, else into the content. Default: none.
    ///   - body: A value that becomes the content of the request; it is encoded before the method returns. Default:
    ///     none.
    ///   - encoder: The encoder of `body`, which also names its `Content-Type`. Default: ``jsonEncoder``.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those of ``hooks``. Default: none.
    ///   - serializer: Validates and parses the response, on ``processingQueue``. Default: ``responseSerializer``.
    ///   - uploadProgress: Called on ``completionQueue`` as the content of the request is sent. Default: none.
    ///   - downloadProgress: Called on ``completionQueue`` as content arrives. Default: none.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and
    ///     could be parsed.
    ///   - failure: Called on ``completionQueue`` otherwise, with the task and the error. The task is nil if nothing
    ///     was sent, as with the codes `invalidURL`, `invalidMethod`, `invalidHeaderField` and
    ///     `parameterEncodingFailed`. Default: none.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func request<S: ResponseSerializer>(
        _ method: HTTPMethod,
        _ url: String,
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
        perform(
            method,
            url,
            parameters,
            .init(body, encoder ?? jsonEncoder),
            headers,
            hooks,
            serializer,
            upload: uploadProgress,
            download: downloadProgress,
            success,
            failure
        )
    }

    /// Performs a request with any method, and decodes the response's JSON into a type.
    ///
    /// Content has no defined meaning in a GET or HEAD request (RFC 9110, section 9.3); a `body` is sent all the
    /// same.
    ///
    /// The call starts the task and returns it. Exactly one of `success` and `failure` is called, once.
    /// - Parameters:
    ///   - method: The method; any token may be one.
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` at
    ///     the root of its host.
    ///   - parameters: Names and values that the request serializer writes: into the query for GET, HEAD and DELETE
    ///     and where there is a `body`, else into the content. Default: none.
    ///   - body: A value that becomes the content of the request; it is encoded before the method returns. Default:
    ///     none.
    ///   - encoder: The encoder of `body`, which also names its `Content-Type`. Default: ``jsonEncoder``.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those of ``hooks``. Default: none.
    ///   - type: The type that ``jsonDecoder`` decodes the response into, on ``processingQueue``.
    ///   - uploadProgress: Called on ``completionQueue`` as the content of the request is sent. Default: none.
    ///   - downloadProgress: Called on ``completionQueue`` as content arrives. Default: none.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and
    ///     could be parsed.
    ///   - failure: Called on ``completionQueue`` otherwise, with the task and the error. The task is nil if nothing
    ///     was sent, as with the codes `invalidURL`, `invalidMethod`, `invalidHeaderField` and
    ///     `parameterEncodingFailed`. Default: none.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func request<T: Decodable & Sendable>(
        _ method: HTTPMethod,
        _ url: String,
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
        perform(
            method,
            url,
            parameters,
            .init(body, encoder ?? jsonEncoder),
            headers,
            hooks,
            .decodable(type, decoder: jsonDecoder),
            upload: uploadProgress,
            download: downloadProgress,
            success,
            failure
        )
    }

    /// Builds the request that a call with these arguments sends.
    /// - Parameters:
    ///   - method: The method; any token may be one.
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` at
    ///     the root of its host.
    ///   - parameters: Names and values that the request serializer writes: into the query for GET, HEAD and DELETE
    ///     and where there is a `body`, else into the content. Default: none.
    ///   - body: A value that becomes the content of the request; it is encoded before the method returns. Default:
    ///     none.
    ///   - encoder: The encoder of `body`, which also names its `Content-Type`. Default: ``jsonEncoder``.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    /// - Returns: The request, with headers and settings of the manager.
    /// - Throws: ``LarkspurError``: `invalidURL`, `invalidMethod`, `invalidHeaderField` or `parameterEncodingFailed`.
    public func makeRequest(
        _ method: HTTPMethod,
        _ url: String,
        parameters: [String: Any]? = nil,
        body: (any Encodable)? = nil,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil
    ) throws(LarkspurError) -> URLRequest {
        try makeRequest(method, url, parameters, RequestContent(body, encoder ?? jsonEncoder), headers)
    }

    // MARK: What the calls share

    /// Builds a request, makes its task and starts it.
    @_specialize(where S == AnyResponseSerializer)
    func perform<S: ResponseSerializer>(
        _ method: HTTPMethod,
        _ url: String,
        _ parameters: [String: Any]?,
        _ content: RequestContent?,
        _ headers: HTTPHeaders?,
        _ hooks: SessionHooks?,
        _ serializer: S,
        upload: ProgressHandler? = nil,
        download: ProgressHandler? = nil,
        _ success: @escaping SuccessHandler<S.Output>,
        _ failure: FailureHandler?
    ) -> DataTask {
        let request = requestResult(method, url, parameters, content, headers)
        let task = dataTask(for: request, serializer: serializer, upload: upload, download: download) {
            $1.deliver(for: $0, success, failure)
        }
        task.start(with: hooks)
        return task
    }

    /// The request of a call, or the reason why there is none.
    func requestResult(
        _ method: HTTPMethod,
        _ url: String,
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

    /// Builds the request of a call: resolves the URL, writes parameters and content, and lets the call's own fields
    /// win over the manager's.
    private func makeRequest(
        _ method: HTTPMethod,
        _ url: String,
        _ parameters: [String: Any]?,
        _ content: RequestContent?,
        _ headers: HTTPHeaders?
    ) throws(LarkspurError) -> URLRequest {
        let url = try BaseURL.resolve(url, against: baseURL)
        return try requestBuilder.makeRequest(
            method,
            url: url,
            parameters: parameters.map(Parameters.dictionary),
            headers: headers ?? HTTPHeaders(),
            content: content
        )
    }
}

extension DataResponse {
    /// Calls the one of a call's handlers that the result is for.
    ///
    /// `failure` gets the task only if it has a `URLSessionTask`: without one nothing was sent. Where there is no
    /// `failure`, the error is reported.
    func deliver(
        for task: DataTask,
        _ success: SessionManager.SuccessHandler<Value>,
        _ failure: SessionManager.FailureHandler?
    ) {
        switch result {
        case .success(let value): success(task, value)
        case .failure(let error):
            if let failure { return failure(task.urlSessionTask == nil ? nil : task, error) }
            if let writer = task.environment.failureWriter { UnhandledFailure.line(about: error).map(writer) }
        }
    }
}
