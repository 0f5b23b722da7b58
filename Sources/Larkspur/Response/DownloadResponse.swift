/// The outcome of a download: the request, the response, and the file or the error.
public struct DownloadResponse: Sendable {
    /// The request that was sent last, after redirects; nil if none could be built.
    public let request: URLRequest?
    /// The response; nil if none arrived.
    public let response: URLResponse?
    /// The times at which the task reached its stages.
    public let timeline: Timeline
    /// The location of the file, or the error.
    public let result: Result<URL, LarkspurError>

    /// Creates a response, for tests.
    /// - Parameters:
    ///   - request: The request that was sent last. Default: nil.
    ///   - response: The response. Default: nil.
    ///   - timeline: The times at which the task reached its stages. Default: those of a task that was just created.
    ///   - result: The location of the file, or the error.
    public init(
        request: URLRequest? = nil,
        response: URLResponse? = nil,
        timeline: Timeline = Timeline(),
        result: Result<URL, LarkspurError>
    ) {
        self.request = request
        self.response = response
        self.timeline = timeline
        self.result = result
    }

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
