/// The outcome of a download: the request, the response, and the file or the error.
public struct DownloadResponse: Sendable {
    /// The request that was sent last, after redirects; nil where none could be built.
    public let request: URLRequest?
    /// The response; nil where none arrived.
    public let response: URLResponse?
    /// When the stages of the task were reached.
    public let timeline: Timeline
    /// The place of the file, or the error.
    public let result: Result<URL, LarkspurError>

    /// Makes a response, as a test needs it.
    /// - Parameters:
    ///   - request: The request that was sent last. Default: nil.
    ///   - response: The response. Default: nil.
    ///   - timeline: The stages of the task. Default: those of a task that was just made.
    ///   - result: The place of the file, or the error.
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

    /// The place of the file, if there is one.
    public var fileURL: URL? { try? result.get() }

    /// The error, where there is one.
    public var error: LarkspurError? { result.failure }

    /// The status code, where there was an HTTP response.
    public var statusCode: Int? { httpResponse?.statusCode }

    /// The response, where it is one of HTTP.
    public var httpResponse: HTTPURLResponse? { response as? HTTPURLResponse }
}

extension DownloadResponse: CustomStringConvertible {
    /// Method, URL without credentials and query, status, the file's path, and the error's label.
    public var description: String {
        ExchangeDescription.text(request, response, content: fileURL?.path ?? "no file", error: error)
    }
}
