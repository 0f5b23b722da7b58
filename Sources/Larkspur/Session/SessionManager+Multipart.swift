/// The calls that send a multipart form.
extension SessionManager {
    /// Sends a multipart form with any method but GET and HEAD, and parses the response.
    ///
    /// The form is sent as a stream of known length. It is sent again if necessary: after a redirect that keeps the
    /// method, after a challenge, or after a reused connection turned out to be closed.
    ///
    ///     manager.request(.put, "portraits/1", constructing: { form in
    ///         try form.append(file: file, name: "portrait")
    ///     }, success: { task, object in
    ///         print(object ?? "nothing")
    ///     })
    ///
    /// The call starts the task and returns it. Exactly one of `success` and `failure` is called, once. If
    /// `constructing` throws, nothing is sent: the task has ended already, and `failure` gets its error.
    /// - Parameters:
    ///   - method: The method, which may be any token (RFC 9110, section 9.1).
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Fields of the form, which become parts before those of `constructing`. Default: none.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name; `Content-Type` and
    ///     `Content-Length` are the form's. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - serializer: Validates and parses the response, on ``processingQueue``. Default: ``responseSerializer``.
    ///   - constructing: Adds the parts to the form. Called once, before the method returns.
    ///   - progress: Called on ``completionQueue`` as the form is sent. The counts are bytes of the whole content.
    ///     Default: none.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and could
    ///     be parsed.
    ///   - failure: Called on ``completionQueue`` with the task and the error, if the call fails. The task is nil if
    ///     nothing was sent, as with the codes `invalidURL`, `invalidMethod`, `invalidHeaderField` and
    ///     `parameterEncodingFailed`. A file or stream that cannot be read, or whose length differs from the announced
    ///     one, is the code `bodyUnreadable`. Default: none.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func request<S: ResponseSerializer>(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        constructing: (inout MultipartFormData) throws -> Void,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> UploadTask {
        performForm(method, url, parameters, headers, hooks, serializer, constructing, progress, success, failure)
    }

    /// Performs a POST request with a multipart form, and parses the response.
    ///
    /// The form is sent as a stream of known length. It is sent again if necessary: after a redirect that keeps the
    /// method, after a challenge, or after a reused connection turned out to be closed.
    ///
    /// The call starts the task and returns it. Exactly one of `success` and `failure` is called, once. If
    /// `constructing` throws, nothing is sent: the task has ended already, and `failure` gets its error.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Fields of the form, which become parts before those of `constructing`. Default: none.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name; `Content-Type` and
    ///     `Content-Length` are the form's. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - serializer: Validates and parses the response, on ``processingQueue``. Default: ``responseSerializer``.
    ///   - constructing: Adds the parts to the form. Called once, before the method returns.
    ///   - progress: Called on ``completionQueue`` as the form is sent. The counts are bytes of the whole content.
    ///     Default: none.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and could
    ///     be parsed.
    ///   - failure: Called on ``completionQueue`` with the task and the error, if the call fails. The task is nil if
    ///     nothing was sent, as with the codes `invalidURL`, `invalidHeaderField` and `parameterEncodingFailed`. A file
    ///     or stream that cannot be read, or whose length differs from the announced one, is the code `bodyUnreadable`.
    ///     Default: none.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func post<S: ResponseSerializer>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        constructing: (inout MultipartFormData) throws -> Void,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> UploadTask {
        performForm(.post, url, parameters, headers, hooks, serializer, constructing, progress, success, failure)
    }

    /// Performs a POST request with a multipart form, and decodes the response's JSON into a type.
    ///
    /// The form is sent as a stream of known length. It is sent again if necessary: after a redirect that keeps the
    /// method, after a challenge, or after a reused connection turned out to be closed.
    ///
    /// The call starts the task and returns it. Exactly one of `success` and `failure` is called, once. If
    /// `constructing` throws, nothing is sent: the task has ended already, and `failure` gets its error.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Fields of the form, which become parts before those of `constructing`. Default: none.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name; `Content-Type` and
    ///     `Content-Length` are the form's. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - type: The type that ``jsonDecoder`` decodes the response into, on ``processingQueue``.
    ///   - constructing: Adds the parts to the form. Called once, before the method returns.
    ///   - progress: Called on ``completionQueue`` as the form is sent. The counts are bytes of the whole content.
    ///     Default: none.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and could
    ///     be parsed.
    ///   - failure: Called on ``completionQueue`` with the task and the error, if the call fails. The task is nil if
    ///     nothing was sent, as with the codes `invalidURL`, `invalidHeaderField` and `parameterEncodingFailed`. A file
    ///     or stream that cannot be read, or whose length differs from the announced one, is the code `bodyUnreadable`.
    ///     Default: none.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func post<T: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        as type: T.Type,
        constructing: (inout MultipartFormData) throws -> Void,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> UploadTask {
        performForm(.post, url, parameters, headers, hooks, decodable(type), constructing, progress, success, failure)
    }

    private func performForm<S: ResponseSerializer>(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        _ parameters: [String: Any]?,
        _ headers: HTTPHeaders?,
        _ hooks: SessionHooks?,
        _ serializer: S,
        _ constructing: (inout MultipartFormData) throws -> Void,
        _ progress: ProgressHandler?,
        _ success: @escaping SuccessHandler<S.Output>,
        _ failure: FailureHandler?
    ) -> UploadTask {
        let (template, request) = form(method, url, parameters, headers, constructing)
        let handler = handler(serializer) { (task: UploadTask, response) in
            response.deliver(for: task, success, failure)
        }
        let task: UploadTask = makeTask(CallPlan(template: template, request: request), handler, upload: progress)
        task.start(with: hooks)
        return task
    }

    /// Builds the request of a form, or returns the error that prevented its creation.
    func form(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        _ parameters: [String: Any]?,
        _ headers: HTTPHeaders?,
        _ constructing: (inout MultipartFormData) throws -> Void
    ) -> (TransferTemplate, Result<URLRequest, LarkspurError>) {
        var form: MultipartFormData?
        let request: Result<URLRequest, LarkspurError>
        do throws(LarkspurError) {
            let made = try requestBuilder.makeMultipart(
                method,
                resolved(url),
                parameters.map(Parameters.dictionary),
                headers ?? HTTPHeaders(),
                constructing
            )
            request = .success(made.0)
            form = made.1
        } catch {
            request = .failure(error)
        }
        return (.upload({ [form] in form?.makeInputStream() }, length: form?.contentLength), request)
    }
}
