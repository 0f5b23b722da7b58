/// The verbs: each builds a request, starts its task and returns it.
extension SessionManager {
    /// Performs a GET request, and parses the response. Parameters become the query.
    ///
    /// As ``request(_:_:parameters:headers:serializer:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters; `progress` is that of the download.
    @discardableResult
    public func get<S: ResponseSerializer>(
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(
            .get,
            url,
            parameters.map(Parameters.dictionary),
            headers,
            serializer,
            download: progress,
            success,
            failure
        )
    }

    /// Performs a GET request, and decodes the response's JSON into a type. Parameters become the query.
    ///
    /// As ``request(_:_:parameters:headers:as:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters; `progress` is that of the download.
    @discardableResult
    public func get<T: Decodable & Sendable>(
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(
            .get,
            url,
            parameters.map(Parameters.dictionary),
            headers,
            .decodable(type),
            download: progress,
            success,
            failure
        )
    }

    /// Performs a HEAD request. Parameters become the query; there is no content, so `success` gets the task alone.
    ///
    /// As ``request(_:_:parameters:headers:serializer:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters.
    @discardableResult
    public func head(
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        success: @escaping @Sendable (DataTask) -> Void,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(
            .head,
            url,
            parameters.map(Parameters.dictionary),
            headers,
            AnyResponseSerializer.sessionDefault,
            { task, _ in success(task) },
            failure
        )
    }

    /// Performs a POST request, and parses the response. Parameters become the body.
    ///
    /// As ``request(_:_:parameters:headers:serializer:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters; `progress` is that of the upload.
    @discardableResult
    public func post<S: ResponseSerializer>(
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(
            .post,
            url,
            parameters.map(Parameters.dictionary),
            headers,
            serializer,
            upload: progress,
            success,
            failure
        )
    }

    /// Performs a POST request, and decodes the response's JSON into a type. Parameters become the body.
    ///
    /// As ``request(_:_:parameters:headers:as:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters; `progress` is that of the upload.
    @discardableResult
    public func post<T: Decodable & Sendable>(
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(
            .post,
            url,
            parameters.map(Parameters.dictionary),
            headers,
            .decodable(type),
            upload: progress,
            success,
            failure
        )
    }

    /// Performs a PUT request, and parses the response. Parameters become the body.
    ///
    /// As ``request(_:_:parameters:headers:serializer:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters; `progress` is that of the upload.
    @discardableResult
    public func put<S: ResponseSerializer>(
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(
            .put,
            url,
            parameters.map(Parameters.dictionary),
            headers,
            serializer,
            upload: progress,
            success,
            failure
        )
    }

    /// Performs a PUT request, and decodes the response's JSON into a type. Parameters become the body.
    ///
    /// As ``request(_:_:parameters:headers:as:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters; `progress` is that of the upload.
    @discardableResult
    public func put<T: Decodable & Sendable>(
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(
            .put,
            url,
            parameters.map(Parameters.dictionary),
            headers,
            .decodable(type),
            upload: progress,
            success,
            failure
        )
    }

    /// Performs a PATCH request, and parses the response. Parameters become the body.
    ///
    /// As ``request(_:_:parameters:headers:serializer:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters; `progress` is that of the upload.
    @discardableResult
    public func patch<S: ResponseSerializer>(
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(
            .patch,
            url,
            parameters.map(Parameters.dictionary),
            headers,
            serializer,
            upload: progress,
            success,
            failure
        )
    }

    /// Performs a PATCH request, and decodes the response's JSON into a type. Parameters become the body.
    ///
    /// As ``request(_:_:parameters:headers:as:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters; `progress` is that of the upload.
    @discardableResult
    public func patch<T: Decodable & Sendable>(
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(
            .patch,
            url,
            parameters.map(Parameters.dictionary),
            headers,
            .decodable(type),
            upload: progress,
            success,
            failure
        )
    }

    /// Performs a DELETE request, and parses the response. Parameters become the query.
    ///
    /// As ``request(_:_:parameters:headers:serializer:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters.
    @discardableResult
    public func delete<S: ResponseSerializer>(
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(.delete, url, parameters.map(Parameters.dictionary), headers, serializer, success, failure)
    }

    /// Performs a DELETE request, and decodes the response's JSON into a type. Parameters become the query.
    ///
    /// As ``request(_:_:parameters:headers:as:uploadProgress:downloadProgress:success:failure:)``, which explains the parameters.
    @discardableResult
    public func delete<T: Decodable & Sendable>(
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> DataTask {
        perform(.delete, url, parameters.map(Parameters.dictionary), headers, .decodable(type), success, failure)
    }
}
