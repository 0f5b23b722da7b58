public import Foundation
public import HTTPTypes

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

/// The content of a request or a response, in pieces.
public struct HTTPBody: AsyncSequence, Sendable {
    /// A piece of content.
    public typealias Element = ArraySlice<UInt8>

    private let pieces: @Sendable () -> AsyncThrowingStream<Element, any Error>

    /// Creates content from bytes.
    /// - Parameter bytes: The bytes.
    public init(_ bytes: some Sequence<UInt8> & Sendable) {
        pieces = {
            AsyncThrowingStream { continuation in
                continuation.yield(ArraySlice(Array(bytes)))
                continuation.finish()
            }
        }
    }

    /// Creates content from a stream, which can be read once.
    /// - Parameter stream: The stream.
    public init(_ stream: AsyncThrowingStream<Element, any Error>) { pieces = { stream } }

    /// Creates the iterator.
    public func makeAsyncIterator() -> AsyncThrowingStream<Element, any Error>.Iterator {
        pieces().makeAsyncIterator()
    }
}
