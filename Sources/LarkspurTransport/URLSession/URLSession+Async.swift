#if canImport(FoundationNetworking)
// FoundationNetworking has methods with the same names. They cannot be overridden, and do not call overridden methods
// that create tasks. They can also wait forever if a task is cancelled while it ends. In every file that imports this
// module, the compiler prefers the methods below, because they have no default arguments.

extension URLSession {
    /// Sends a request and returns the content and the response.
    ///
    /// Cancelling the Swift task cancels the transfer. If the Swift task is already cancelled, nothing is sent.
    /// - Parameter request: The request to send.
    /// - Throws: A `URLError`. Its code is `cancelled` after a cancellation, and `badServerResponse` if the session
    ///   returned neither a response nor an error.
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await content { self.dataTask(with: request, completionHandler: $0) }
    }

    /// Sends a request and returns the content and the response.
    ///
    /// Cancelling the Swift task cancels the transfer. If the Swift task is already cancelled, nothing is sent.
    /// - Parameters:
    ///   - request: The request to send.
    ///   - delegate: The delegate for this task, called on the session's delegate queue. With a ``CurlURLSession``, it
    ///     also receives the response and its content, as with FoundationNetworking.
    /// - Throws: A `URLError`. Its code is `cancelled` after a cancellation, and `badServerResponse` if the session
    ///   returned neither a response nor an error.
    public func data(
        for request: URLRequest,
        delegate: any URLSessionTaskDelegate
    ) async throws -> (Data, URLResponse) {
        try await content(delegate: delegate) { self.dataTask(with: request, completionHandler: $0) }
    }

    /// Gets a URL and returns the content and the response.
    ///
    /// Cancelling the Swift task cancels the transfer. If the Swift task is already cancelled, nothing is sent.
    /// - Parameter url: The URL to get.
    /// - Throws: A `URLError`. Its code is `cancelled` after a cancellation, and `badServerResponse` if the session
    ///   returned neither a response nor an error.
    public func data(from url: URL) async throws -> (Data, URLResponse) {
        try await content { self.dataTask(with: url, completionHandler: $0) }
    }

    /// Gets a URL and returns the content and the response.
    ///
    /// Cancelling the Swift task cancels the transfer. If the Swift task is already cancelled, nothing is sent.
    /// - Parameters:
    ///   - url: The URL to get.
    ///   - delegate: The delegate for this task, called on the session's delegate queue. With a ``CurlURLSession``, it
    ///     also receives the response and its content, as with FoundationNetworking.
    /// - Throws: A `URLError`. Its code is `cancelled` after a cancellation, and `badServerResponse` if the session
    ///   returned neither a response nor an error.
    public func data(from url: URL, delegate: any URLSessionTaskDelegate) async throws -> (Data, URLResponse) {
        try await content(delegate: delegate) { self.dataTask(with: url, completionHandler: $0) }
    }

    /// Sends a request with content and returns the response's content and the response.
    ///
    /// Cancelling the Swift task cancels the transfer. If the Swift task is already cancelled, nothing is sent.
    /// - Parameters:
    ///   - request: The request to send. The content of the request is ignored.
    ///   - bodyData: The content to send.
    /// - Throws: A `URLError`. Its code is `cancelled` after a cancellation, and `badServerResponse` if the session
    ///   returned neither a response nor an error.
    public func upload(for request: URLRequest, from bodyData: Data) async throws -> (Data, URLResponse) {
        try await content { self.uploadTask(with: request, from: bodyData, completionHandler: $0) }
    }

    /// Sends a request with content and returns the response's content and the response.
    ///
    /// Cancelling the Swift task cancels the transfer. If the Swift task is already cancelled, nothing is sent.
    /// - Parameters:
    ///   - request: The request to send. The content of the request is ignored.
    ///   - bodyData: The content to send.
    ///   - delegate: The delegate for this task, called on the session's delegate queue. With a ``CurlURLSession``, it
    ///     also receives the response and its content, as with FoundationNetworking.
    /// - Throws: A `URLError`. Its code is `cancelled` after a cancellation, and `badServerResponse` if the session
    ///   returned neither a response nor an error.
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
    /// Cancelling the Swift task cancels the transfer. If the Swift task is already cancelled, nothing is sent.
    /// - Parameters:
    ///   - request: The request to send. The content of the request is ignored.
    ///   - fileURL: The file with the content to send.
    /// - Throws: A `URLError`. Its code is `cancelled` after a cancellation, and `badServerResponse` if the session
    ///   returned neither a response nor an error. If a ``CurlURLSession`` cannot read the file, the code is
    ///   `fileDoesNotExist`, `fileIsDirectory` or `noPermissionsToReadFile`. If the file changes while it is sent, the
    ///   code is `requestBodyStreamExhausted`.
    public func upload(for request: URLRequest, fromFile fileURL: URL) async throws -> (Data, URLResponse) {
        try await content { self.uploadTask(with: request, fromFile: fileURL, completionHandler: $0) }
    }

    /// Sends a request with a file's content and returns the response's content and the response.
    ///
    /// Cancelling the Swift task cancels the transfer. If the Swift task is already cancelled, nothing is sent.
    /// - Parameters:
    ///   - request: The request to send. The content of the request is ignored.
    ///   - fileURL: The file with the content to send.
    ///   - delegate: The delegate for this task, called on the session's delegate queue. With a ``CurlURLSession``, it
    ///     also receives the response and its content, as with FoundationNetworking.
    /// - Throws: A `URLError`. Its code is `cancelled` after a cancellation, and `badServerResponse` if the session
    ///   returned neither a response nor an error. If a ``CurlURLSession`` cannot read the file, the code is
    ///   `fileDoesNotExist`, `fileIsDirectory` or `noPermissionsToReadFile`. If the file changes while it is sent, the
    ///   code is `requestBodyStreamExhausted`.
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
