#if canImport(FoundationNetworking)
extension URLSession {
    /// Gets a URL and returns the response as soon as it begins, with its content as a sequence of bytes.
    /// - Parameters:
    ///   - url: The URL.
    ///   - delegate: Gets the calls for this task, on the session's delegate queue. Default: nil, the session's
    ///     delegate gets them.
    /// - Throws: As ``data(for:)`` does.
    public func bytes(
        from url: URL,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) {
        try await bytes(for: URLRequest(url: url), delegate: delegate)
    }

    /// Sends a request and returns the response as soon as it begins, with its content as a sequence of bytes.
    ///
    /// The content arrives only as fast as it is taken. A session that is no ``CurlURLSession`` receives all of it
    /// first.
    /// - Parameters:
    ///   - request: What to send.
    ///   - delegate: Gets the calls for this task, on the session's delegate queue. Default: nil, the session's
    ///     delegate gets them.
    /// - Throws: As ``data(for:)`` does.
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
            // It stands for the one that has ended, which the superclass does not show.
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
