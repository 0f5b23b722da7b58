internal import HTTPSyntax

extension RequestBuilder {
    /// Builds a request whose body is a multipart form, which is sent as a stream.
    ///
    /// The request has the `Content-Type` and `Content-Length` fields of the form. They replace all other values of
    /// these fields. Parameters become parts, and come before the parts of the closure. Their names are the same as in
    /// a form body. Data is sent unchanged, null as an empty part, and everything else as text.
    /// - Parameters:
    ///   - method: The method, other than GET and HEAD, which have no body. Default: POST.
    ///   - url: An absolute URL. An http or https URL must have a host.
    ///   - parameters: Fields of the form. Default: none.
    ///   - headers: Fields of this request. They replace fields of ``settings`` with the same name. Default: none.
    ///   - constructing: A closure that adds the parts to the form. It is called once, before the method returns.
    /// - Returns: The request, with the form as its `httpBodyStream`.
    /// - Throws: ``LarkspurError``: `invalidMethod`, `invalidURL`, `invalidHeaderField`, `parameterEncodingFailed`, or
    ///   the ``LarkspurError`` that the closure throws. Another error of the closure becomes the `underlyingError` of
    ///   an error with the code `parameterEncodingFailed`.
    public func makeMultipartRequest(
        _ method: HTTPMethod = .post,
        url: URL,
        parameters: Parameters? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        constructing: (inout MultipartFormData) throws -> Void
    ) throws(LarkspurError) -> URLRequest {
        var (request, form) = try makeMultipart(method, url, parameters, headers, constructing)
        request.httpBodyStream = form.makeInputStream()
        return request
    }

    /// Builds a request for a multipart form, and writes the form to a file that is to be uploaded.
    ///
    /// The request has the `Content-Type` and `Content-Length` fields of the form, and no body. The file is complete
    /// when the method returns. The caller removes it.
    /// - Parameters:
    ///   - method: The method, other than GET and HEAD, which have no body. Default: POST.
    ///   - url: An absolute URL. A URL with the scheme http or https must have a host.
    ///   - parameters: Fields of the form. Default: none.
    ///   - headers: Fields of this request. They replace fields of ``settings`` with the same name. Default: none.
    ///   - file: The file to write, as a `file:` URL. Its folder must exist.
    ///   - constructing: A closure that adds the parts to the form. It is called once, before the method returns.
    /// - Returns: The request.
    /// - Throws: ``LarkspurError``: `invalidMethod`, `invalidURL`, `invalidHeaderField`, `parameterEncodingFailed`,
    ///   `bodyUnreadable`, `fileUnwritable`, or the ``LarkspurError`` that the closure throws. Another error of the
    ///   closure becomes the `underlyingError` of an error with the code `parameterEncodingFailed`.
    public func makeMultipartRequest(
        _ method: HTTPMethod = .post,
        url: URL,
        parameters: Parameters? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        writingTo file: URL,
        constructing: (inout MultipartFormData) throws -> Void
    ) throws(LarkspurError) -> URLRequest {
        let (request, form) = try makeMultipart(method, url, parameters, headers, constructing)
        try form.write(to: file)
        return request
    }

    /// Builds a request without a body, and the form that becomes its body.
    func makeMultipart(
        _ method: HTTPMethod,
        _ url: URL,
        _ parameters: Parameters?,
        _ headers: HTTPHeaders,
        _ constructing: (inout MultipartFormData) throws -> Void
    ) throws(LarkspurError) -> (URLRequest, MultipartFormData) {
        guard method != .get, method != .head else {
            throw LarkspurError(.invalidMethod, "A request with the method \(method.rawValue) has no body for a form.")
        }
        let request = try makeRequest(method, url: url, headers: headers)
        var form = MultipartFormData()
        if let parameters { try form.append(parameters, by: settings) }
        return (try form.construct(constructing, for: request), form)
    }
}

extension MultipartFormData {
    /// Calls a closure that appends parts to the form.
    /// - Returns: The request with the fields of the form, and without a body.
    mutating func construct(
        _ constructing: (inout MultipartFormData) throws -> Void,
        for request: URLRequest
    ) throws(LarkspurError) -> URLRequest {
        do {
            try constructing(&self)
        } catch let error as LarkspurError {
            throw error
        } catch {
            throw LarkspurError(
                .parameterEncodingFailed,
                "The closure that makes the form threw \(type(of: error)).",
                underlyingError: error,
                request: request
            )
        }
        var request = request
        request.httpBody = nil
        request.setValue(contentType, forHTTPHeaderField: "Content-Type")
        request.setValue(String(contentLength), forHTTPHeaderField: "Content-Length")
        return request
    }

    fileprivate mutating func append(
        _ parameters: Parameters,
        by settings: RequestSettings
    ) throws(LarkspurError) {
        for pair in try settings.queryEncoder.pairs(of: parameters) {
            guard let data = pair.data ?? (pair.value ?? "").data(using: settings.stringEncoding) else {
                throw LarkspurError(
                    .parameterEncodingFailed,
                    "The parameter `\(pair.key.onOneLine)` holds characters that \(settings.stringEncoding) does not have: use UTF-8."
                )
            }
            append(data: data, name: pair.key)
        }
    }
}
