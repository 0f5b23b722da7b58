public import HTTPTypes
internal import HTTPTypesFoundation
public import Larkspur

extension SessionManager {
    /// Sends a request, and returns its response of any status.
    ///
    ///     let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/users")
    ///     let (response, content) = try await manager.execute(request)
    /// - Parameters:
    ///   - request: The request. Without a scheme and an authority its path is a reference, which is resolved against
    ///     the manager's base URL: `"users"` is below it, `"/users"` is at the root of its host.
    ///   - body: The content of the request. Default: none.
    /// - Returns: The response and its content. The reason phrase is not known. For the trailers, use
    ///   ``open(_:body:options:)``.
    /// - Throws: `LarkspurError`, if the request cannot be sent or no HTTP response arrives.
    public func execute(
        _ request: HTTPRequest,
        body: Data? = nil
    ) async throws(LarkspurError) -> (response: HTTPResponse, content: Data) {
        try await Self.collect(dataTask(with: try makeRequest(request, body: body)))
    }

    /// Sends a request with any body, and returns its response of any status.
    /// - Parameters:
    ///   - request: The request, as in ``execute(_:body:)``.
    ///   - body: The content of the request: data, a file, a sequence, a writer and others. If the request has no
    ///     `Content-Type`, the body sets it to its media type.
    ///   - options: Settings of the call. Default: the settings of the manager.
    /// - Returns: The response and its content. The reason phrase is not known.
    /// - Throws: `LarkspurError`, if the request cannot be sent or no HTTP response arrives.
    public func execute(
        _ request: HTTPRequest,
        body: RequestBody,
        options: CallOptions? = nil
    ) async throws(LarkspurError) -> (response: HTTPResponse, content: Data) {
        try await Self.collect(call(request, body: body, options: options))
    }

    /// Sends a request, and returns its response of any status before the content. Content can be read while the body
    /// of the request is still sent.
    ///
    ///     let body = RequestBody.writer { writer in
    ///         for line in lines { try await writer.write(line) }
    ///     }
    ///     let (response, content) = try await manager.open(request, body: body)
    ///     for try await chunk in content { … }
    /// - Parameters:
    ///   - request: The request, as in ``execute(_:body:)``.
    ///   - body: The content of the request. Default: none.
    ///   - options: Settings of the call. Default: the settings of the manager.
    /// - Returns: The response, and its content as it arrives. The reason phrase is not known. The trailers are the
    ///   `trailerFields` of the content, after its end. Releasing the content cancels the call.
    /// - Throws: `LarkspurError`, if the request cannot be sent or no HTTP response arrives.
    public func open(
        _ request: HTTPRequest,
        body: RequestBody? = nil,
        options: CallOptions? = nil
    ) async throws(LarkspurError) -> (response: HTTPResponse, content: ContentChunks) {
        let (head, content) = try await call(request, body: body, options: options).open()
        guard let response = head.httpResponse else { throw Self.noResponse(nil) }
        return (response, content)
    }

    /// Creates a call, which starts with its first handler, or with a method that awaits it.
    ///
    ///     let user = try await manager.call(request).value(as: User.self)
    /// - Parameters:
    ///   - request: The request, as in ``execute(_:body:)``. If it has no URL, the call ends with the error
    ///     `invalidURL`.
    ///   - body: The content of the request. Default: none.
    ///   - options: Settings of the call. Default: the settings of the manager.
    ///   - resumable: The protocol by which the upload of the body continues after a failure. Default: nil, which sends
    ///     the content in one request.
    /// - Returns: The call, not started.
    public func call(
        _ request: HTTPRequest,
        body: RequestBody? = nil,
        options: CallOptions? = nil,
        resumable: ResumableUpload? = nil
    ) -> DataTask {
        let method = HTTPMethod(rawValue: request.method.rawValue)
        let headers = HTTPHeaders(request.headerFields)
        guard let body else { return self.request(method, request.target, headers: headers, options: options) }
        return upload(
            request.target,
            from: body,
            method: method,
            headers: headers,
            options: options,
            resumable: resumable
        )
    }

    /// Builds the request that `execute(_:body:)` sends.
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The content of the request. Without a `Content-Type` of the request, its type is
    ///     `application/octet-stream`. Default: none.
    /// - Returns: The request with the headers and settings of the manager. Its own fields replace those of the
    ///   manager with the same name.
    /// - Throws: `LarkspurError` with the code `invalidURL`, if there is no URL.
    public func makeRequest(_ request: HTTPRequest, body: Data? = nil) throws(LarkspurError) -> URLRequest {
        try makeRequest(
            HTTPMethod(rawValue: request.method.rawValue),
            request.target,
            body: body.map { .data($0) },
            headers: HTTPHeaders(request.headerFields)
        )
    }

    private static func collect(
        _ task: DataTask
    ) async throws(LarkspurError) -> (response: HTTPResponse, content: Data) {
        let answer = await task.response(as: DataResponseSerializer(validation: .anything))
        let content = try answer.result.get()
        guard let response = answer.httpResponse?.httpResponse else { throw noResponse(answer.request) }
        return (response, content)
    }

    private static func noResponse(_ request: URLRequest?) -> LarkspurError {
        LarkspurError(.malformedResponse, "The response is no HTTP response.", request: request)
    }
}

extension HTTPRequest {
    /// The URL, or a reference to resolve against the base URL of a session manager.
    fileprivate var target: String { url?.absoluteString ?? path ?? "" }
}
