#if canImport(FoundationNetworking)
extension URLSession {
    /// Gets a URL and returns the response as soon as it begins, with its content as a sequence of bytes.
    ///
    /// The content arrives only as fast as it is consumed. A session that is not a ``CurlURLSession`` receives all of
    /// it first. Cancelling the Swift task cancels the transfer; a Swift task that was cancelled before sends nothing.
    /// - Parameters:
    ///   - url: The URL to get.
    ///   - delegate: The delegate for this task, called on the session's delegate queue. Default: nil, the session's
    ///     delegate is called.
    /// - Throws: A `URLError`; its code is `cancelled` after a cancellation, `badServerResponse` if the task ended
    ///   without a response.
    public func bytes(
        from url: URL,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) {
        try await bytes(for: URLRequest(url: url), delegate: delegate)
    }

    /// Sends a request and returns the response as soon as it begins, with its content as a sequence of bytes.
    ///
    /// The content arrives only as fast as it is consumed. A session that is not a ``CurlURLSession`` receives all of
    /// it first. Cancelling the Swift task cancels the transfer; a Swift task that was cancelled before sends nothing.
    /// - Parameters:
    ///   - request: The request to send.
    ///   - delegate: The delegate for this task, called on the session's delegate queue. Default: nil, the session's
    ///     delegate is called.
    /// - Throws: A `URLError`; its code is `cancelled` after a cancellation, `badServerResponse` if the task ended
    ///   without a response.
    public func bytes(
        for request: URLRequest,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) {
        let channel = ByteChannel()
        guard let task = (self as? CurlURLSession)?.dataTask(with: request, channel: channel) else {
            let (data, response) =
                if let delegate {
                    try await self.data(for: request, delegate: delegate)
                } else {
                    try await self.data(for: request)
                }
            channel.receive(data)
            channel.finish(nil)
            // This task stands for the completed one, which the superclass does not give access to.
            let task = dataTask(with: request)
            task.cancel()
            return (AsyncBytes(task: task, source: channel), response)
        }
        if Task.isCancelled { throw URLError.engine(.cancelled, "The task was cancelled.", url: request.url) }
        task.delegate = delegate
        task.resume()
        let response = try await channel.response()
        return (AsyncBytes(task: task, source: channel), response)
    }
}
#endif
