/// Uploads of data, files and streams: calls that take a URL string.
extension SessionManager {
    /// Sends data, a file or a stream, and parses the response.
    ///
    ///     manager.upload("backups/1", from: .file(archive), method: .put) { task, object in
    ///         print(object ?? "nothing")
    ///     }
    ///
    /// The call starts the task and returns it. Exactly one of `success` and `failure` is called, once.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - content: The content: ``UploadContent/data(_:contentType:)``, ``UploadContent/file(_:contentType:)`` or
    ///     ``UploadContent/stream(length:contentType:_:)``.
    ///   - method: The method. Default: POST.
    ///   - parameters: Names and values of the query, for every method. Default: none.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - resumable: The protocol by which the upload continues after a failure from where the server is, and its
    ///     settings: ``ResumableUpload/tus`` or ``ResumableUpload/ietf``. Default: nil, which sends the content in one
    ///     request.
    ///   - serializer: Validates and parses the response, on ``processingQueue``. Default: ``responseSerializer``.
    ///   - progress: Called on ``completionQueue`` as the content of the request is sent. Default: none.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and could
    ///     be parsed.
    ///   - failure: Called on ``completionQueue`` with the task and the error, if the call fails. The task is nil if
    ///     nothing was sent, as with the codes `invalidURL`, `invalidMethod`, `invalidHeaderField` and
    ///     `parameterEncodingFailed`. A file that cannot be read is the code `fileUnreadable`. Default: none.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func upload<S: ResponseSerializer>(
        _ url: any RequestTarget,
        from content: UploadContent,
        method: HTTPMethod = .post,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        resumable: ResumableUpload? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) -> UploadTask {
        performUpload(
            url,
            content,
            method,
            parameters,
            headers,
            hooks,
            resumable,
            serializer,
            progress,
            success,
            failure
        )
    }

    /// Sends data, a file or a stream, and decodes the response's JSON into a type.
    ///
    /// The call starts the task and returns it. Exactly one of `success` and `failure` is called, once.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - content: The content: ``UploadContent/data(_:contentType:)``, ``UploadContent/file(_:contentType:)`` or
    ///     ``UploadContent/stream(length:contentType:_:)``.
    ///   - method: The method. Default: POST.
    ///   - parameters: Names and values of the query, for every method. Default: none.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - hooks: The hooks of this task, which take precedence over those in ``hooks``. Default: none.
    ///   - resumable: The protocol by which the upload continues after a failure from where the server is, and its
    ///     settings: ``ResumableUpload/tus`` or ``ResumableUpload/ietf``. Default: nil, which sends the content in one
    ///     request.
    ///   - type: The type that ``jsonDecoder`` decodes the response into, on ``processingQueue``.
    ///   - progress: Called on ``completionQueue`` as the content of the request is sent. Default: none.
    ///   - success: Called on ``completionQueue`` with the task and the value, if the response is acceptable and could
    ///     be parsed.
    ///   - failure: Called on ``completionQueue`` with the task and the error, if the call fails. The task is nil if
    ///     nothing was sent, as with the codes `invalidURL`, `invalidMethod`, `invalidHeaderField` and
    ///     `parameterEncodingFailed`. A file that cannot be read is the code `fileUnreadable`. Default: none.
    /// - Returns: The task, running; it has ended already if the request could not be built.
    @discardableResult
    public func upload<T: Decodable & Sendable>(
        _ url: any RequestTarget,
        from content: UploadContent,
        method: HTTPMethod = .post,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil,
        resumable: ResumableUpload? = nil,
        as type: T.Type,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) -> UploadTask {
        performUpload(
            url,
            content,
            method,
            parameters,
            headers,
            hooks,
            resumable,
            decodable(type),
            progress,
            success,
            failure
        )
    }

    private func performUpload<S: ResponseSerializer>(
        _ url: any RequestTarget,
        _ content: UploadContent,
        _ method: HTTPMethod,
        _ parameters: [String: Any]?,
        _ headers: HTTPHeaders?,
        _ hooks: SessionHooks?,
        _ resumable: ResumableUpload?,
        _ serializer: S,
        _ progress: ProgressHandler?,
        _ success: @escaping SuccessHandler<S.Output>,
        _ failure: FailureHandler?
    ) -> UploadTask {
        let request = uploadRequest(url, content, method, parameters, headers)
        let task = uploadTask(with: request, content.source, resumable, serializer, progress) {
            $1.deliver(for: $0, success, failure)
        }
        task.start(with: hooks)
        return task
    }

    /// Builds the request of an upload, or returns the error that prevented its creation.
    func uploadRequest(
        _ url: any RequestTarget,
        _ content: UploadContent,
        _ method: HTTPMethod,
        _ parameters: [String: Any]?,
        _ headers: HTTPHeaders?
    ) -> Result<URLRequest, LarkspurError> {
        requestResult(method, url, parameters, .sentByTask(type: content.contentType), headers)
            .map { request in
                guard case .stream(let length?, _) = content.source else { return request }
                var request = request
                request.setValue(String(length), forHTTPHeaderField: "Content-Length")
                return request
            }
    }
}

/// The content of an upload: data, a file, or a stream, with its media type.
public struct UploadContent: Sendable {
    enum Source: Sendable {
        case data(Data)
        case file(URL)
        /// A stream; without a closure that creates it, that of the request.
        case stream(length: Int64?, (@Sendable () -> InputStream?)?)
    }

    let source: Source
    let contentType: String

    /// Creates content from data in memory.
    /// - Parameters:
    ///   - data: The data.
    ///   - contentType: The media type, for a request without a `Content-Type` of its own. Default:
    ///     `application/octet-stream`.
    public static func data(_ data: Data, contentType: String = "application/octet-stream") -> Self {
        Self(source: .data(data), contentType: contentType)
    }

    /// Creates content from a file, which is read while it is sent.
    /// - Parameters:
    ///   - url: The file, as a `file:` URL. If it is missing, unreadable or not a regular file, the task ends with the
    ///     error `fileUnreadable` and nothing is sent.
    ///   - contentType: The media type, for a request without a `Content-Type` of its own. Default: nil, which stands
    ///     for the type of the file's extension.
    public static func file(_ url: URL, contentType: String? = nil) -> Self {
        Self(source: .file(url), contentType: contentType ?? MIMEType.ofFile(named: url.lastPathComponent))
    }

    /// Creates content from the bytes of a stream.
    /// - Parameters:
    ///   - length: The number of bytes. It is the total of the progress, and is announced to the server if the
    ///     transport can do so. Default: nil, for an unknown length.
    ///   - contentType: The media type, for a request without a `Content-Type` of its own. Default:
    ///     `application/octet-stream`.
    ///   - makeStream: Creates the stream, unopened. Called each time that the content has to be sent, on a queue of
    ///     the session.
    public static func stream(
        length: Int64? = nil,
        contentType: String = "application/octet-stream",
        _ makeStream: @escaping @Sendable () -> InputStream?
    ) -> Self {
        Self(source: .stream(length: length, makeStream), contentType: contentType)
    }
}

extension UploadContent.Source {
    /// The template of a task that sends the content, and the request, or the error of content that cannot be sent.
    func template(
        for request: Result<URLRequest, LarkspurError>,
        _ resumable: ResumableUpload?
    ) -> (TransferTemplate, Result<URLRequest, LarkspurError>) {
        if let resumable { return template(for: request, resumable: resumable) }
        var content: Data?
        if case .data(let data) = self { content = data }
        let request = request.map { request in
            var request = request
            // Setting it would remove a stream.
            if content != nil || request.httpBody != nil { request.httpBody = content }
            return request
        }
        switch self {
        case .data: return (.uploadOfBody, request)
        case .stream(let length, let makeStream):
            return (.upload(makeStream, length: length ?? (try? request.get())?.announcedBodyLength), request)
        case .file(let file):
            do throws(LarkspurError) {
                try UploadFile.check(file)
                return (.upload(file: file), request)
            } catch {
                return (.upload(file: file), .failure(error))
            }
        }
    }

    /// The template of a resumable upload. Its content is not part of the request that interceptors get.
    private func template(
        for request: Result<URLRequest, LarkspurError>,
        resumable: ResumableUpload
    ) -> (TransferTemplate, Result<URLRequest, LarkspurError>) {
        var template = TransferTemplate.uploadOfBody
        let content: ResumableContent
        switch self {
        case .data(let data): content = .data(data)
        case .file(let file): content = .file(file.absoluteURL)
        case .stream:
            let error = LarkspurError(
                .unsupported,
                "A stream cannot be read again from the middle: a resumable upload sends data or a file."
            )
            return (template, request.flatMap { _ in .failure(error) })
        }
        template.resumer = UploadResumer(resumable, content)
        let checked = request.flatMap { request in
            Result { () throws(LarkspurError) in
                if case .file(let file) = self { try UploadFile.check(file) }
                try resumable.check(request)
                return request.withoutBody
            }
        }
        return (template, checked)
    }
}

extension URLRequest {
    /// The same request without content of its own.
    fileprivate var withoutBody: URLRequest {
        var request = self
        request.httpBody = nil
        return request
    }
}
