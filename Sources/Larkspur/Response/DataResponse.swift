/// The outcome of a call: the request, the response, its content, and either the value that was created from the
/// content or the error.
public struct DataResponse<Value> {
    /// The request that was sent last, after redirects; nil if none could be built.
    public let request: URLRequest?
    /// The response; nil if none arrived.
    public var response: URLResponse? { received?.object }
    private let received: ReceivedResponse?
    /// The content that arrived, decoded from its content coding; empty if there was none.
    public let data: Data
    /// The trailers of the response, as in ``SessionTask/trailers``; nil if there are none.
    public let trailers: HTTPHeaders?
    /// The times at which the task reached its stages.
    public let timeline: Timeline
    /// The value, or the error.
    public let result: Result<Value, LarkspurError>

    /// Creates a response, for tests.
    /// - Parameters:
    ///   - request: The request that was sent last. Default: nil.
    ///   - response: The response. Default: nil.
    ///   - data: The content. Default: none.
    ///   - trailers: The trailers of the response. Default: nil, for none.
    ///   - timeline: The times at which the task reached its stages. Default: the times of a task that was just
    ///     created.
    ///   - result: The value, or the error.
    public init(
        request: URLRequest? = nil,
        response: URLResponse? = nil,
        data: Data = Data(),
        trailers: HTTPHeaders? = nil,
        timeline: Timeline = Timeline(),
        result: Result<Value, LarkspurError>
    ) {
        let received = response.map(ReceivedResponse.init)
        self.init(
            request: request,
            received: received,
            data: data,
            trailers: trailers,
            timeline: timeline,
            result: result
        )
    }

    init(
        request: URLRequest?,
        received: ReceivedResponse?,
        data: Data,
        trailers: HTTPHeaders?,
        timeline: Timeline,
        result: Result<Value, LarkspurError>
    ) {
        self.request = request
        self.received = received
        self.data = data
        self.trailers = trailers
        self.timeline = timeline
        self.result = result
    }

    // Disfavored: if the value is an optional, the compiler chooses the property in the extension below.
    /// The value, if there is one.
    @_disfavoredOverload
    public var value: Value? { try? result.get() }

    /// The error, if there is one.
    public var error: LarkspurError? { result.failure }

    /// The status code, if there was an HTTP response.
    public var statusCode: Int? { httpResponse?.statusCode }

    /// The response, if it is an HTTP response.
    public var httpResponse: HTTPURLResponse? { response as? HTTPURLResponse }

    /// Returns the same response with another value.
    /// - Parameter transform: A closure that converts the old value into the new one. It is not called if there is an
    ///   error.
    public func map<NewValue>(_ transform: (Value) -> NewValue) -> DataResponse<NewValue> {
        DataResponse<NewValue>(
            request: request,
            received: received,
            data: data,
            trailers: trailers,
            timeline: timeline,
            result: result.map(transform)
        )
    }

    /// Returns the same response with another value, or with the error of the conversion.
    /// - Parameter transform: A closure that converts the old value into the new one. It is not called if there is
    ///   already an error. A ``LarkspurError`` that it throws is the error of the result. Another error is the
    ///   `underlyingError` of an error with the code `responseSerializationFailed`.
    public func tryMap<NewValue>(_ transform: (Value) throws -> NewValue) -> DataResponse<NewValue> {
        DataResponse<NewValue>(
            request: request,
            received: received,
            data: data,
            trailers: trailers,
            timeline: timeline,
            result: result.tryMap(transform, request: request, response: response, data: data)
        )
    }
}

extension DataResponse where Value: OptionalValue {
    /// The value of a serializer whose values are optionals, such as `.json` or `.xmlDocument`: nil if the call has
    /// failed, or the response has no content.
    public var value: Value { (try? result.get()) ?? nil }
}

extension DataResponse {
    /// Returns the same response with another error.
    /// - Parameter transform: A closure that converts the error. It is not called if there is no error.
    public func mapError(_ transform: (LarkspurError) -> LarkspurError) -> DataResponse {
        DataResponse(
            request: request,
            received: received,
            data: data,
            trailers: trailers,
            timeline: timeline,
            result: result.mapError(transform)
        )
    }

    /// The metrics of the last request, after redirects and other attempts; nil for a transport that reports no
    /// metrics, such as `.foundation`. ``Timeline/transactions`` has the metrics of all requests.
    public var metrics: TransactionMetrics? { timeline.transactions.last }
}

extension DataResponse: Sendable where Value: Sendable {}

extension DataResponse: CustomStringConvertible {
    /// The method, the URL without credentials and query, the status, the number of bytes, and the error's label. It is
    /// safe to log.
    public var description: String {
        ExchangeDescription.text(request, response, content: "\(data.count) bytes", error: error)
    }
}

/// The outcome of a download: the request, the response, and either the file or the error.
public struct DownloadResponse: Sendable {
    /// The request that was sent last, after redirects; nil if none could be built.
    public let request: URLRequest?
    /// The response; nil if none arrived.
    public let response: URLResponse?
    /// The trailers of the response, as in ``SessionTask/trailers``; nil if there are none.
    public let trailers: HTTPHeaders?
    /// The times at which the task reached its stages.
    public let timeline: Timeline
    /// The location of the file, or the error.
    public let result: Result<URL, LarkspurError>
    /// The temporary file of a download without a destination.
    var temporaryFile: TemporaryDownload?

    /// Creates a response, for tests.
    /// - Parameters:
    ///   - request: The request that was sent last. Default: nil.
    ///   - response: The response. Default: nil.
    ///   - trailers: The trailers of the response. Default: nil, for none.
    ///   - timeline: The times at which the task reached its stages. Default: the times of a task that was just
    ///     created.
    ///   - result: The location of the file, or the error.
    public init(
        request: URLRequest? = nil,
        response: URLResponse? = nil,
        trailers: HTTPHeaders? = nil,
        timeline: Timeline = Timeline(),
        result: Result<URL, LarkspurError>
    ) {
        self.request = request
        self.response = response
        self.trailers = trailers
        self.timeline = timeline
        self.result = result
    }

    /// The metrics of the last request, after redirects and other attempts; nil for a transport that reports no
    /// metrics, such as `.foundation`. ``Timeline/transactions`` has the metrics of all requests.
    public var metrics: TransactionMetrics? { timeline.transactions.last }

    /// The location of the file, if there is one.
    public var fileURL: URL? { try? result.get() }

    /// The error, if there is one.
    public var error: LarkspurError? { result.failure }

    /// The status code, if there was an HTTP response.
    public var statusCode: Int? { httpResponse?.statusCode }

    /// The response, if it is an HTTP response.
    public var httpResponse: HTTPURLResponse? { response as? HTTPURLResponse }
}

extension DownloadResponse: CustomStringConvertible {
    /// The method, the URL without credentials and query, the status, the file's path, and the error's label.
    public var description: String {
        ExchangeDescription.text(request, response, content: fileURL?.path ?? "no file", error: error)
    }
}

/// The times at which a task reached its stages, measured by Larkspur on a monotonic clock.
///
/// An instant is nil until the task reaches its stage. If a task was cancelled before it was resumed, only ``created``
/// and ``completed`` are set.
public struct Timeline: Sendable, Hashable {
    /// An instant of the clock that measures the times.
    public typealias Instant = ContinuousClock.Instant

    /// The time at which the task was created.
    public internal(set) var created: Instant
    /// The time at which the task was first resumed.
    public internal(set) var resumed: Instant?
    /// The time at which the header of the final response had arrived. For a download, the time at which its first
    /// bytes had arrived.
    public internal(set) var responseReceived: Instant?
    /// The time at which the transport had finished with the task.
    public internal(set) var completed: Instant?
    /// The time at which the response had been validated and serialized.
    public internal(set) var serialized: Instant?
    /// The metrics of each request of the task, redirects and authentication included. Empty for a transport that
    /// reports no metrics, such as `.foundation`.
    public internal(set) var transactions: [TransactionMetrics] = []

    /// The time for which the requests of the task waited for connections, because of the limit of connections per host
    /// or in all; nil if none waited. The wait of a request that never began is not included.
    public var connectionWait: Duration? {
        let waits = transactions.compactMap(\.connectionWait)
        return waits.isEmpty ? nil : waits.reduce(.zero, +)
    }

    /// Whether the response came from the cache, with or without revalidation. False if the transport does not report
    /// it.
    public var isFromCache: Bool { transactions.last?.isFromCache ?? false }

    /// Creates a timeline of a task that was just created, for example for a response in a test.
    /// - Parameter created: The time at which the task was created. Default: now.
    public init(created: Instant = .now) { self.created = created }

    /// The time from the first resume to the first byte of the response.
    public var latency: Duration? { Self.duration(from: resumed, to: responseReceived) }
    /// The time from the first resume to the end of the transfer.
    public var requestDuration: Duration? { Self.duration(from: resumed, to: completed) }
    /// The time from the end of the transfer to the end of serialization.
    public var serializationDuration: Duration? { Self.duration(from: completed, to: serialized) }
    /// The time from the first resume to the end of serialization.
    public var totalDuration: Duration? { Self.duration(from: resumed, to: serialized) }

    private static func duration(from start: Instant?, to end: Instant?) -> Duration? {
        guard let start, let end else { return nil }
        return start.duration(to: end)
    }
}

/// A description of a request and its response, in one line that is safe to log.
enum ExchangeDescription {
    /// Returns the line, for example `GET https://example.org/users -> 404, 12 bytes, unacceptable-status-code`.
    static func text(
        _ request: URLRequest?,
        _ response: URLResponse?,
        content: String,
        error: LarkspurError?
    ) -> String {
        let url = (request?.url ?? response?.url).map(LarkspurError.redacted) ?? "no URL"
        let status =
            (response as? HTTPURLResponse).map { String($0.statusCode) }
            ?? (response == nil ? "no response" : "response")
        let outcome = error?.label ?? "success"
        return "\(request?.httpMethod ?? "GET") \(url) -> \(status), \(content), \(outcome)"
    }
}

extension Result {
    var failure: Failure? {
        switch self {
        case .success: nil
        case .failure(let error): error
        }
    }
}

extension Result where Failure == LarkspurError {
    /// Returns the result with another value. If the conversion fails, returns the error of the conversion with
    /// request, response and content added.
    func tryMap<NewSuccess>(
        _ transform: (Success) throws -> NewSuccess,
        request: URLRequest?,
        response: URLResponse?,
        data: Data?
    ) -> Result<NewSuccess, LarkspurError> {
        flatMap { value in
            do {
                return .success(try transform(value))
            } catch {
                return .failure(
                    ResponsePipeline.completed(error, request: request, response: response, data: data)
                )
            }
        }
    }
}
