#if canImport(FoundationNetworking)
extension URLSession {
    /// Downloads to a temporary file and returns it with the response. Nobody but the caller removes the file.
    ///
    /// Cancelling the Swift task cancels the transfer; a Swift task that was cancelled before sends nothing.
    /// - Parameter request: What to send.
    /// - Throws: A `URLError`; its code is `cancelled` after a cancellation, `badServerResponse` where the session gave
    ///   neither a response nor an error, `unknown` where it gave no file. The file system's error where the file could
    ///   not be kept.
    public func download(for request: URLRequest) async throws -> (URL, URLResponse) {
        try await file { self.downloadTask(with: request, completionHandler: $0) }
    }

    /// Downloads to a temporary file and returns it with the response. Nobody but the caller removes the file.
    /// - Parameters:
    ///   - request: What to send.
    ///   - delegate: Gets the calls for this task, on the session's delegate queue.
    /// - Throws: As ``download(for:)`` does.
    public func download(
        for request: URLRequest,
        delegate: any URLSessionTaskDelegate
    ) async throws -> (URL, URLResponse) {
        try await file(delegate: delegate) { self.downloadTask(with: request, completionHandler: $0) }
    }

    /// Downloads a URL to a temporary file and returns it with the response. Nobody but the caller removes the file.
    /// - Parameter url: What to get.
    /// - Throws: As ``download(for:)`` does.
    public func download(from url: URL) async throws -> (URL, URLResponse) {
        try await file { self.downloadTask(with: url, completionHandler: $0) }
    }

    /// Downloads a URL to a temporary file and returns it with the response. Nobody but the caller removes the file.
    /// - Parameters:
    ///   - url: What to get.
    ///   - delegate: Gets the calls for this task, on the session's delegate queue.
    /// - Throws: As ``download(for:)`` does.
    public func download(from url: URL, delegate: any URLSessionTaskDelegate) async throws -> (URL, URLResponse) {
        try await file(delegate: delegate) { self.downloadTask(with: url, completionHandler: $0) }
    }

    /// Goes on with a download from its resume data, and returns the temporary file with the response. Nobody but the
    /// caller removes the file.
    /// - Parameters:
    ///   - resumeData: What an earlier download left.
    ///   - delegate: Gets the calls for this task, on the session's delegate queue. Default: nil, the session's
    ///     delegate gets them.
    /// - Throws: As ``download(for:)`` does; `unsupportedURL` if the data is not a ``CurlURLSession``'s, or this is
    ///   FoundationNetworking's own session, which knows no resume data.
    public func download(
        resumeFrom resumeData: Data,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        // FoundationNetworking's task for that fails in any case, but ends the process if it is resumed before the
        // session's work queue has noted it, and never ends if it is cancelled first.
        if type(of: self) == URLSession.self {
            throw URLError.engine(
                .unsupportedURL,
                "FoundationNetworking's URLSession cannot resume downloads; a CurlURLSession can.",
                url: nil
            )
        }
        return try await file(delegate: delegate) {
            self.downloadTask(withResumeData: resumeData, completionHandler: $0)
        }
    }

    private typealias FileHandler = @Sendable (URL?, URLResponse?, (any Error)?) -> Void

    private func file(
        delegate: (any URLSessionTaskDelegate)? = nil,
        makeTask: (@escaping FileHandler) -> URLSessionTask
    ) async throws -> (URL, URLResponse) {
        try await AsyncTransfer.run(delegate: delegate) { finish in
            makeTask { location, response, error in
                finish(
                    AsyncTransfer.outcome(response, error).flatMap { response in
                        Result { (try Self.keep(location), response) }
                    }
                )
            }
        }
    }

    /// Gives the file another name in its folder: that of the task goes away when the completion handler returns.
    static func keep(_ location: URL?) throws -> URL {
        guard let location else {
            throw URLError.engine(.unknown, "The session gave no file for the download.", url: nil)
        }
        let name = "LarkspurDownload-\(UUID().uuidString).tmp"
        let file = location.deletingLastPathComponent().appendingPathComponent(name, isDirectory: false)
        try FileManager.default.moveItem(at: location, to: file)
        return file
    }
}
#endif
