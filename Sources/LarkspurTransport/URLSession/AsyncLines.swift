#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The lines of a text that arrives as bytes in UTF-8. Invalid bytes become U+FFFD.
///
/// A line ends with a line feed, a carriage return or both, a vertical tab, a form feed, U+0085, U+2028 or U+2029. As
/// in Foundation on other platforms, empty lines are skipped. Each line is stored in memory as a whole, and its length
/// is not limited.
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
        /// - Throws: A `URLError` if the content is incomplete; its code is `cancelled` after a cancellation.
        public mutating func next() async throws -> String? {
            try await next(isolation: nil)
        }

        /// Returns the next line; nil at the end.
        /// - Parameter actor: The actor on which the caller runs, and continues to run.
        /// - Throws: A `URLError` if the content is incomplete; its code is `cancelled` after a cancellation.
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
