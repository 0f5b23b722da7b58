/// The verbs whose parameters become content: POST, PUT and PATCH.
extension SessionManager {
    /// Performs a POST request, and parses the response.
    ///
    /// The call starts the task and returns it. Exactly one of `success` and `failure` is called, once.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Names and values that the request serializer writes into the content, or into the query if there
    ///     is a `body`. Default: none.
    ///   - body: A value that becomes the content of the request. It is encoded before the method returns. Default:
    ///     none.
    ///   - encoder: The encoder of `body`, which also names its `Content-Type`. Default: ``jsonEncoder``.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - serializer: Validates and parses the response, on ``processingQueue``. Default: ``responseSerializer``.
    ///   - progress: Called on ``completionQueue`` as the content of the request is sent. Default: none.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and could
    ///     be parsed.
    ///   - failure: Called on ``completionQueue`` with the task and the error, if the call fails. The task is nil if
    ///     nothing was sent, as with the codes `invalidURL`, `invalidHeaderField` and `parameterEncodingFailed`.
    ///     Default: none.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func post<S: ResponseSerializer>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: (any Encodable)? = nil,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        let plan = dataPlan(.post, url, parameters, content(body, encoder), headers)
        return perform(plan, hooks, serializer, progress, nil, success, failure)
    }

    /// Performs a POST request, and decodes the response's JSON into a type.
    ///
    /// The call starts the task and returns it. Exactly one of `success` and `failure` is called, once.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Names and values that the request serializer writes into the content, or into the query if there
    ///     is a `body`. Default: none.
    ///   - body: A value that becomes the content of the request. It is encoded before the method returns. Default:
    ///     none.
    ///   - encoder: The encoder of `body`, which also names its `Content-Type`. Default: ``jsonEncoder``.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - type: The type that ``jsonDecoder`` decodes the response into, on ``processingQueue``.
    ///   - progress: Called on ``completionQueue`` as the content of the request is sent. Default: none.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and could
    ///     be parsed.
    ///   - failure: Called on ``completionQueue`` with the task and the error, if the call fails. The task is nil if
    ///     nothing was sent, as with the codes `invalidURL`, `invalidHeaderField` and `parameterEncodingFailed`.
    ///     Default: none.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func post<T: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: (any Encodable)? = nil,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        as type: T.Type,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        let plan = dataPlan(.post, url, parameters, content(body, encoder), headers)
        return perform(plan, hooks, decodable(type), progress, nil, success, failure)
    }

    /// Performs a PUT request, and parses the response.
    ///
    /// The call starts the task and returns it. Exactly one of `success` and `failure` is called, once.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Names and values that the request serializer writes into the content, or into the query if there
    ///     is a `body`. Default: none.
    ///   - body: A value that becomes the content of the request. It is encoded before the method returns. Default:
    ///     none.
    ///   - encoder: The encoder of `body`, which also names its `Content-Type`. Default: ``jsonEncoder``.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - serializer: Validates and parses the response, on ``processingQueue``. Default: ``responseSerializer``.
    ///   - progress: Called on ``completionQueue`` as the content of the request is sent. Default: none.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and could
    ///     be parsed.
    ///   - failure: Called on ``completionQueue`` with the task and the error, if the call fails. The task is nil if
    ///     nothing was sent, as with the codes `invalidURL`, `invalidHeaderField` and `parameterEncodingFailed`.
    ///     Default: none.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func put<S: ResponseSerializer>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: (any Encodable)? = nil,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        let plan = dataPlan(.put, url, parameters, content(body, encoder), headers)
        return perform(plan, hooks, serializer, progress, nil, success, failure)
    }

    /// Performs a PUT request, and decodes the response's JSON into a type.
    ///
    /// The call starts the task and returns it. Exactly one of `success` and `failure` is called, once.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Names and values that the request serializer writes into the content, or into the query if there
    ///     is a `body`. Default: none.
    ///   - body: A value that becomes the content of the request. It is encoded before the method returns. Default:
    ///     none.
    ///   - encoder: The encoder of `body`, which also names its `Content-Type`. Default: ``jsonEncoder``.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - type: The type that ``jsonDecoder`` decodes the response into, on ``processingQueue``.
    ///   - progress: Called on ``completionQueue`` as the content of the request is sent. Default: none.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and could
    ///     be parsed.
    ///   - failure: Called on ``completionQueue`` with the task and the error, if the call fails. The task is nil if
    ///     nothing was sent, as with the codes `invalidURL`, `invalidHeaderField` and `parameterEncodingFailed`.
    ///     Default: none.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func put<T: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: (any Encodable)? = nil,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        as type: T.Type,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        let plan = dataPlan(.put, url, parameters, content(body, encoder), headers)
        return perform(plan, hooks, decodable(type), progress, nil, success, failure)
    }

    /// Performs a PATCH request, and parses the response.
    ///
    /// The call starts the task and returns it. Exactly one of `success` and `failure` is called, once.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Names and values that the request serializer writes into the content, or into the query if there
    ///     is a `body`. Default: none.
    ///   - body: A value that becomes the content of the request. It is encoded before the method returns. Default:
    ///     none.
    ///   - encoder: The encoder of `body`, which also names its `Content-Type`. Default: ``jsonEncoder``.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - serializer: Validates and parses the response, on ``processingQueue``. Default: ``responseSerializer``.
    ///   - progress: Called on ``completionQueue`` as the content of the request is sent. Default: none.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and could
    ///     be parsed.
    ///   - failure: Called on ``completionQueue`` with the task and the error, if the call fails. The task is nil if
    ///     nothing was sent, as with the codes `invalidURL`, `invalidHeaderField` and `parameterEncodingFailed`.
    ///     Default: none.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func patch<S: ResponseSerializer>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: (any Encodable)? = nil,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        let plan = dataPlan(.patch, url, parameters, content(body, encoder), headers)
        return perform(plan, hooks, serializer, progress, nil, success, failure)
    }

    /// Performs a PATCH request, and decodes the response's JSON into a type.
    ///
    /// The call starts the task and returns it. Exactly one of `success` and `failure` is called, once.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Names and values that the request serializer writes into the content, or into the query if there
    ///     is a `body`. Default: none.
    ///   - body: A value that becomes the content of the request. It is encoded before the method returns. Default:
    ///     none.
    ///   - encoder: The encoder of `body`, which also names its `Content-Type`. Default: ``jsonEncoder``.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - type: The type that ``jsonDecoder`` decodes the response into, on ``processingQueue``.
    ///   - progress: Called on ``completionQueue`` as the content of the request is sent. Default: none.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and could
    ///     be parsed.
    ///   - failure: Called on ``completionQueue`` with the task and the error, if the call fails. The task is nil if
    ///     nothing was sent, as with the codes `invalidURL`, `invalidHeaderField` and `parameterEncodingFailed`.
    ///     Default: none.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func patch<T: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: (any Encodable)? = nil,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        as type: T.Type,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        let plan = dataPlan(.patch, url, parameters, content(body, encoder), headers)
        return perform(plan, hooks, decodable(type), progress, nil, success, failure)
    }
}
