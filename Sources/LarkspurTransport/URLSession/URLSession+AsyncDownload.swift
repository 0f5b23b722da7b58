#if canImport(FoundationNetworking)
extension URLSession {
    /// Downloads to a temporary file, and returns the file and the response.
    ///
    /// The caller has to remove the file. Cancelling the Swift task cancels the transfer. If the Swift task is already
    /// cancelled, nothing is sent.
    /// - Parameter request: The request to send.
    /// - Throws: A `URLError`. Its code is `cancelled` after a cancellation, `badServerResponse` if the session
    ///   returned neither a response nor an error, and `unknown` if it returned no file. If the file cannot be renamed,
    ///   the error is that of the file system.
    public func download(for request: URLRequest) async throws -> (URL, URLResponse) {
        try await file { self.downloadTask(with: request, completionHandler: $0) }
    }

    /// Downloads to a temporary file, and returns the file and the response.
    ///
    /// The caller has to remove the file. Cancelling the Swift task cancels the transfer. If the Swift task is already
    /// cancelled, nothing is sent.
    /// - Parameters:
    ///   - request: The request to send.
    ///   - delegate: The delegate for this task, called on the session's delegate queue.
    /// - Throws: A `URLError`. Its code is `cancelled` after a cancellation, `badServerResponse` if the session
    ///   returned neither a response nor an error, and `unknown` if it returned no file. If the file cannot be renamed,
    ///   the error is that of the file system.
    public func download(
        for request: URLRequest,
        delegate: any URLSessionTaskDelegate
    ) async throws -> (URL, URLResponse) {
        try await file(delegate: delegate) { self.downloadTask(with: request, completionHandler: $0) }
    }

    /// Downloads a URL to a temporary file, and returns the file and the response.
    ///
    /// The caller has to remove the file. Cancelling the Swift task cancels the transfer. If the Swift task is already
    /// cancelled, nothing is sent.
    /// - Parameter url: The URL to get.
    /// - Throws: A `URLError`. Its code is `cancelled` after a cancellation, `badServerResponse` if the session
    ///   returned neither a response nor an error, and `unknown` if it returned no file. If the file cannot be renamed,
    ///   the error is that of the file system.
    public func download(from url: URL) async throws -> (URL, URLResponse) {
        try await file { self.downloadTask(with: url, completionHandler: $0) }
    }

    /// Downloads a URL to a temporary file, and returns the file and the response.
    ///
    /// The caller has to remove the file. Cancelling the Swift task cancels the transfer. If the Swift task is already
    /// cancelled, nothing is sent.
    /// - Parameters:
    ///   - url: The URL to get.
    ///   - delegate: The delegate for this task, called on the session's delegate queue.
    /// - Throws: A `URLError`. Its code is `cancelled` after a cancellation, `badServerResponse` if the session
    ///   returned neither a response nor an error, and `unknown` if it returned no file. If the file cannot be renamed,
    ///   the error is that of the file system.
    public func download(from url: URL, delegate: any URLSessionTaskDelegate) async throws -> (URL, URLResponse) {
        try await file(delegate: delegate) { self.downloadTask(with: url, completionHandler: $0) }
    }

    /// Continues a download from its resume data, and returns the temporary file and the response.
    ///
    /// The caller has to remove the file. Cancelling the Swift task cancels the transfer. If the Swift task is already
    /// cancelled, nothing is sent.
    /// - Parameters:
    ///   - resumeData: The resume data of an earlier download.
    ///   - delegate: The delegate for this task, called on the session's delegate queue. Default: nil, so that the
    ///     session's delegate is called.
    /// - Throws: A `URLError`. Its code is `cancelled` after a cancellation, `badServerResponse` if the session
    ///   returned neither a response nor an error, and `unknown` if it returned no file. The code is `unsupportedURL`
    ///   if the data is not resume data of a ``CurlURLSession``. It is also `unsupportedURL` if the session is
    ///   FoundationNetworking's own `URLSession`, which does not support resume data. If the file cannot be renamed,
    ///   the error is that of the file system.
    public func download(
        resumeFrom resumeData: Data,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        // FoundationNetworking's task for resume data always fails. If the task is resumed before the session's work
        // queue has recorded it, the process ends. If the task is cancelled before, it never ends.
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
                        Result { (try Self.takeOver(location), response) }
                    }
                )
            }
        }
    }

    /// Renames the file within its folder, because the task removes its file when the completion handler returns.
    static func takeOver(_ location: URL?) throws -> URL {
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
