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
    /// - Returns: The response and its content. The reason phrase and the trailers are not known.
    /// - Throws: `LarkspurError`, if the request cannot be sent or no HTTP response arrives.
    public func execute(
        _ request: HTTPRequest,
        body: Data? = nil
    ) async throws(LarkspurError) -> (response: HTTPResponse, content: Data) {
        let serializer = DataResponseSerializer(validation: .anything)
        let answer = await dataTask(with: try makeRequest(request, body: body)).response(as: serializer)
        let content = try answer.result.get()
        guard let response = answer.httpResponse?.httpResponse else {
            throw LarkspurError(.malformedResponse, "The response is no HTTP response.", request: answer.request)
        }
        return (response, content)
    }

    /// Builds the request that `execute(_:body:)` sends.
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The content of the request. Default: none.
    /// - Returns: The request with the headers and settings of the manager. Its own fields replace those of the
    ///   manager with the same name.
    /// - Throws: `LarkspurError` with the code `invalidURL`, if there is no URL.
    public func makeRequest(_ request: HTTPRequest, body: Data? = nil) throws(LarkspurError) -> URLRequest {
        let method = HTTPMethod(rawValue: request.method.rawValue)
        var result = try makeRequest(
            method,
            request.url?.absoluteString ?? request.path ?? "",
            headers: HTTPHeaders(request.headerFields)
        )
        if let body { result.httpBody = body }
        return result
    }
}

extension HTTPHeaders {
    /// Creates headers from fields. Fields with the same name become one, with their values in order.
    /// - Parameter fields: The fields.
    public init(_ fields: HTTPFields) {
        self.init()
        for field in fields { add(Field(name: field.name.rawName, value: field.value)) }
    }
}
