extension SessionManager {
    /// Gets the task and what the response serializer made of the response; runs on the completion queue.
    public typealias SuccessHandler<Value> = @Sendable (DataTask, Value) -> Void

    /// Gets the task and what went wrong; runs on the completion queue. The task is nil if nothing was ever sent because the request could not be built or the session makes no more
    /// tasks; it is then the one that the call returned, already ended.
    public typealias FailureHandler = @Sendable (DataTask?, LarkspurError) -> Void

    /// Gets the progress, always the same object; runs on the completion queue.
    public typealias ProgressHandler = @Sendable (Progress) -> Void

    /// Performs a request with any method, and parses the response.
    ///
    /// The task is started and returned. It ends in exactly one call of either `success` or `failure`. If the request cannot be built (a malformed URL, parameters that cannot
    /// be encoded), the task that is returned has ended already, with the error that `failure` gets.
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` at the root of its host.
    ///   - parameters: What the request serializer puts into the query or the body. Default: none.
    ///   - headers: Fields that override those of the request serializer. Default: none.
    ///   - serializer: Validates and parses the response. Default: ``responseSerializer``.
    ///   - uploadProgress: Called as the body is sent. Default: none.
    ///   - downloadProgress: Called as content arrives. Default: none.
    ///   - success: Called if the response is acceptable and could be parsed.
    ///   - failure: Called otherwise. Default: none.
    /// - Returns: The task, running.
    @discardableResult
    public func request<S: ResponseSerializer>(
        _ method: HTTPMethod,
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(
            method,
            url,
            parameters.map(Parameters.dictionary),
            headers,
            serializer,
            upload: uploadProgress,
            download: downloadProgress,
            success,
            failure
        )
    }

    /// Performs a request with any method, and decodes the response's JSON into a type.
    ///
    /// As ``request(_:_:parameters:headers:serializer:uploadProgress:downloadProgress:success:failure:)``, with the serializer `.decodable(type)`.
    @discardableResult
    public func request<T: Decodable & Sendable>(
        _ method: HTTPMethod,
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        request(
            method,
            url,
            parameters: parameters,
            headers: headers,
            serializer: .decodable(type),
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress,
            success: success,
            failure: failure
        )
    }

    /// Performs a request with any method and parameters that encode themselves, and parses the response.
    ///
    /// As ``request(_:_:parameters:headers:serializer:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters.
    @discardableResult
    public func request<P: Encodable, S: ResponseSerializer>(
        _ method: HTTPMethod,
        _ url: String,
        parameters: P,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(
            method,
            url,
            .encodable(parameters),
            headers,
            serializer,
            upload: uploadProgress,
            download: downloadProgress,
            success,
            failure
        )
    }

    /// Performs a request with any method and parameters that encode themselves, and decodes the response's JSON into a type.
    ///
    /// As ``request(_:_:parameters:headers:serializer:uploadProgress:downloadProgress:success:failure:)``, with the serializer `.decodable(type)`.
    @discardableResult
    public func request<P: Encodable, T: Decodable & Sendable>(
        _ method: HTTPMethod,
        _ url: String,
        parameters: P,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        request(
            method,
            url,
            parameters: parameters,
            headers: headers,
            serializer: .decodable(type),
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress,
            success: success,
            failure: failure
        )
    }

    // MARK: What the verbs share

    /// Builds a request, makes its task and starts it.
    @_specialize(where S == AnyResponseSerializer)
    func perform<S: ResponseSerializer>(
        _ method: HTTPMethod,
        _ url: String,
        _ parameters: Parameters?,
        _ headers: HTTPHeaders?,
        _ serializer: S,
        upload: ProgressHandler? = nil,
        download: ProgressHandler? = nil,
        _ success: @escaping SuccessHandler<S.Output>,
        _ failure: FailureHandler?
    ) -> DataTask {
        let request: Result<URLRequest, LarkspurError>
        do {
            request = .success(try makeRequest(method, url, parameters, headers))
        } catch {
            request = .failure(error)
        }
        let task = dataTask(for: request, serializer: serializer, upload: upload, download: download) {
            task,
            response in
            switch response.result {
            case .success(let value): success(task, value)
            case .failure(let error): failure?(task.urlSessionTask == nil ? nil : task, error)
            }
        }
        task.resume()
        return task
    }

    /// Builds the request of a verb: resolves the URL, serializes the parameters, and lets the call's own fields win over the serializer's.
    private func makeRequest(
        _ method: HTTPMethod,
        _ url: String,
        _ parameters: Parameters?,
        _ headers: HTTPHeaders?
    ) throws(LarkspurError) -> URLRequest {
        let url = try BaseURL.resolve(url, against: baseURL)
        return try requestSerializer.makeRequest(
            method,
            url: url,
            parameters: parameters,
            headers: headers ?? HTTPHeaders()
        )
    }
}
