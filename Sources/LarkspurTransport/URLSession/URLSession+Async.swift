#if canImport(FoundationNetworking)
// FoundationNetworking's methods of these names cannot be overridden, ignore overridden factories, and can wait for
// ever if a task is cancelled as it ends. The methods below have no default arguments, so the compiler prefers them in
// every file that imports this module.

extension URLSession {
    /// Sends a request and returns the content and the response.
    ///
    /// Cancelling the Swift task cancels the transfer; a Swift task that was cancelled before sends nothing.
    /// - Parameter request: The request to send.
    /// - Throws: A `URLError`; its code is `cancelled` after a cancellation, `badServerResponse` if the session gave
    ///   neither a response nor an error.
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await content { self.dataTask(with: request, completionHandler: $0) }
    }

    /// Sends a request and returns the content and the response.
    ///
    /// Cancelling the Swift task cancels the transfer; a Swift task that was cancelled before sends nothing.
    /// - Parameters:
    ///   - request: The request to send.
    ///   - delegate: The delegate for this task, called on the session's delegate queue. With a ``CurlURLSession`` it
    ///     also receives the response and its content, as with FoundationNetworking.
    /// - Throws: A `URLError`; its code is `cancelled` after a cancellation, `badServerResponse` if the session gave
    ///   neither a response nor an error.
    public func data(
        for request: URLRequest,
        delegate: any URLSessionTaskDelegate
    ) async throws -> (Data, URLResponse) {
        try await content(delegate: delegate) { self.dataTask(with: request, completionHandler: $0) }
    }

    /// Gets a URL and returns the content and the response.
    ///
    /// Cancelling the Swift task cancels the transfer; a Swift task that was cancelled before sends nothing.
    /// - Parameter url: The URL to get.
    /// - Throws: A `URLError`; its code is `cancelled` after a cancellation, `badServerResponse` if the session gave
    ///   neither a response nor an error.
    public func data(from url: URL) async throws -> (Data, URLResponse) {
        try await content { self.dataTask(with: url, completionHandler: $0) }
    }

    /// Gets a URL and returns the content and the response.
    ///
    /// Cancelling the Swift task cancels the transfer; a Swift task that was cancelled before sends nothing.
    /// - Parameters:
    ///   - url: The URL to get.
    ///   - delegate: The delegate for this task, called on the session's delegate queue. With a ``CurlURLSession`` it
    ///     also receives the response and its content, as with FoundationNetworking.
    /// - Throws: A `URLError`; its code is `cancelled` after a cancellation, `badServerResponse` if the session gave
    ///   neither a response nor an error.
    public func data(from url: URL, delegate: any URLSessionTaskDelegate) async throws -> (Data, URLResponse) {
        try await content(delegate: delegate) { self.dataTask(with: url, completionHandler: $0) }
    }

    /// Sends a request with content and returns the response's content and the response.
    ///
    /// Cancelling the Swift task cancels the transfer; a Swift task that was cancelled before sends nothing.
    /// - Parameters:
    ///   - request: The request to send; its own content is ignored.
    ///   - bodyData: The content to send.
    /// - Throws: A `URLError`; its code is `cancelled` after a cancellation, `badServerResponse` if the session gave
    ///   neither a response nor an error.
    public func upload(for request: URLRequest, from bodyData: Data) async throws -> (Data, URLResponse) {
        try await content { self.uploadTask(with: request, from: bodyData, completionHandler: $0) }
    }

    /// Sends a request with content and returns the response's content and the response.
    ///
    /// Cancelling the Swift task cancels the transfer; a Swift task that was cancelled before sends nothing.
    /// - Parameters:
    ///   - request: The request to send; its own content is ignored.
    ///   - bodyData: The content to send.
    ///   - delegate: The delegate for this task, called on the session's delegate queue. With a ``CurlURLSession`` it
    ///     also receives the response and its content, as with FoundationNetworking.
    /// - Throws: A `URLError`; its code is `cancelled` after a cancellation, `badServerResponse` if the session gave
    ///   neither a response nor an error.
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
    ///
    /// Cancelling the Swift task cancels the transfer; a Swift task that was cancelled before sends nothing.
    /// - Parameters:
    ///   - request: The request to send; its own content is ignored.
    ///   - fileURL: The file with the content to send.
    /// - Throws: A `URLError`; its code is `cancelled` after a cancellation, `badServerResponse` if the session gave
    ///   neither a response nor an error. If a ``CurlURLSession`` cannot read the file, its code is `fileDoesNotExist`,
    ///   `fileIsDirectory` or `noPermissionsToReadFile`, and `requestBodyStreamExhausted` if the file changes while it
    ///   is sent.
    public func upload(for request: URLRequest, fromFile fileURL: URL) async throws -> (Data, URLResponse) {
        try await content { self.uploadTask(with: request, fromFile: fileURL, completionHandler: $0) }
    }

    /// Sends a request with a file's content and returns the response's content and the response.
    ///
    /// Cancelling the Swift task cancels the transfer; a Swift task that was cancelled before sends nothing.
    /// - Parameters:
    ///   - request: The request to send; its own content is ignored.
    ///   - fileURL: The file with the content to send.
    ///   - delegate: The delegate for this task, called on the session's delegate queue. With a ``CurlURLSession`` it
    ///     also receives the response and its content, as with FoundationNetworking.
    /// - Throws: A `URLError`; its code is `cancelled` after a cancellation, `badServerResponse` if the session gave
    ///   neither a response nor an error. If a ``CurlURLSession`` cannot read the file, its code is `fileDoesNotExist`,
    ///   `fileIsDirectory` or `noPermissionsToReadFile`, and `requestBodyStreamExhausted` if the file changes while it
    ///   is sent.
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
            let task = makeTask { data, response, error in
                finish(AsyncTransfer.outcome(response, error).map { (data ?? Data(), $0) })
            }
            if delegate != nil { (task as? any EngineTask)?.core.shareContent() }
            return task
        }
    }
}
#endif
