/// The outcome of a request: the request, the response, its content, and the value made from the content, or the error.
public struct DataResponse<Value> {
    /// The request that was sent last, after redirects; nil if none could be built.
    public let request: URLRequest?
    /// The response; nil if none arrived.
    public let response: URLResponse?
    /// The content that arrived, decoded from its content coding; empty if there was none.
    public let data: Data
    /// The times at which the task reached its stages.
    public let timeline: Timeline
    /// The value, or the error.
    public let result: Result<Value, LarkspurError>

    /// Creates a response, for tests.
    /// - Parameters:
    ///   - request: The request that was sent last. Default: nil.
    ///   - response: The response. Default: nil.
    ///   - data: The content. Default: none.
    ///   - timeline: The times at which the task reached its stages. Default: those of a task that was just created.
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

    /// The value, if there is one.
    public var value: Value? { try? result.get() }

    /// The error, if there is one.
    public var error: LarkspurError? { result.failure }

    /// The status code, if there was an HTTP response.
    public var statusCode: Int? { httpResponse?.statusCode }

    /// The response, if it is an HTTP response.
    public var httpResponse: HTTPURLResponse? { response as? HTTPURLResponse }

    /// Returns the same response with another value.
    /// - Parameter transform: Converts the old value into the new one. Not called if there is an error.
    public func map<NewValue>(_ transform: (Value) -> NewValue) -> DataResponse<NewValue> {
        DataResponse<NewValue>(
            request: request,
            response: response,
            data: data,
            timeline: timeline,
            result: result.map(transform)
        )
    }

    /// Returns the same response with another value, or with the error of the conversion.
    /// - Parameter transform: Converts the old value into the new one. An error other than ``LarkspurError`` becomes
    ///   the `underlyingError` of one with the code `responseSerializationFailed`. Not called if there is an error
    ///   already.
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
    /// The method, the URL without credentials and query, the status, the number of bytes, and the error's label. It is
    /// safe to log.
    public var description: String {
        ExchangeDescription.text(request, response, content: "\(data.count) bytes", error: error)
    }
}
