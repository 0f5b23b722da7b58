#if canImport(FoundationNetworking)
// FoundationNetworking's methods of these names cannot be overridden, go past overridden factories, and can wait for
// ever when a task is cancelled as it ends. These have no parameter with a default, so that they are preferred in every
// file that imports this module.

extension URLSession {
    /// Sends a request and returns the content and the response.
    ///
    /// Cancelling the Swift task cancels the transfer; a Swift task that was cancelled before sends nothing.
    /// - Parameter request: What to send.
    /// - Throws: A `URLError`; its code is `cancelled` after a cancellation, `badServerResponse` where the session gave
    ///   neither a response nor an error.
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await content { self.dataTask(with: request, completionHandler: $0) }
    }

    /// Sends a request and returns the content and the response.
    /// - Parameters:
    ///   - request: What to send.
    ///   - delegate: Gets the calls for this task, on the session's delegate queue.
    /// - Throws: As ``data(for:)`` does.
    public func data(
        for request: URLRequest,
        delegate: any URLSessionTaskDelegate
    ) async throws -> (Data, URLResponse) {
        try await content(delegate: delegate) { self.dataTask(with: request, completionHandler: $0) }
    }

    /// Gets a URL and returns the content and the response.
    /// - Parameter url: What to get.
    /// - Throws: As ``data(for:)`` does.
    public func data(from url: URL) async throws -> (Data, URLResponse) {
        try await content { self.dataTask(with: url, completionHandler: $0) }
    }

    /// Gets a URL and returns the content and the response.
    /// - Parameters:
    ///   - url: What to get.
    ///   - delegate: Gets the calls for this task, on the session's delegate queue.
    /// - Throws: As ``data(for:)`` does.
    public func data(from url: URL, delegate: any URLSessionTaskDelegate) async throws -> (Data, URLResponse) {
        try await content(delegate: delegate) { self.dataTask(with: url, completionHandler: $0) }
    }

    /// Sends a request with content and returns the response's content and the response.
    /// - Parameters:
    ///   - request: What to send; its own content is ignored.
    ///   - bodyData: The content.
    /// - Throws: As ``data(for:)`` does.
    public func upload(for request: URLRequest, from bodyData: Data) async throws -> (Data, URLResponse) {
        try await content { self.uploadTask(with: request, from: bodyData, completionHandler: $0) }
    }

    /// Sends a request with content and returns the response's content and the response.
    /// - Parameters:
    ///   - request: What to send; its own content is ignored.
    ///   - bodyData: The content.
    ///   - delegate: Gets the calls for this task, on the session's delegate queue.
    /// - Throws: As ``data(for:)`` does.
    public func upload(
        for request: URLRequest,
        from bodyData: Data,
        delegate: any URLSessionTaskDelegate
    ) async throws -> (Data, URLResponse) {
        try await content(delegate: delegate) {
            self.uploadTask(with: request, from: bodyData, completionHandler: $0)
        }
    }

    /// Sends a request with a file's content and returns the response's content and the response.
    /// - Parameters:
    ///   - request: What to send; its own content is ignored.
    ///   - fileURL: The file.
    /// - Throws: As ``data(for:)`` does.
    public func upload(for request: URLRequest, fromFile fileURL: URL) async throws -> (Data, URLResponse) {
        try await content { self.uploadTask(with: request, fromFile: fileURL, completionHandler: $0) }
    }

    /// Sends a request with a file's content and returns the response's content and the response.
    /// - Parameters:
    ///   - request: What to send; its own content is ignored.
    ///   - fileURL: The file.
    ///   - delegate: Gets the calls for this task, on the session's delegate queue.
    /// - Throws: As ``data(for:)`` does.
    public func upload(
        for request: URLRequest,
        fromFile fileURL: URL,
        delegate: any URLSessionTaskDelegate
    ) async throws -> (Data, URLResponse) {
        try await content(delegate: delegate) {
            self.uploadTask(with: request, fromFile: fileURL, completionHandler: $0)
        }
    }

    private typealias ContentHandler = @Sendable (Data?, URLResponse?, (any Error)?) -> Void

    private func content(
        delegate: (any URLSessionTaskDelegate)? = nil,
        makeTask: (@escaping ContentHandler) -> URLSessionTask
    ) async throws -> (Data, URLResponse) {
        try await AsyncTransfer.run(delegate: delegate) { finish in
            makeTask { data, response, error in
                finish(AsyncTransfer.outcome(response, error).map { (data ?? Data(), $0) })
            }
        }
    }
}
#endif
