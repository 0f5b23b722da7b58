public import Foundation
public import HTTPTypes
internal import Synchronization

/// The protocol of swift-openapi-runtime by which a generated client sends its requests, in the same shape.
///
/// It stands here in place of that package, which this package does without. With the package, `SessionTransport`
/// conforms to the protocol of the same name, and `HTTPBody` is that of the package.
public protocol ClientTransport: Sendable {
    /// Sends a request.
    /// - Parameters:
    ///   - request: The request, whose path is relative to the base URL.
    ///   - body: The content of the request; nil if it has none.
    ///   - baseURL: The URL of the server.
    ///   - operationID: The identifier of the operation in the API's description.
    /// - Returns: The response, and its content as it arrives.
    func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        baseURL: URL,
        operationID: String
    ) async throws -> (HTTPResponse, HTTPBody?)
}

/// The number of times that a sequence can be iterated.
public enum IterationBehavior: Sendable {
    /// Once.
    case single
    /// Any number of times, from the beginning each time.
    case multiple
}

/// The content of a request or a response, in chunks.
public final class HTTPBody: Sendable {
    /// A chunk of content.
    public typealias ByteChunk = ArraySlice<UInt8>

    /// The number of bytes of content.
    public enum Length: Sendable, Equatable {
        /// The number is not known.
        case unknown
        /// The number is known.
        case known(Int64)
    }

    /// The number of bytes.
    public let length: Length
    /// The number of times that the content can be iterated.
    public let iterationBehavior: IterationBehavior
    private let makeIterator: @Sendable () -> Iterator
    private let isIterated = Atomic(false)

    /// Creates content from a sequence of chunks.
    /// - Parameters:
    ///   - sequence: The chunks.
    ///   - length: The number of bytes.
    ///   - iterationBehavior: The number of times that the sequence can be iterated.
    public init<Bytes: AsyncSequence & Sendable>(
        _ sequence: Bytes,
        length: Length,
        iterationBehavior: IterationBehavior
    ) where Bytes.Element == ByteChunk {
        self.length = length
        self.iterationBehavior = iterationBehavior
        makeIterator = {
            var iterator = sequence.makeAsyncIterator()
            return Iterator { try await iterator.next() }
        }
    }

    /// Creates content from a stream, which can be read once.
    /// - Parameters:
    ///   - stream: The stream.
    ///   - length: The number of bytes.
    public convenience init(_ stream: AsyncThrowingStream<ByteChunk, any Error>, length: Length) {
        self.init(stream, length: length, iterationBehavior: .single)
    }

    /// Creates content from bytes.
    /// - Parameter bytes: The bytes.
    public convenience init(_ bytes: some Collection<UInt8> & Sendable) {
        let chunk = ArraySlice(Array(bytes))
        let length = Length.known(Int64(chunk.count))
        self.init(SingleChunk(chunk: chunk), length: length, iterationBehavior: .multiple)
    }

    /// The error of a second iteration of content that can be read once.
    struct TooManyIterations: Error, CustomStringConvertible {
        let description = "The content can be read once, and was read already."
    }
}

extension HTTPBody: AsyncSequence {
    /// A chunk of content.
    public typealias Element = ByteChunk

    /// Creates the iterator. It throws an error, if the content can be read once and has another iterator.
    public func makeAsyncIterator() -> Iterator {
        let isSecond = isIterated.exchange(true, ordering: .relaxed)
        guard isSecond, iterationBehavior == .single else { return makeIterator() }
        return Iterator { throw TooManyIterations() }
    }

    /// An iterator over the chunks of content.
    public struct Iterator: AsyncIteratorProtocol {
        private let produceNext: () async throws -> ByteChunk?

        fileprivate init(_ produceNext: @escaping () async throws -> ByteChunk?) { self.produceNext = produceNext }

        /// Returns the next chunk; nil at the end.
        public mutating func next() async throws -> ByteChunk? { try await produceNext() }
    }
}

/// A sequence of one chunk, which can be iterated any number of times.
private struct SingleChunk: AsyncSequence, Sendable {
    let chunk: HTTPBody.ByteChunk

    func makeAsyncIterator() -> AsyncStream<HTTPBody.ByteChunk>.Iterator {
        AsyncStream { continuation in
            continuation.yield(chunk)
            continuation.finish()
        }
        .makeAsyncIterator()
    }
}

@available(*, unavailable)
extension HTTPBody.Iterator: Sendable {}
