/// The calls without closures. Each returns a task that starts with its first handler, `await` or sequence, or with
/// ``SessionTask/resume()``, so that its settings can be chained before:
///
///     let user = try await manager.get("users/1").value(as: User.self)
///     manager.get("users/1").authenticate(username: "ada", password: "secret").responseString { response in
///         print(response.value ?? "nothing")
///     }
///
/// A call that is released without having started sends nothing; in debug builds a line on standard error says so.
extension SessionManager {
    /// Makes a request with any method.
    ///
    /// Content has no defined meaning in a GET or HEAD request (RFC 9110, section 9.3). A `body` is sent nevertheless.
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
    /// - Returns: The task, not started. If the request could not be built, it ends with that error when it starts:
    ///   `invalidURL`, `invalidMethod`, `invalidHeaderField` or `parameterEncodingFailed`.
    public func request(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: (any Encodable)? = nil,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil
    ) -> DataTask {
        let content = self.content(body, encoder)
        return call(dataPlan(method, url, parameters, content, headers), hooks)
    }

    /// Makes a call of a request.
    ///
    /// The request is sent unchanged: headers, authorization and other settings of the manager are not added, and
    /// ``baseURL`` is not used.
    /// - Parameters:
    ///   - request: The request; its body, if it has one, is sent.
    /// - Returns: The task, not started. A request that cannot be sent is the error `invalidURL`, `invalidMethod` or
    ///   `invalidHeaderField` when it starts.
    public func dataTask(
        with request: URLRequest
    ) -> DataTask {
        dataTask(for: .success(request), nil)
    }

    /// Makes a GET request. The parameters become the query.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Names and values of the query, which the request serializer writes. Default: none.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    /// - Returns: The task, not started. If the request could not be built, it ends with that error when it starts:
    ///   `invalidURL`, `invalidHeaderField` or `parameterEncodingFailed`.
    public func get(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil
    ) -> DataTask {
        request(.get, url, parameters: parameters, headers: headers, hooks: hooks)
    }

    /// Makes a HEAD request. The parameters become the query, and the response has no content.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Names and values of the query, which the request serializer writes. Default: none.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    /// - Returns: The task, not started. If the request could not be built, it ends with that error when it starts:
    ///   `invalidURL`, `invalidHeaderField` or `parameterEncodingFailed`.
    public func head(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil
    ) -> DataTask {
        request(.head, url, parameters: parameters, headers: headers, hooks: hooks)
    }

    /// Makes a POST request.
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
    /// - Returns: The task, not started. If the request could not be built, it ends with that error when it starts:
    ///   `invalidURL`, `invalidHeaderField` or `parameterEncodingFailed`.
    public func post(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: (any Encodable)? = nil,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil
    ) -> DataTask {
        request(.post, url, parameters: parameters, body: body, encoder: encoder, headers: headers, hooks: hooks)
    }

    /// Makes a PUT request.
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
    /// - Returns: The task, not started. If the request could not be built, it ends with that error when it starts:
    ///   `invalidURL`, `invalidHeaderField` or `parameterEncodingFailed`.
    public func put(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: (any Encodable)? = nil,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil
    ) -> DataTask {
        request(.put, url, parameters: parameters, body: body, encoder: encoder, headers: headers, hooks: hooks)
    }

    /// Makes a PATCH request.
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
    /// - Returns: The task, not started. If the request could not be built, it ends with that error when it starts:
    ///   `invalidURL`, `invalidHeaderField` or `parameterEncodingFailed`.
    public func patch(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: (any Encodable)? = nil,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil
    ) -> DataTask {
        request(.patch, url, parameters: parameters, body: body, encoder: encoder, headers: headers, hooks: hooks)
    }

    /// Makes a DELETE request.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Names and values of the query, which the request serializer writes. Default: none.
    ///   - body: A value that becomes the content of the request. It is encoded before the method returns. Default:
    ///     none.
    ///   - encoder: The encoder of `body`, which also names its `Content-Type`. Default: ``jsonEncoder``.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    /// - Returns: The task, not started. If the request could not be built, it ends with that error when it starts:
    ///   `invalidURL`, `invalidHeaderField` or `parameterEncodingFailed`.
    public func delete(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: (any Encodable)? = nil,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil
    ) -> DataTask {
        request(.delete, url, parameters: parameters, body: body, encoder: encoder, headers: headers, hooks: hooks)
    }

    /// Makes a POST request with a multipart form.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Names and values that become parts of the form. Default: none.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - constructing: Appends the parts of the form. Called once, before the method returns.
    /// - Returns: The task, not started. If the request could not be built, it ends with that error when it starts.
    public func postForm(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        constructing: (inout MultipartFormData) throws -> Void
    ) -> UploadTask {
        let (template, request) = form(.post, url, parameters, headers, constructing)
        return call(CallPlan(template: template, request: request), hooks)
    }

    /// Sends a file, data or a stream.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - content: The content and its type.
    ///   - method: The method. Default: POST.
    ///   - parameters: Names and values of the query, which the request serializer writes. Default: none.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - resumable: The protocol by which the upload continues after a failure from where the server is, and its
    ///     settings: ``ResumableUpload/tus`` or ``ResumableUpload/ietf``. Default: nil, which sends the content in one
    ///     request.
    /// - Returns: The task, not started. If the request could not be built or the file cannot be sent, it ends with
    ///   that error when it starts.
    public func upload(
        _ url: any RequestTarget,
        from content: UploadContent,
        method: HTTPMethod = .post,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        resumable: ResumableUpload? = nil
    ) -> UploadTask {
        let (template, request) = content.source.template(
            for: uploadRequest(url, content, method, parameters, headers),
            resumable
        )
        return call(CallPlan(template: template, request: request), hooks)
    }

    /// Downloads a file.
    ///
    ///     let file = try await manager.download("report.pdf", to: .folder(downloads)).file
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - method: The method. Default: GET.
    ///   - parameters: Names and values that the request serializer writes. They become the query for GET, HEAD and
    ///     DELETE, otherwise the content. Default: none.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - resumes: The maximum number of times that the task resumes automatically after its connection is lost or
    ///     times out. Default: 0. Without effect with the transport `.foundation` on Linux.
    ///   - resumeData: The resume data of an earlier task, with which the download continues. Default: nil, which
    ///     downloads the file from its beginning.
    ///   - destination: The location of the file. If nil, handlers get a temporary file, which is removed when the
    ///     task is released; an `async` function gets a temporary file that it owns. Default: nil.
    /// - Returns: The task, not started. If the request could not be built, it ends with that error when it starts.
    public func download(
        _ url: any RequestTarget,
        method: HTTPMethod = .get,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        resumes: Int = 0,
        resumeData: Data? = nil,
        to destination: DownloadDestination? = nil
    ) -> DownloadTask {
        let made = requestResult(method, url, parameters, nil, headers)
        return call(downloadPlan(made, resumeData, resumes, ResponseValidation(), destination), hooks)
    }

    // MARK: Common parts

    /// Makes a task for a request, which is launched with its first handler.
    func dataTask(for request: Result<URLRequest, LarkspurError>, _ hooks: SessionHooks?) -> DataTask {
        call(CallPlan(template: .data, request: request), hooks)
    }

    /// Makes a task that is launched with its first handler.
    private func call<T: SessionTask>(_ plan: CallPlan, _ hooks: SessionHooks?) -> T {
        var plan = plan
        plan.chain = CallPlan.Chain(jsonDecoder: jsonDecoder, serializer: resolved(.sessionDefault))
        let task: T = makeTask(plan, nil)
        if let hooks { task.hooks = hooks }
        return task
    }
}
