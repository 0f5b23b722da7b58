/// The verbs with a multipart form for a body.
extension SessionManager {
    /// Sends a multipart form with any method but GET and HEAD, and parses the response.
    ///
    /// The form is sent as a stream of known length, and anew where it must be: after a redirect that keeps the method, a challenge, or a connection that turned out to be dead.
    /// If `constructing` throws, nothing is sent, and the task that is returned has ended already, with the error that `failure` gets.
    ///
    ///     manager.upload(.post, "portraits", constructing: { form in
    ///         try form.append(file: file, name: "portrait")
    ///     }) { task, object in
    ///         print(object ?? "nothing")
    ///     }
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The URL, or a reference that is resolved against ``baseURL``.
    ///   - parameters: Fields of the form, as parts before those of `constructing`. Default: none.
    ///   - headers: Fields that override those of the request serializer; `Content-Type` and `Content-Length` are the form's. Default: none.
    ///   - serializer: Validates and parses the response. Default: ``responseSerializer``.
    ///   - constructing: Adds the parts; called once, before the method returns.
    ///   - progress: Called as the form is sent, with the bytes of the whole body. Default: none.
    ///   - success: Called if the response is acceptable and could be parsed.
    ///   - failure: Called otherwise. A file or stream that cannot be read, or has another length than announced, is the code `bodyUnreadable`. Default: none.
    /// - Returns: The task, running.
    @discardableResult
    public func upload<S: ResponseSerializer>(
        _ method: HTTPMethod,
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        constructing: (inout MultipartFormData) throws -> Void,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> UploadTask {
        var form: MultipartFormData?
        let request: Result<URLRequest, LarkspurError>
        do throws(LarkspurError) {
            let made = try requestSerializer.makeMultipart(
                method,
                BaseURL.resolve(url, against: baseURL),
                parameters.map(Parameters.dictionary),
                headers ?? HTTPHeaders(),
                constructing
            )
            request = .success(made.0)
            form = made.1
        } catch {
            request = .failure(error)
        }
        let task = UploadTask(environment: environment, upload: progress, download: nil)
        let delegate = TaskDelegate(
            task: task,
            kind: .upload,
            makeBodyStream: { [form] in form?.makeInputStream() },
            isStreamed: true,
            bodyLength: form?.contentLength,
            finisher: finisher(for: serializer) { response in
                switch response.result {
                case .success(let value): success(task, value)
                case .failure(let error): failure?(task.urlSessionTask == nil ? nil : task, error)
                }
            }
        )
        start(delegate, request) { $0.uploadTask(withStreamedRequest: $1) }
        task.resume()
        return task
    }

    /// Performs a POST request with a multipart form, and parses the response.
    ///
    /// As ``upload(_:_:parameters:headers:serializer:constructing:progress:success:failure:)``, which explains the parameters.
    @discardableResult
    public func post<S: ResponseSerializer>(
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        constructing: (inout MultipartFormData) throws -> Void,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> UploadTask {
        upload(
            .post,
            url,
            parameters: parameters,
            headers: headers,
            serializer: serializer,
            constructing: constructing,
            progress: progress,
            success: success,
            failure: failure
        )
    }

    /// Performs a POST request with a multipart form, and decodes the response's JSON into a type.
    ///
    /// As ``upload(_:_:parameters:headers:serializer:constructing:progress:success:failure:)``, which explains the parameters, with the serializer `.decodable(type)`.
    @discardableResult
    public func post<T: Decodable & Sendable>(
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        constructing: (inout MultipartFormData) throws -> Void,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> UploadTask {
        upload(
            .post,
            url,
            parameters: parameters,
            headers: headers,
            serializer: .decodable(type),
            constructing: constructing,
            progress: progress,
            success: success,
            failure: failure
        )
    }

    /// Performs a PUT request with a multipart form, and parses the response.
    ///
    /// As ``upload(_:_:parameters:headers:serializer:constructing:progress:success:failure:)``, which explains the parameters.
    @discardableResult
    public func put<S: ResponseSerializer>(
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        constructing: (inout MultipartFormData) throws -> Void,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> UploadTask {
        upload(
            .put,
            url,
            parameters: parameters,
            headers: headers,
            serializer: serializer,
            constructing: constructing,
            progress: progress,
            success: success,
            failure: failure
        )
    }

    /// Performs a PUT request with a multipart form, and decodes the response's JSON into a type.
    ///
    /// As ``upload(_:_:parameters:headers:serializer:constructing:progress:success:failure:)``, which explains the parameters, with the serializer `.decodable(type)`.
    @discardableResult
    public func put<T: Decodable & Sendable>(
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        constructing: (inout MultipartFormData) throws -> Void,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> UploadTask {
        upload(
            .put,
            url,
            parameters: parameters,
            headers: headers,
            serializer: .decodable(type),
            constructing: constructing,
            progress: progress,
            success: success,
            failure: failure
        )
    }

    /// Performs a PATCH request with a multipart form, and parses the response.
    ///
    /// As ``upload(_:_:parameters:headers:serializer:constructing:progress:success:failure:)``, which explains the parameters.
    @discardableResult
    public func patch<S: ResponseSerializer>(
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        constructing: (inout MultipartFormData) throws -> Void,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> UploadTask {
        upload(
            .patch,
            url,
            parameters: parameters,
            headers: headers,
            serializer: serializer,
            constructing: constructing,
            progress: progress,
            success: success,
            failure: failure
        )
    }

    /// Performs a PATCH request with a multipart form, and decodes the response's JSON into a type.
    ///
    /// As ``upload(_:_:parameters:headers:serializer:constructing:progress:success:failure:)``, which explains the parameters, with the serializer `.decodable(type)`.
    @discardableResult
    public func patch<T: Decodable & Sendable>(
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        constructing: (inout MultipartFormData) throws -> Void,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> UploadTask {
        upload(
            .patch,
            url,
            parameters: parameters,
            headers: headers,
            serializer: .decodable(type),
            constructing: constructing,
            progress: progress,
            success: success,
            failure: failure
        )
    }
}
