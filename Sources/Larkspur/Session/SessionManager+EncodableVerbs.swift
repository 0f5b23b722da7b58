/// The verbs with parameters that encode themselves.
extension SessionManager {
    /// Performs a GET request, with parameters that encode themselves, and parses the response. Parameters become the query.
    ///
    /// As ``request(_:_:parameters:headers:serializer:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters; `progress` is that of the download.
    @discardableResult
    public func get<P: Encodable, S: ResponseSerializer>(
        _ url: String,
        parameters: P,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(.get, url, .encodable(parameters), headers, serializer, download: progress, success, failure)
    }

    /// Performs a GET request, with parameters that encode themselves, and decodes the response's JSON into a type. Parameters become the query.
    ///
    /// As ``request(_:_:parameters:headers:as:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters; `progress` is that of the download.
    @discardableResult
    public func get<P: Encodable, T: Decodable & Sendable>(
        _ url: String,
        parameters: P,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(.get, url, .encodable(parameters), headers, .decodable(type), download: progress, success, failure)
    }

    /// Performs a HEAD request, with parameters that encode themselves. Parameters become the query; there is no content, so `success` gets the task alone.
    ///
    /// As ``request(_:_:parameters:headers:serializer:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters.
    @discardableResult
    public func head<P: Encodable>(
        _ url: String,
        parameters: P,
        headers: HTTPHeaders? = nil,
        success: @escaping @Sendable (DataTask) -> Void,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(
            .head,
            url,
            .encodable(parameters),
            headers,
            AnyResponseSerializer.sessionDefault,
            { task, _ in success(task) },
            failure
        )
    }

    /// Performs a POST request, with parameters that encode themselves, and parses the response. Parameters become the body.
    ///
    /// As ``request(_:_:parameters:headers:serializer:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters; `progress` is that of the upload.
    @discardableResult
    public func post<P: Encodable, S: ResponseSerializer>(
        _ url: String,
        parameters: P,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(.post, url, .encodable(parameters), headers, serializer, upload: progress, success, failure)
    }

    /// Performs a POST request, with parameters that encode themselves, and decodes the response's JSON into a type. Parameters become the body.
    ///
    /// As ``request(_:_:parameters:headers:as:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters; `progress` is that of the upload.
    @discardableResult
    public func post<P: Encodable, T: Decodable & Sendable>(
        _ url: String,
        parameters: P,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(.post, url, .encodable(parameters), headers, .decodable(type), upload: progress, success, failure)
    }

    /// Performs a PUT request, with parameters that encode themselves, and parses the response. Parameters become the body.
    ///
    /// As ``request(_:_:parameters:headers:serializer:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters; `progress` is that of the upload.
    @discardableResult
    public func put<P: Encodable, S: ResponseSerializer>(
        _ url: String,
        parameters: P,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(.put, url, .encodable(parameters), headers, serializer, upload: progress, success, failure)
    }

    /// Performs a PUT request, with parameters that encode themselves, and decodes the response's JSON into a type. Parameters become the body.
    ///
    /// As ``request(_:_:parameters:headers:as:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters; `progress` is that of the upload.
    @discardableResult
    public func put<P: Encodable, T: Decodable & Sendable>(
        _ url: String,
        parameters: P,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(.put, url, .encodable(parameters), headers, .decodable(type), upload: progress, success, failure)
    }

    /// Performs a PATCH request, with parameters that encode themselves, and parses the response. Parameters become the body.
    ///
    /// As ``request(_:_:parameters:headers:serializer:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters; `progress` is that of the upload.
    @discardableResult
    public func patch<P: Encodable, S: ResponseSerializer>(
        _ url: String,
        parameters: P,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(.patch, url, .encodable(parameters), headers, serializer, upload: progress, success, failure)
    }

    /// Performs a PATCH request, with parameters that encode themselves, and decodes the response's JSON into a type. Parameters become the body.
    ///
    /// As ``request(_:_:parameters:headers:as:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters; `progress` is that of the upload.
    @discardableResult
    public func patch<P: Encodable, T: Decodable & Sendable>(
        _ url: String,
        parameters: P,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(.patch, url, .encodable(parameters), headers, .decodable(type), upload: progress, success, failure)
    }

    /// Performs a DELETE request, with parameters that encode themselves, and parses the response. Parameters become the query.
    ///
    /// As ``request(_:_:parameters:headers:serializer:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters.
    @discardableResult
    public func delete<P: Encodable, S: ResponseSerializer>(
        _ url: String,
        parameters: P,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(.delete, url, .encodable(parameters), headers, serializer, success, failure)
    }

    /// Performs a DELETE request, with parameters that encode themselves, and decodes the response's JSON into a type. Parameters become the query.
    ///
    /// As ``request(_:_:parameters:headers:as:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters.
    @discardableResult
    public func delete<P: Encodable, T: Decodable & Sendable>(
        _ url: String,
        parameters: P,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(.delete, url, .encodable(parameters), headers, .decodable(type), success, failure)
    }
}
