internal import HTTPSyntax

/// A builder of requests. It sets headers, request properties and parameters on a `URLRequest`.
///
/// It consists of ``settings`` and of a serializer that writes content. A builder is a value: a copy has its own
/// settings, and requests can be built on any thread.
@dynamicMemberLookup
struct RequestBuilder: Sendable {
    /// The headers, the request properties, and the encoding of parameters as a query.
    var settings: RequestSettings
    /// The serializer that writes parameters into the content of requests.
    var serializer: any RequestSerializer

    /// Creates a builder.
    /// - Parameters:
    ///   - serializer: The serializer that writes parameters into the content of requests. Default:
    ///     ``HTTPRequestSerializer``.
    ///   - settings: The headers, the request properties, and the encoding of parameters as a query. Default: those of
    ///     ``RequestSettings``.
    init(
        _ serializer: any RequestSerializer = HTTPRequestSerializer(),
        settings: RequestSettings = RequestSettings()
    ) {
        self.serializer = serializer
        self.settings = settings
    }

    /// A property of ``settings``: `builder.headers`, `builder.timeoutInterval`, `builder.queryEncoder` …
    subscript<Value>(dynamicMember property: WritableKeyPath<RequestSettings, Value>) -> Value {
        get { settings[keyPath: property] }
        set { settings[keyPath: property] = newValue }
    }
}

extension RequestBuilder {
    /// Builds a request.
    /// - Parameters:
    ///   - method: The method.
    ///   - url: An absolute URL. An http or https URL must have a host.
    ///   - parameters: The parameters, which become the query or the content. Default: nil.
    ///   - headers: Fields of this request only, in place of fields of ``settings`` with the same name. Default: none.
    /// - Returns: The request, with the properties of ``settings`` that are not nil.
    /// - Throws: ``LarkspurError``: `invalidMethod`, `invalidURL`, `invalidHeaderField` or `parameterEncodingFailed`.
    func makeRequest(
        _ method: HTTPMethod,
        url: URL,
        parameters: Parameters? = nil,
        headers: HTTPHeaders = HTTPHeaders()
    ) throws(LarkspurError) -> URLRequest {
        try BaseURL.validate(url)
        return try makeRequest(method, url: url, parameters: parameters, headers: headers, content: nil)
    }

    /// Builds a request with a URL that is already validated. If `content` is not nil, the parameters become the query.
    func makeRequest(
        _ method: HTTPMethod,
        url: URL,
        parameters: Parameters?,
        headers: HTTPHeaders,
        content: RequestContent?
    ) throws(LarkspurError) -> URLRequest {
        try method.validate()
        // Validated before they are set, because URLRequest may drop an invalid field without an error.
        try headers.validate()
        var request = URLRequest(url: url)
        // GET is the default. Setting it again would cost as much as setting another method.
        if method != .get { request.httpMethod = method.rawValue }
        settings.applyProperties(to: &request)
        request.setFields(headers, keepsOwn: false)
        try complete(&request, parameters: parameters, content: content)
        return request
    }

    /// Adds headers and parameters to a request.
    ///
    /// Existing fields of the request stay; missing fields of ``settings`` are added. For a method that encodes
    /// parameters into the URI, the parameters are appended to the URL's query, before a fragment, and the rest of the
    /// URL stays unchanged. For other methods they become the content. Timeout and other request properties are not
    /// applied: they are for requests that the builder creates itself.
    /// - Parameters:
    ///   - request: The request, which is not changed.
    ///   - parameters: The parameters, or nil.
    /// - Returns: The request with headers and parameters.
    /// - Throws: ``LarkspurError``: `invalidURL`, `invalidHeaderField` or `parameterEncodingFailed`, with the request
    ///   attached.
    func serialize(_ request: URLRequest, parameters: Parameters?) throws(LarkspurError) -> URLRequest {
        var completed = request
        try complete(&completed, parameters: parameters, validatesFields: true)
        return completed
    }

    /// Adds headers and parameters to a request.
    /// - Parameter validatesFields: Whether the request may have fields that were not validated.
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
            if let mediaType = content.mediaType {
                try HTTPHeaders.Field(name: "Content-Type", value: mediaType).validate()
                request.setContentTypeIfAbsent(mediaType)
            }
        } else if !isInURI {
            try serializer.encodeBody(parameters, into: &request, with: settings)
            // The serializer may be the caller's, and may have set any field.
            try request.validateFields()
        }
        if isInURI, let parameters {
            let query = try settings.query(parameters, for: request)
            request.url = try url.appending(encodedQuery: query)
        }
    }
}

extension URL {
    /// Returns the URL with text appended to its query. The text is already encoded. The rest of the URL stays
    /// unchanged byte for byte.
    ///
    /// The method works on the text, because `URLComponents` would encode parts of the URL again.
    func appending(encodedQuery: String) throws(LarkspurError) -> URL {
        guard !encodedQuery.isEmpty else { return self }
        let text = absoluteString
        let end = text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
        var head = text[..<end]
        if let mark = head.utf8.firstIndex(of: UInt8(ascii: "?")) {
            let existing = head[head.utf8.index(after: mark)...]
            if !existing.isEmpty && !existing.ends(with: "&") { head += "&" }
        } else {
            head += "?"
        }
        // The text of a custom query may contain any character.
        head += PercentEncoding.escapingIllegalQueryCharacters(encodedQuery)
        guard let url = URL(string: String(head) + text[end...], encodingInvalidCharacters: false) else {
            throw LarkspurError(.invalidURL, "The URL cannot take the parameters as its query.", failingURL: self)
        }
        return url
    }
}
