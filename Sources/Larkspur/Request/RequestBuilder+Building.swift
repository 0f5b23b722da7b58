internal import HTTPSyntax

extension RequestBuilder {
    /// Builds a request.
    /// - Parameters:
    ///   - method: The method.
    ///   - url: An absolute URL; one of http or https must have a host.
    ///   - parameters: The parameters, for the query or the content. Default: nil.
    ///   - headers: Fields of this request, which win over those of ``settings``. Default: none.
    /// - Returns: The request, with those of the properties of ``settings`` that were set.
    /// - Throws: ``LarkspurError``: `invalidMethod`, `invalidURL`, `invalidHeaderField` or `parameterEncodingFailed`.
    public func makeRequest(
        _ method: HTTPMethod,
        url: URL,
        parameters: Parameters? = nil,
        headers: HTTPHeaders = HTTPHeaders()
    ) throws(LarkspurError) -> URLRequest {
        try makeRequest(method, url: url, parameters: parameters, headers: headers, content: nil)
    }

    /// Builds a request, whose parameters become the query where it has content.
    func makeRequest(
        _ method: HTTPMethod,
        url: URL,
        parameters: Parameters?,
        headers: HTTPHeaders,
        content: RequestContent?
    ) throws(LarkspurError) -> URLRequest {
        try method.validate()
        try BaseURL.validate(url)
        // Before URLRequest sees them: it need not keep a field that it does not like.
        try headers.validate()
        var request = URLRequest(url: url)
        // Setting what it is already costs as much as anything else.
        if method != .get { request.httpMethod = method.rawValue }
        settings.applyProperties(to: &request)
        request.setFields(headers, keepsOwn: false)
        try complete(&request, parameters: parameters, content: content)
        return request
    }

    /// Puts headers and parameters into a request.
    ///
    /// Fields that the request has stay; those of ``settings`` are added where they are missing. Parameters of a method
    /// that encodes them into the URI are appended to the URL's query, before a fragment, and the rest of the URL stays
    /// as it is; otherwise they become the content. Timeout and other request properties are not applied: they are for
    /// requests that the builder makes itself.
    /// - Parameters:
    ///   - request: The request, which is not changed.
    ///   - parameters: The parameters, or nil.
    /// - Returns: The request with headers and parameters.
    /// - Throws: ``LarkspurError``: `invalidURL`, `invalidHeaderField` or `parameterEncodingFailed`, with the request
    ///   attached.
    public func serialize(_ request: URLRequest, parameters: Parameters?) throws(LarkspurError) -> URLRequest {
        var completed = request
        try complete(&completed, parameters: parameters, validatesFields: true)
        return completed
    }

    /// Adds headers and parameters to a request.
    /// - Parameter validatesFields: Whether the request has fields that nobody has looked at.
    private func complete(
        _ request: inout URLRequest,
        parameters: Parameters?,
        content: RequestContent? = nil,
        validatesFields: Bool = false
    ) throws(LarkspurError) {
        do throws(LarkspurError) {
            if validatesFields { try request.validateFields() }
            try add(parameters, content, to: &request)
        } catch {
            var error = error
            error.request = error.request ?? request
            throw error
        }
    }

    private func add(
        _ parameters: Parameters?,
        _ content: RequestContent?,
        to request: inout URLRequest
    ) throws(LarkspurError) {
        guard let url = request.url else {
            throw LarkspurError(.invalidURL, "The request has no URL: set one before it is serialized.")
        }
        try settings.headers.validate()
        request.setFields(settings.headers, keepsOwn: true)
        let isInURI = content != nil || settings.encodesParametersInURI(request.httpMethod ?? "GET")
        if let content {
            request.httpBody = try content.encoded()
            request.setContentTypeIfAbsent(content.mediaType)
        } else if !isInURI {
            try serializer.encodeBody(parameters, into: &request, with: settings)
        }
        if content != nil || !isInURI { try request.validateFields() }
        if isInURI, let parameters {
            let query = try settings.query(parameters, for: request)
            request.url = try url.appending(encodedQuery: query)
        }
    }
}

extension URL {
    /// The URL with more of a query, which is encoded already, and everything else byte for byte as it was.
    ///
    /// On the text rather than through `URLComponents`, which writes parts of a URL anew.
    func appending(encodedQuery: String) throws(LarkspurError) -> URL {
        guard !encodedQuery.isEmpty else { return self }
        let text = absoluteString
        let end = text.firstIndex(of: "#") ?? text.endIndex
        var head = text[..<end]
        if let mark = head.firstIndex(of: "?") {
            let existing = head[head.index(after: mark)...]
            if !existing.isEmpty && !existing.hasSuffix("&") { head += "&" }
        } else {
            head += "?"
        }
        head += PercentEncoding.escapingIllegalQueryCharacters(encodedQuery)
        guard let url = URL(string: String(head) + text[end...]) else {
            throw LarkspurError(.invalidURL, "The URL cannot take the parameters as its query.", failingURL: self)
        }
        return url
    }
}
