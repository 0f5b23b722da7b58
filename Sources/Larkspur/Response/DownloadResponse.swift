/// What came of a download: the request, the response, the file, and the value that was made of it or the error.
public struct DownloadResponse<Value> {
    /// The request that was sent last, after redirects; nil where none could be built.
    public let request: URLRequest?
    /// The response; nil where none arrived.
    public let response: URLResponse?
    /// Where the content is; nil where nothing was saved.
    public let fileURL: URL?
    /// The value, or why there is none.
    public let result: Result<Value, LarkspurError>

    init(request: URLRequest?, response: URLResponse?, fileURL: URL?, result: Result<Value, LarkspurError>) {
        self.request = request
        self.response = response
        self.fileURL = fileURL
        self.result = result
    }

    /// The value, where there is one.
    public var value: Value? { try? result.get() }

    /// The error, where there is one.
    public var error: LarkspurError? { result.failure }

    /// The status code, where there was an HTTP response.
    public var statusCode: Int? { httpResponse?.statusCode }

    /// The response, where it is one of HTTP.
    public var httpResponse: HTTPURLResponse? { response as? HTTPURLResponse }

    /// The same with another value.
    /// - Parameter transform: Makes the new value of the old one; not called where there is an error.
    public func map<NewValue>(_ transform: (Value) -> NewValue) -> DownloadResponse<NewValue> {
        DownloadResponse<NewValue>(
            request: request,
            response: response,
            fileURL: fileURL,
            result: result.map(transform)
        )
    }

    /// The same with another value, or with the error that making it threw.
    /// - Parameter transform: Makes the new value of the old one. An error other than ``LarkspurError`` is kept underneath one with the code
    ///   `responseSerializationFailed`.
    public func tryMap<NewValue>(_ transform: (Value) throws -> NewValue) -> DownloadResponse<NewValue> {
        DownloadResponse<NewValue>(
            request: request,
            response: response,
            fileURL: fileURL,
            result: result.tryMap(transform, request: request, response: response, data: nil)
        )
    }
}

extension DownloadResponse: Sendable where Value: Sendable {}

extension DownloadResponse: CustomStringConvertible {
    /// Method, URL without credentials and query, status, the file's path, and the error's label.
    public var description: String {
        ExchangeDescription.text(request, response, content: fileURL?.path ?? "no file", error: error)
    }
}
