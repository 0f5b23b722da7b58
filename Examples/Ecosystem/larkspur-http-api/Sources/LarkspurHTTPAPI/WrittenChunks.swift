internal import Foundation
internal import HTTPTypes
internal import Larkspur

/// The content of a request from an offset on, as the chunks that its closure writes. A resumable upload reads it in
/// this way.
///
/// The closure writes one chunk for each that is read, and is cancelled when the iterator is released.
struct WrittenChunks: AsyncSequence, Sendable {
    let body: HTTPClientRequestBody<SessionHTTPClient.Writer>
    let offset: Int64

    func makeAsyncIterator() -> Iterator {
        let (demands, demand) = AsyncStream<Void>.makeStream()
        let (chunks, chunk) = AsyncThrowingStream<Data, any Error>.makeStream()
        let production = Task { [body, offset] in
            do {
                try await body.produceToEnd(offset: offset, into: .chunks(ChunkWriter(demands, chunk)))
                chunk.finish()
            } catch {
                chunk.finish(throwing: error)
            }
        }
        return Iterator(production: Production(task: production, demand: demand), chunks: chunks.makeAsyncIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let production: Production
        fileprivate var chunks: AsyncThrowingStream<Data, any Error>.Iterator

        mutating func next() async throws -> Data? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            production.demand.yield()
            return try await chunks.next(isolation: actor)
        }
    }
}

/// The Swift task of a closure that writes content. Its release cancels the task.
private final class Production: Sendable {
    private let task: Task<Void, Never>
    let demand: AsyncStream<Void>.Continuation

    init(task: Task<Void, Never>, demand: AsyncStream<Void>.Continuation) {
        self.task = task
        self.demand = demand
    }

    deinit {
        task.cancel()
        demand.finish()
    }
}

/// The destination of content that an iterator reads chunk by chunk.
final class ChunkWriter {
    private var demands: AsyncStream<Void>.Iterator
    private let chunks: AsyncThrowingStream<Data, any Error>.Continuation

    init(_ demands: AsyncStream<Void>, _ chunks: AsyncThrowingStream<Data, any Error>.Continuation) {
        self.demands = demands.makeAsyncIterator()
        self.chunks = chunks
    }

    /// Waits until the iterator asks for a chunk, and passes the bytes to it.
    func write(_ bytes: [UInt8]) async throws(LarkspurError) {
        guard await demands.next(isolation: #isolation) != nil, !Task.isCancelled else {
            throw LarkspurError(.sendingEnded, "The rest of the content is not sent.")
        }
        chunks.yield(Data(bytes))
    }

    /// Ends the content.
    func finish(_ trailers: HTTPFields?) throws(LarkspurError) {
        guard trailers == nil else { throw LarkspurError(.unsupported, "A resumable upload has no trailers.") }
    }
}
