internal import HTTPSyntax

extension RequestBuilder {
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
