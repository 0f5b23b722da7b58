#if canImport(FoundationNetworking)
extension URLSession {
    /// The content of a response as a sequence of bytes, which can be iterated once.
    ///
    /// The bytes arrive in pieces; the iteration waits only at the end of a piece. The transfer is cancelled when the
    /// iterating Swift task is cancelled, and when the sequence and its iterators are released. With several iterators,
    /// each byte goes to one of them.
    public struct AsyncBytes: AsyncSequence, Sendable {
        /// A byte of the content.
        public typealias Element = UInt8

        /// The task that receives the content.
        public let task: URLSessionDataTask

        private let source: ByteSourceOwner

        init(task: URLSessionDataTask, source: any ByteSource) {
            self.task = task
            self.source = ByteSourceOwner(source)
        }

        /// Creates an iterator that begins at the first byte that no iterator has consumed.
        public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

        /// The content as lines of text.
        public var lines: AsyncLines { AsyncLines(bytes: self) }
    }
}

extension URLSession.AsyncBytes {
    /// An iterator over the bytes of a response.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline var piece: Data.Iterator?
        private let source: ByteSourceOwner

        init(source: ByteSourceOwner) { self.source = source }

        /// Returns the next byte; nil at the end.
        /// - Throws: A `URLError` if the content is incomplete; its code is `cancelled` after a cancellation.
        @inlinable
        public mutating func next() async throws -> UInt8? {
            try await next(isolation: nil)
        }

        /// Returns the next byte; nil at the end.
        /// - Parameter actor: The actor on which the caller runs, and continues to run.
        /// - Throws: A `URLError` if the content is incomplete; its code is `cancelled` after a cancellation.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
            if let byte = piece?.next() { return byte }
            return try await nextOfNextPiece(isolation: actor)
        }

        @usableFromInline
        mutating func nextOfNextPiece(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
            piece = nil
            while let data = try await source.next() {
                piece = data.makeIterator()
                if let byte = piece?.next() { return byte }
            }
            piece = nil
            return nil
        }
    }
}

@available(*, unavailable)
extension URLSession.AsyncBytes.Iterator: Sendable {}

/// The owner of a source, which cancels it when the last reference to the owner is released.
final class ByteSourceOwner: Sendable {
    private let source: any ByteSource

    init(_ source: any ByteSource) { self.source = source }

    deinit { source.cancel() }

    func next() async throws -> Data? {
        guard !Task.isCancelled else {
            source.cancel()
            throw URLError.engine(.cancelled, "The request was cancelled.", url: nil)
        }
        return try await withTaskCancellationHandler {
            try await source.next()
        } onCancel: { [source] in
            source.cancel()
        }
    }
}
#endif

#if canImport(FoundationNetworking)
extension URLSession {
    /// Gets a URL and returns the response as soon as it begins, with its content as a sequence of bytes.
    ///
    /// The content arrives only as fast as it is consumed. A session that is not a ``CurlURLSession`` receives all of
    /// it first. Cancelling the Swift task cancels the transfer; a Swift task that was cancelled before sends nothing.
    /// - Parameters:
    ///   - url: The URL to get.
    ///   - delegate: The delegate for this task, called on the session's delegate queue. Default: nil, the session's
    ///     delegate receives them.
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
    ///     delegate receives them.
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
            // The task stands for the completed one, to which the superclass gives no access.
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
