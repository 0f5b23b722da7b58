#if canImport(FoundationNetworking)
/// The lines of a text that arrives as bytes: UTF-8, with what is not that replaced by U+FFFD.
///
/// A line ends at a line feed, a carriage return or both, a vertical tab, a form feed, and U+0085, U+2028 and U+2029.
/// As in Foundation on other platforms, lines without any character are left out. A line is kept in memory, however
/// long it is.
public struct AsyncLines: AsyncSequence, Sendable {
    /// A line without its end.
    public typealias Element = String

    let bytes: URLSession.AsyncBytes

    /// Iterates from the first byte that no iterator has taken.
    public func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes.makeAsyncIterator()) }

    /// Goes through the lines of a response.
    public struct Iterator: AsyncIteratorProtocol {
        private var bytes: URLSession.AsyncBytes.Iterator
        private var splitter = LineSplitter()

        init(bytes: URLSession.AsyncBytes.Iterator) { self.bytes = bytes }

        /// The next line; nil at the end.
        /// - Throws: A `URLError` where the content is incomplete; its code is `cancelled` after a cancellation.
        public mutating func next() async throws -> String? {
            try await next(isolation: nil)
        }

        /// The next line; nil at the end.
        /// - Parameter actor: The actor on which the caller runs, and goes on to run.
        /// - Throws: A `URLError` where the content is incomplete; its code is `cancelled` after a cancellation.
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
