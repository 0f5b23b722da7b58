#if canImport(FoundationNetworking)
extension URLSession {
    /// Gets a URL. Returns the response as soon as its head has arrived, and the content as a sequence of bytes.
    ///
    /// The content arrives only as fast as it is consumed. But a session that is not a ``CurlURLSession`` receives the
    /// whole content before the method returns. Cancelling the Swift task cancels the transfer. If the Swift task is
    /// already cancelled, nothing is sent.
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

    /// Sends a request. Returns the response as soon as its head has arrived, and the content as a sequence of bytes.
    ///
    /// The content arrives only as fast as it is consumed. But a session that is not a ``CurlURLSession`` receives the
    /// whole content before the method returns. Cancelling the Swift task cancels the transfer. If the Swift task is
    /// already cancelled, nothing is sent.
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
        let channel = ResponseChannel<any Error>()
        guard let task = (self as? CurlURLSession)?.dataTask(with: request, channel: channel) else {
            let (data, response) =
                if let delegate {
                    try await self.data(for: request, delegate: delegate)
                } else {
                    try await self.data(for: request)
                }
            _ = channel.add(data, held: data)
            channel.end(nil)
            // The superclass gives no access to the completed task, so a cancelled task with the same request takes its
            // place.
            let task = dataTask(with: request)
            task.cancel()
            return (AsyncBytes(task: task, source: ChannelSource(channel, task)), response)
        }
        if Task.isCancelled { throw URLError.engine(.cancelled, "The task was cancelled.", url: request.url) }
        task.delegate = delegate
        task.resume()
        let response = try await withTaskCancellationHandler {
            try await channel.head()
        } onCancel: {
            task.cancel()
        }
        guard let response else {
            throw URLError.engine(.badServerResponse, "The task ended without a response.", url: request.url)
        }
        return (AsyncBytes(task: task, source: ChannelSource(channel, task)), response)
    }
}
#endif
