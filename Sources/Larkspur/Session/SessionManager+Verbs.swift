/// The calls, by their HTTP methods.
///
/// One rule applies to all of them: **a call with a handler starts; a call without one waits.** A call with `success`
/// or `failure` is sent at once. When it ends, it runs the closure for its outcome, once. A call without closures can
/// be configured by further methods. It starts with its first handler, `await` or sequence, or with
/// ``SessionTask/resume()``:
///
///     manager.get("users/1", as: User.self) { task, user in print(user.name) }
///     let user = try await manager.get("users/1").timeout(total: .seconds(5)).value(as: User.self)
///
/// A call that is released before it has started sends nothing. In debug builds a line on standard error reports it.
extension SessionManager {
    /// A closure that gets the task and the value that the response serializer returned. It runs on the completion
    /// queue.
    public typealias SuccessHandler<Value> = @Sendable (DataTask, Value) -> Void

    /// A closure that gets the task and the error of a call. The task is nil if nothing was sent. The closure runs on
    /// the completion queue.
    public typealias FailureHandler = @Sendable (DataTask?, LarkspurError) -> Void

    /// A closure that gets the progress of a transfer. The closure runs on the completion queue.
    public typealias ProgressHandler = @Sendable (Progress) -> Void

    /// Makes a call with any method. The call starts at once if it has a closure.
    ///
    ///     let folder = try await manager.request("PROPFIND", "files", headers: ["Depth": "1"]).data
    ///
    /// The parameters become the query for the methods of ``RequestSettings/methodsEncodingParametersInURI``, and for
    /// all methods if there is a `body`. Otherwise the request serializer writes them into the content. Content has no
    /// defined meaning in a GET or HEAD request (RFC 9110, section 9.3), but a `body` is sent nevertheless.
    /// - Parameters:
    ///   - method: The method, which may be any token (RFC 9110, section 9.1).
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Names and values that the request serializer writes. Default: none.
    ///   - body: The content of the request. Default: none.
    ///   - headers: Fields of this request. They replace fields of ``headers`` with the same name. Default: none.
    ///   - options: Timeouts, hooks, interceptors, progress and other settings of this call. Default: the settings of
    ///     the manager.
    ///   - serializer: Validates and parses the response for `success` (see ``processingQueue``). Default:
    ///     ``responseSerializer``.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and could
    ///     be parsed. Default: none.
    ///   - failure: Called on ``completionQueue`` with the task and the error, if the call fails. The task is nil if
    ///     nothing was sent, for example with the codes `invalidURL`, `invalidMethod`, `invalidHeaderField`,
    ///     `parameterEncodingFailed` and `fileUnreadable`. Default: none.
    /// - Returns: The task, which has started if it has a handler. If the request could not be built, a task with a
    ///   handler has ended already; a task without a handler ends with the error when it starts. For a body that is a
    ///   file, a stream, a sequence, a writer or a form, the task is an ``UploadTask``.
    @discardableResult
    public func request<S: ResponseSerializer>(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        parameters: Parameters? = nil,
        body: RequestBody? = nil,
        headers: HTTPHeaders? = nil,
        options: CallOptions? = nil,
        as serializer: S = AnyResponseSerializer.sessionDefault,
        success: SuccessHandler<S.Output>? = nil,
        failure: FailureHandler? = nil
    ) -> DataTask {
        send(RequestDraft(method, url, parameters, body, headers), options, serializer, success, failure)
    }

    /// Makes a GET call, whose parameters become the query. For the parameters of this method see
    /// ``request(_:_:parameters:body:headers:options:as:success:failure:)-(_,_,_,_,_,_,S,_,_)``.
    @discardableResult
    public func get<S: ResponseSerializer>(
        _ url: any RequestTarget,
        parameters: Parameters? = nil,
        headers: HTTPHeaders? = nil,
        options: CallOptions? = nil,
        as serializer: S = AnyResponseSerializer.sessionDefault,
        success: SuccessHandler<S.Output>? = nil,
        failure: FailureHandler? = nil
    ) -> DataTask {
        send(RequestDraft(.get, url, parameters, nil, headers), options, serializer, success, failure)
    }

    /// Makes a HEAD call, whose parameters become the query. `success` gets only the task, because the response
    /// has no content. For the parameters of this method see
    /// ``request(_:_:parameters:body:headers:options:as:success:failure:)-(_,_,_,_,_,_,S,_,_)``.
    @discardableResult
    public func head(
        _ url: any RequestTarget,
        parameters: Parameters? = nil,
        headers: HTTPHeaders? = nil,
        options: CallOptions? = nil,
        success: (@Sendable (DataTask) -> Void)? = nil,
        failure: FailureHandler? = nil
    ) -> DataTask {
        var handler: SuccessHandler<Any?>?
        if let success { handler = { task, _ in success(task) } }
        return send(RequestDraft(.head, url, parameters, nil, headers), options, .sessionDefault, handler, failure)
    }

    /// Makes a POST call whose content is a body or the parameters; for the rest see `request`.
    @discardableResult
    public func post<S: ResponseSerializer>(
        _ url: any RequestTarget,
        parameters: Parameters? = nil,
        body: RequestBody? = nil,
        headers: HTTPHeaders? = nil,
        options: CallOptions? = nil,
        as serializer: S = AnyResponseSerializer.sessionDefault,
        success: SuccessHandler<S.Output>? = nil,
        failure: FailureHandler? = nil
    ) -> DataTask {
        send(RequestDraft(.post, url, parameters, body, headers), options, serializer, success, failure)
    }

    /// Makes a PUT call whose content is a body or the parameters; for the rest see `request`.
    @discardableResult
    public func put<S: ResponseSerializer>(
        _ url: any RequestTarget,
        parameters: Parameters? = nil,
        body: RequestBody? = nil,
        headers: HTTPHeaders? = nil,
        options: CallOptions? = nil,
        as serializer: S = AnyResponseSerializer.sessionDefault,
        success: SuccessHandler<S.Output>? = nil,
        failure: FailureHandler? = nil
    ) -> DataTask {
        send(RequestDraft(.put, url, parameters, body, headers), options, serializer, success, failure)
    }

    /// Makes a PATCH call (RFC 5789) whose content is a body or the parameters; for the rest see `request`.
    @discardableResult
    public func patch<S: ResponseSerializer>(
        _ url: any RequestTarget,
        parameters: Parameters? = nil,
        body: RequestBody? = nil,
        headers: HTTPHeaders? = nil,
        options: CallOptions? = nil,
        as serializer: S = AnyResponseSerializer.sessionDefault,
        success: SuccessHandler<S.Output>? = nil,
        failure: FailureHandler? = nil
    ) -> DataTask {
        send(RequestDraft(.patch, url, parameters, body, headers), options, serializer, success, failure)
    }

    /// Makes a DELETE call, whose parameters become the query; for the rest see `request`.
    @discardableResult
    public func delete<S: ResponseSerializer>(
        _ url: any RequestTarget,
        parameters: Parameters? = nil,
        body: RequestBody? = nil,
        headers: HTTPHeaders? = nil,
        options: CallOptions? = nil,
        as serializer: S = AnyResponseSerializer.sessionDefault,
        success: SuccessHandler<S.Output>? = nil,
        failure: FailureHandler? = nil
    ) -> DataTask {
        send(RequestDraft(.delete, url, parameters, body, headers), options, serializer, success, failure)
    }
}

/// The calls for values of a `Decodable` type, by their methods. ``SessionManager/jsonDecoder`` decodes the JSON of the
/// response on ``SessionManager/processingQueue``. In all other respects these calls work like the calls without a
/// type.
extension SessionManager {
    /// Makes a call with any method, and decodes the response into a type for `success`.
    @discardableResult
    public func request<T: Decodable & Sendable>(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        parameters: Parameters? = nil,
        body: RequestBody? = nil,
        headers: HTTPHeaders? = nil,
        options: CallOptions? = nil,
        as type: T.Type,
        success: SuccessHandler<T>? = nil,
        failure: FailureHandler? = nil
    ) -> DataTask {
        let draft = RequestDraft(method, url, parameters, body, headers)
        return send(draft, options, .decodable(type), success, failure)
    }

    /// Makes a GET call, and decodes the response into a type for `success`.
    @discardableResult
    public func get<T: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: Parameters? = nil,
        headers: HTTPHeaders? = nil,
        options: CallOptions? = nil,
        as type: T.Type,
        success: SuccessHandler<T>? = nil,
        failure: FailureHandler? = nil
    ) -> DataTask {
        let draft = RequestDraft(.get, url, parameters, nil, headers)
        return send(draft, options, .decodable(type), success, failure)
    }

    /// Makes a POST call, and decodes the response into a type for `success`.
    @discardableResult
    public func post<T: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: Parameters? = nil,
        body: RequestBody? = nil,
        headers: HTTPHeaders? = nil,
        options: CallOptions? = nil,
        as type: T.Type,
        success: SuccessHandler<T>? = nil,
        failure: FailureHandler? = nil
    ) -> DataTask {
        let draft = RequestDraft(.post, url, parameters, body, headers)
        return send(draft, options, .decodable(type), success, failure)
    }

    /// Makes a PUT call, and decodes the response into a type for `success`.
    @discardableResult
    public func put<T: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: Parameters? = nil,
        body: RequestBody? = nil,
        headers: HTTPHeaders? = nil,
        options: CallOptions? = nil,
        as type: T.Type,
        success: SuccessHandler<T>? = nil,
        failure: FailureHandler? = nil
    ) -> DataTask {
        let draft = RequestDraft(.put, url, parameters, body, headers)
        return send(draft, options, .decodable(type), success, failure)
    }

    /// Makes a PATCH call, and decodes the response into a type for `success`.
    @discardableResult
    public func patch<T: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: Parameters? = nil,
        body: RequestBody? = nil,
        headers: HTTPHeaders? = nil,
        options: CallOptions? = nil,
        as type: T.Type,
        success: SuccessHandler<T>? = nil,
        failure: FailureHandler? = nil
    ) -> DataTask {
        let draft = RequestDraft(.patch, url, parameters, body, headers)
        return send(draft, options, .decodable(type), success, failure)
    }

    /// Makes a DELETE call, and decodes the response into a type for `success`.
    @discardableResult
    public func delete<T: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: Parameters? = nil,
        body: RequestBody? = nil,
        headers: HTTPHeaders? = nil,
        options: CallOptions? = nil,
        as type: T.Type,
        success: SuccessHandler<T>? = nil,
        failure: FailureHandler? = nil
    ) -> DataTask {
        let draft = RequestDraft(.delete, url, parameters, body, headers)
        return send(draft, options, .decodable(type), success, failure)
    }
}

extension SessionManager {
    /// Creates the task of a call, and starts it if it has a handler.
    // This method and the methods that it calls are specialized for the most frequent serializers. Otherwise each call
    // would look up types at run time.
    @_specialize(where S == AnyResponseSerializer)
    @_specialize(where S == DataResponseSerializer)
    @_specialize(where S == StringResponseSerializer)
    private func send<S: ResponseSerializer>(
        _ draft: RequestDraft,
        _ options: CallOptions?,
        _ serializer: S,
        _ success: SuccessHandler<S.Output>?,
        _ failure: FailureHandler?
    ) -> DataTask {
        let plan = plan(draft.encoded(by: options))
        let handler = handler(serializer, success, failure)
        if plan.template.content.kind == .upload { return perform(plan, handler, options) as UploadTask }
        return perform(plan, handler, options)
    }

    /// Returns the handler that runs one of two closures; nil if both closures are nil.
    @_specialize(where S == AnyResponseSerializer)
    @_specialize(where S == DataResponseSerializer)
    @_specialize(where S == StringResponseSerializer)
    func handler<S: ResponseSerializer>(
        _ serializer: S,
        _ success: SuccessHandler<S.Output>?,
        _ failure: FailureHandler?
    ) -> CallHandler? {
        guard success != nil || failure != nil else { return nil }
        return ContentHandler(resolved(serializer)) { task, response in
            if let task = task as? DataTask { response.deliver(for: task, success, failure) }
        }
    }

    /// Creates a task. If it has a handler, it starts now; otherwise it starts with its first handler.
    func perform<T: SessionTask>(_ plan: CallPlan, _ handler: CallHandler?, _ options: CallOptions?) -> T {
        guard let handler else { return chain(plan, options) }
        let task: T = makeTask(plan, handler, options)
        task.resume()
        return task
    }
}

extension DataResponse {
    /// Runs one of the two closures of a call.
    fileprivate func deliver(
        for task: DataTask,
        _ success: SessionManager.SuccessHandler<Value>?,
        _ failure: SessionManager.FailureHandler?
    ) {
        switch result {
        case .success(let value): success?(task, value)
        case .failure(let error):
            // If nothing was sent, the task has no attempt, and the closure gets nil instead of the task.
            if let failure { return failure(task.attempt == nil ? nil : task, error) }
            if let writer = task.environment.failureWriter { UnhandledFailure.line(about: error).map(writer) }
        }
    }
}
