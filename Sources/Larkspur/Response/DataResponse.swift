/// The outcome of a request: the request, the response, its content, and the value that was made of it or the error.
public struct DataResponse<Value> {
    /// The request that was sent last, after redirects; nil where none could be built.
    public let request: URLRequest?
    /// The response; nil where none arrived.
    public let response: URLResponse?
    /// The content that arrived, decoded from its content coding; empty if there was none.
    public let data: Data
    /// When the stages of the task were reached.
    public let timeline: Timeline
    /// The value, or why there is none.
    public let result: Result<Value, LarkspurError>

    /// Makes a response, as a test needs it.
    /// - Parameters:
    ///   - request: The request that was sent last. Default: nil.
    ///   - response: The response. Default: nil.
    ///   - data: The content. Default: none.
    ///   - timeline: The stages of the task. Default: those of a task that was just made.
    ///   - result: The value, or the error.
    public init(
        request: URLRequest? = nil,
        response: URLResponse? = nil,
        data: Data = Data(),
        timeline: Timeline = Timeline(),
        result: Result<Value, LarkspurError>
    ) {
        self.request = request
        self.response = response
        self.data = data
        self.timeline = timeline
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
    public func map<NewValue>(_ transform: (Value) -> NewValue) -> DataResponse<NewValue> {
        DataResponse<NewValue>(
            request: request,
            response: response,
            data: data,
            timeline: timeline,
            result: result.map(transform)
        )
    }

    /// The same with another value, or with the error that making it threw.
    /// - Parameter transform: Makes the new value of the old one. An error other than ``LarkspurError`` is kept
    ///   underneath one with the code `responseSerializationFailed`.
    public func tryMap<NewValue>(_ transform: (Value) throws -> NewValue) -> DataResponse<NewValue> {
        DataResponse<NewValue>(
            request: request,
            response: response,
            data: data,
            timeline: timeline,
            result: result.tryMap(transform, request: request, response: response, data: data)
        )
    }
}

extension DataResponse: Sendable where Value: Sendable {}

extension DataResponse: CustomStringConvertible {
    /// Method, URL without credentials and query, status, number of bytes, and the error's label: safe to log.
    public var description: String {
        ExchangeDescription.text(request, response, content: "\(data.count) bytes", error: error)
    }
}
