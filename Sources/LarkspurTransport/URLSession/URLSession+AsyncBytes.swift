#if canImport(FoundationNetworking)
internal import HTTPSyntax

extension URLSession {
    /// The content of a response as a sequence of bytes. It can be iterated only once.
    ///
    /// The bytes arrive in chunks, and the iteration waits only between chunks. The transfer is cancelled in two cases:
    /// the iterating Swift task is cancelled, or the sequence and its iterators are released. If there are several
    /// iterators, each byte is returned by only one of them.
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

        /// Creates an iterator that begins at the first byte that no iterator has consumed yet.
        public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

        /// The content as lines of text.
        public var lines: AsyncLines { AsyncLines(bytes: self) }
    }
}

extension URLSession.AsyncBytes {
    /// An iterator over the bytes of a response.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline var chunk: Data.Iterator?
        private let source: ByteSourceOwner

        init(source: ByteSourceOwner) { self.source = source }

        /// Returns the next byte; nil at the end.
        /// - Throws: A `URLError` if the content is incomplete. Its code is `cancelled` after a cancellation.
        @inlinable
        public mutating func next() async throws -> UInt8? {
            try await next(isolation: nil)
        }

        /// Returns the next byte; nil at the end.
        /// - Parameter actor: The actor on which the caller runs, and continues to run.
        /// - Throws: A `URLError` if the content is incomplete. Its code is `cancelled` after a cancellation.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
            if let byte = chunk?.next() { return byte }
            return try await nextOfNextChunk(isolation: actor)
        }

        @usableFromInline
        mutating func nextOfNextChunk(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
            chunk = nil
            while let data = try await source.next() {
                chunk = data.makeIterator()
                if let byte = chunk?.next() { return byte }
            }
            chunk = nil
            return nil
        }
    }
}

@available(*, unavailable)
extension URLSession.AsyncBytes.Iterator: Sendable {}

/// The owner of a source. When it is released, it cancels the source.
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

extension URLSession {
    /// Gets a URL. Returns the response as soon as its head has arrived, and the content as a sequence of bytes.
    ///
    /// The content arrives only as fast as it is consumed. But a session that is not a ``CurlURLSession`` receives the
    /// whole content before the method returns. Cancelling the Swift task cancels the transfer. If the Swift task is
    /// already cancelled, nothing is sent.
    /// - Parameters:
    ///   - url: The URL to get.
    ///   - delegate: The delegate for this task, called on the session's delegate queue. Default: nil, so that the
    ///     session's delegate is called.
    /// - Throws: A `URLError`. Its code is `cancelled` after a cancellation, and `badServerResponse` if the task ended
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
    ///   - delegate: The delegate for this task, called on the session's delegate queue. Default: nil, so that the
    ///     session's delegate is called.
    /// - Throws: A `URLError`. Its code is `cancelled` after a cancellation, and `badServerResponse` if the task ended
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
            // The superclass does not give access to the completed task, so a cancelled task with the same request
            // replaces it.
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

/// The content of a response as the chunks in which it arrives.
protocol ByteSource: Sendable {
    /// Returns the next chunk, which may be empty. At the end, and in all later calls, returns nil.
    ///
    /// Only one task at a time may call this method.
    func next() async throws -> Data?

    /// Ends the transfer and a pending call of `next()`. May be called on any thread, more than once, and after the end
    /// of the content.
    func cancel()
}

/// The content that a task passes to a channel.
struct ChannelSource: ByteSource {
    private let channel: ResponseChannel<any Error>
    private let task: URLSessionTask

    init(_ channel: ResponseChannel<any Error>, _ task: URLSessionTask) {
        self.channel = channel
        self.task = task
    }

    func next() async throws -> Data? { try await channel.next() }

    func cancel() { task.cancel() }
}

/// The lines of a text that arrives as bytes in UTF-8. Invalid bytes become U+FFFD.
///
/// A line ends with a line feed, a carriage return or both, a vertical tab, a form feed, U+0085, U+2028 or U+2029.
/// Empty lines are skipped, as in Foundation on other platforms. Each line is stored in memory as a whole, and its
/// length is not limited.
public struct AsyncLines: AsyncSequence, Sendable {
    /// A line without its line end.
    public typealias Element = String

    let bytes: URLSession.AsyncBytes

    /// Creates an iterator that begins at the first byte that no iterator has consumed yet.
    public func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes.makeAsyncIterator()) }

    /// An iterator over the lines of a response.
    public struct Iterator: AsyncIteratorProtocol {
        private var bytes: URLSession.AsyncBytes.Iterator
        private var splitter = LineSplitter()

        init(bytes: URLSession.AsyncBytes.Iterator) { self.bytes = bytes }

        /// Returns the next line; nil at the end.
        /// - Throws: A `URLError` if the content is incomplete. Its code is `cancelled` after a cancellation.
        public mutating func next() async throws -> String? {
            try await next(isolation: nil)
        }

        /// Returns the next line; nil at the end.
        /// - Parameter actor: The actor on which the caller runs, and continues to run.
        /// - Throws: A `URLError` if the content is incomplete. Its code is `cancelled` after a cancellation.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> String? {
            while let byte = try await bytes.next(isolation: actor) {
                if let line = splitter.take(byte) { return line }
            }
            return splitter.finish()
        }
    }
}

@available(*, unavailable)
extension AsyncLines.Iterator: Sendable {}
#endif
