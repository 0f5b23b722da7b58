/// The verbs whose parameters become the query: GET, HEAD and DELETE.
extension SessionManager {
    /// Performs a GET request, and parses the response.
    ///
    /// The parameters become the query.
    ///
    /// The call starts the task and returns it. Exactly one of `success` and `failure` is called, once.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Names and values of the query, which the request serializer writes. Default: none.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - serializer: Validates and parses the response, on ``processingQueue``. Default: ``responseSerializer``.
    ///   - progress: Called on ``completionQueue`` as the content of the response arrives. Default: none.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and could
    ///     be parsed.
    ///   - failure: Called on ``completionQueue`` with the task and the error, if the call fails. The task is nil if
    ///     nothing was sent, as with the codes `invalidURL`, `invalidHeaderField` and `parameterEncodingFailed`.
    ///     Default: none.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func get<S: ResponseSerializer>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(.get, url, parameters, nil, headers, hooks, serializer, download: progress, success, failure)
    }

    /// Performs a GET request, and decodes the response's JSON into a type.
    ///
    /// The parameters become the query.
    ///
    /// The call starts the task and returns it. Exactly one of `success` and `failure` is called, once.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Names and values of the query, which the request serializer writes. Default: none.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - type: The type that ``jsonDecoder`` decodes the response into, on ``processingQueue``.
    ///   - progress: Called on ``completionQueue`` as the content of the response arrives. Default: none.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and could
    ///     be parsed.
    ///   - failure: Called on ``completionQueue`` with the task and the error, if the call fails. The task is nil if
    ///     nothing was sent, as with the codes `invalidURL`, `invalidHeaderField` and `parameterEncodingFailed`.
    ///     Default: none.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func get<T: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        as type: T.Type,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(.get, url, parameters, nil, headers, hooks, decodable(type), download: progress, success, failure)
    }

    /// Performs a HEAD request.
    ///
    /// The parameters become the query. The response has no content, so `success` gets only the task.
    ///
    /// The call starts the task and returns it. Exactly one of `success` and `failure` is called, once.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Names and values of the query, which the request serializer writes. Default: none.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - success: Called on ``completionQueue`` with the task, if the response is acceptable.
    ///   - failure: Called on ``completionQueue`` with the task and the error, if the call fails. The task is nil if
    ///     nothing was sent, as with the codes `invalidURL`, `invalidHeaderField` and `parameterEncodingFailed`.
    ///     Default: none.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func head(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        success: @escaping @Sendable (DataTask) -> Void,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(
            .head,
            url,
            parameters,
            nil,
            headers,
            hooks,
            AnyResponseSerializer.sessionDefault,
            { task, _ in success(task) },
            failure
        )
    }

    /// Performs a DELETE request, and parses the response.
    ///
    /// The parameters become the query.
    ///
    /// The call starts the task and returns it. Exactly one of `success` and `failure` is called, once.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Names and values of the query, which the request serializer writes. Default: none.
    ///   - body: A value that becomes the content of the request. It is encoded before the method returns. Default:
    ///     none.
    ///   - encoder: The encoder of `body`, which also names its `Content-Type`. Default: ``jsonEncoder``.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - serializer: Validates and parses the response, on ``processingQueue``. Default: ``responseSerializer``.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and could
    ///     be parsed.
    ///   - failure: Called on ``completionQueue`` with the task and the error, if the call fails. The task is nil if
    ///     nothing was sent, as with the codes `invalidURL`, `invalidHeaderField` and `parameterEncodingFailed`.
    ///     Default: none.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func delete<S: ResponseSerializer>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: (any Encodable)? = nil,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(.delete, url, parameters, content(body, encoder), headers, hooks, serializer, success, failure)
    }

    /// Performs a DELETE request, and decodes the response's JSON into a type.
    ///
    /// The parameters become the query.
    ///
    /// The call starts the task and returns it. Exactly one of `success` and `failure` is called, once.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Names and values of the query, which the request serializer writes. Default: none.
    ///   - body: A value that becomes the content of the request. It is encoded before the method returns. Default:
    ///     none.
    ///   - encoder: The encoder of `body`, which also names its `Content-Type`. Default: ``jsonEncoder``.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - type: The type that ``jsonDecoder`` decodes the response into, on ``processingQueue``.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and could
    ///     be parsed.
    ///   - failure: Called on ``completionQueue`` with the task and the error, if the call fails. The task is nil if
    ///     nothing was sent, as with the codes `invalidURL`, `invalidHeaderField` and `parameterEncodingFailed`.
    ///     Default: none.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func delete<T: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: (any Encodable)? = nil,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        as type: T.Type,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(.delete, url, parameters, content(body, encoder), headers, hooks, decodable(type), success, failure)
    }
}
