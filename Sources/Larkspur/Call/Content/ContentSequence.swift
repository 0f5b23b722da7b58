internal import HTTPSyntax
import Synchronization

/// The content of a response as it arrives, in chunks.
///
/// Iterating starts the call. With the transport `.curl`, a slow reader makes the server wait; about 1 MiB is
/// buffered. `.foundation` on Linux cannot make the server wait: a reader that is more than 16 MiB behind ends the
/// call with the error `contentTooLarge`. Leaving the loop cancels the call.
///
/// The content can be iterated once, in one of its forms. A second iterator throws an error with the code
/// `unsupported`. ``head`` is the response before its content, and ``trailers`` are the fields after it.
public struct ContentChunks: AsyncSequence, Sendable {
    let source: StreamedCall

    /// Creates the iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: source.takeReader()) }

    /// An iterator over the chunks of a response's content.
    public struct Iterator: AsyncIteratorProtocol {
        let reader: ResponseReader

        /// Returns the next chunk; nil at the end.
        /// - Throws: ``LarkspurError`` if the call fails, or the content is incomplete. Its code is `cancelled` after a
        ///   cancellation.
        public mutating func next() async throws(LarkspurError) -> Data? { try await reader.next() }

        /// Returns the next chunk; nil at the end.
        /// - Parameter actor: The caller's actor.
        /// - Throws: The errors of ``next()``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(LarkspurError) -> Data? {
            try await reader.next()
        }
    }
}

/// The elements of a response's content as they arrive: its lines, the values of lines that are JSON, or the values of
/// server-sent events. In all other respects, a sequence of events is like ``EventSource``, and any other sequence is
/// like ``ContentChunks``.
public struct ContentElements<Element: Sendable>: AsyncSequence, Sendable {
    let makeReader: @Sendable () -> any ElementReader<Element>

    /// Creates the iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: makeReader()) }

    /// An iterator over the elements of a response's content.
    public struct Iterator: AsyncIteratorProtocol {
        var reader: any ElementReader<Element>

        /// Returns the next element; nil at the end.
        /// - Throws: ``LarkspurError`` if the call fails, the content is incomplete, or a line is too long. Its code is
        ///   `responseSerializationFailed` if a value cannot be decoded, and `cancelled` after a cancellation.
        public mutating func next() async throws(LarkspurError) -> Element? { try await reader.next(isolation: nil) }

        /// Returns the next element; nil at the end.
        /// - Parameter actor: The caller's actor.
        /// - Throws: The errors of ``next()``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(LarkspurError) -> Element? {
            try await reader.next(isolation: actor)
        }
    }
}

/// Makes elements of the content of a response.
protocol ElementReader<Element> {
    associatedtype Element

    /// Returns the next element; nil at the end.
    mutating func next(isolation actor: isolated (any Actor)?) async throws(LarkspurError) -> Element?
}

/// The lines of the content of a response.
private struct LineReader: ElementReader {
    let reader: ResponseReader
    private var chunk = Data()
    /// The index of the next byte in the chunk.
    private var position = 0
    private var splitter = LineSplitter()

    init(reader: ResponseReader) { self.reader = reader }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(LarkspurError) -> String? {
        repeat {
            while position < chunk.endIndex {
                defer { position += 1 }
                if let line = splitter.take(chunk[position]) { return line }
                // A line without an end would otherwise fill the memory.
                if splitter.length > StreamedCall.longestLine { throw end(with: reader.tooLongLine) }
            }
            do throws(LarkspurError) {
                guard let next = try await reader.next() else { return splitter.finish() }
                chunk = next
            } catch {
                throw end(with: error)
            }
            // The indices of a chunk may begin at another number than 0.
            position = chunk.startIndex
        } while true
    }

    /// Ends the sequence with an error, and discards the incomplete line.
    private mutating func end(with error: LarkspurError) -> LarkspurError {
        splitter = LineSplitter()
        return reader.end(with: error)
    }
}

/// The values of a response's content, each line of which is a JSON value.
private struct LineValueReader<Element: Decodable & Sendable>: ElementReader {
    let reader: ResponseReader
    let decoder: any DataDecoder
    private var splitter = NewlineSplitter()

    init(reader: ResponseReader, decoder: any DataDecoder) {
        self.reader = reader
        self.decoder = decoder
    }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(LarkspurError) -> Element? {
        while true {
            if let line = splitter.next() {
                if line.isBlankContent { continue }
                return try decode(line)
            }
            if splitter.length > StreamedCall.longestLine { throw end(with: reader.tooLongLine) }
            let part: Data?
            do throws(LarkspurError) { part = try await reader.next() } catch { throw end(with: error) }
            guard let part else { break }
            splitter.append(part)
        }
        guard let line = splitter.finish(), !line.isBlankContent else { return nil }
        return try decode(line)
    }

    private mutating func decode(_ line: Data) throws(LarkspurError) -> Element {
        do throws(LarkspurError) {
            return try DecodableResponseSerializer<Element>(decoder: decoder).serialize(line, response: nil)
        } catch {
            throw end(with: error)
        }
    }

    /// Ends the sequence with an error.
    private mutating func end(with error: LarkspurError) -> LarkspurError {
        splitter = NewlineSplitter()
        return reader.end(with: error)
    }
}

extension StreamedCall {
    /// The decoder of the manager.
    var jsonDecoder: any DataDecoder { task.plan.chain?.jsonDecoder ?? JSONDecoder() }

    /// The lines of the content.
    var lines: ContentElements<String> {
        ContentElements { [self] in LineReader(reader: takeReader()) }
    }

    /// Returns the values of the lines of the content.
    /// - Parameter decoder: The decoder of the lines; nil for the decoder of the manager.
    func values<Value: Decodable & Sendable>(decoder: (any DataDecoder)?) -> ContentElements<Value> {
        let decoder = decoder ?? jsonDecoder
        return ContentElements { [self] in LineValueReader(reader: takeReader(), decoder: decoder) }
    }
}

@available(*, unavailable)
extension ContentChunks.Iterator: Sendable {}
@available(*, unavailable)
extension ContentElements.Iterator: Sendable {}

extension DataTask {
    /// The content of the response as it arrives, in chunks. Iterating starts the call.
    public var chunks: ContentChunks { ContentChunks(source: StreamedCall(task: self)) }

    /// The content of the response as it arrives, line by line. Iterating starts the call.
    ///
    /// The text is UTF-8; invalid bytes are replaced by U+FFFD. A line ends as in Foundation: at a line feed, a
    /// carriage return or both, a vertical tab, a form feed, or U+0085, U+2028 or U+2029. Empty lines are left out. If
    /// a line is longer than 16 MiB, the error is `contentTooLarge`.
    public var lines: ContentElements<String> { StreamedCall(task: self).lines }

    /// Returns the values of a response whose content is JSON in lines (NDJSON), as they arrive. Iterating starts the
    /// call.
    ///
    /// Each line is a value; blank lines are left out. If a line is longer than 16 MiB, the error is `contentTooLarge`.
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: The decoder of the lines. Default: the manager's `jsonDecoder`, as it was when the call was made.
    public func decoded<T: Decodable & Sendable>(
        as type: T.Type,
        decoder: (any DataDecoder)? = nil
    ) -> ContentElements<T> {
        StreamedCall(task: self).values(decoder: decoder)
    }
}
