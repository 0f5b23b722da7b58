#if canImport(FoundationNetworking)
extension URLSession {
    /// Sends a request and returns the response as soon as it begins, with its content as a sequence of bytes.
    ///
    /// The content arrives only as fast as it is taken. A session that is no ``CurlURLSession`` receives all of it first.
    /// - Parameter request: What to send.
    /// - Throws: As ``data(for:)`` does.
    public func bytes(for request: URLRequest) async throws -> (AsyncBytes, URLResponse) {
        try await bytes(for: request, taskDelegate: nil)
    }

    /// Sends a request and returns the response as soon as it begins, with its content as a sequence of bytes.
    /// - Parameters:
    ///   - request: What to send.
    ///   - delegate: Gets the calls for this task, on the session's delegate queue.
    /// - Throws: As ``data(for:)`` does.
    public func bytes(
        for request: URLRequest,
        delegate: any URLSessionTaskDelegate
    ) async throws -> (AsyncBytes, URLResponse) {
        try await bytes(for: request, taskDelegate: delegate)
    }

    /// Gets a URL and returns the response as soon as it begins, with its content as a sequence of bytes.
    /// - Parameter url: What to get.
    /// - Throws: As ``data(for:)`` does.
    public func bytes(from url: URL) async throws -> (AsyncBytes, URLResponse) {
        try await bytes(for: URLRequest(url: url))
    }

    private func bytes(
        for request: URLRequest,
        taskDelegate: (any URLSessionTaskDelegate)?
    ) async throws -> (AsyncBytes, URLResponse) {
        let channel = ByteChannel()
        guard let task = (self as? CurlURLSession)?.dataTask(with: request, channel: channel) else {
            let (data, response) =
                if let taskDelegate {
                    try await self.data(for: request, delegate: taskDelegate)
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
        task.delegate = taskDelegate
        task.resume()
        let response = try await channel.response()
        return (AsyncBytes(task: task, source: channel), response)
    }
}
#endif
