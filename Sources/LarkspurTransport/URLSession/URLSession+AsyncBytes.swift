#if canImport(FoundationNetworking)
extension URLSession {
    /// The content of a response as a sequence of bytes. It can be iterated only once.
    ///
    /// The bytes arrive in chunks, and the iteration waits only between chunks. The transfer is cancelled when the
    /// iterating Swift task is cancelled, or when the sequence and its iterators are released. If there are several
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
#endif
