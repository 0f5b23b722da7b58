/// The content of an upload: chunks of 64 KiB, each of them made when it is asked for.
package struct ChunkSequence<Chunk: Sendable>: AsyncSequence, Sendable {
    private let length: Int
    private let pause: Duration?
    private let makeChunk: @Sendable (_ length: Int) -> Chunk

    /// - Parameters:
    ///   - length: The number of bytes of all chunks.
    ///   - pauses: Whether the sequence sleeps 1 ms after each chunk.
    ///   - makeChunk: Makes a chunk of so many bytes.
    package init(length: Int, pauses: Bool, makeChunk: @escaping @Sendable (_ length: Int) -> Chunk) {
        self.length = length
        self.makeChunk = makeChunk
        pause = pauses ? .milliseconds(1) : nil
    }

    package func makeAsyncIterator() -> Iterator { Iterator(sequence: self, rest: length) }

    package struct Iterator: AsyncIteratorProtocol {
        private static var chunkLength: Int { 1 << 16 }

        fileprivate let sequence: ChunkSequence
        fileprivate var rest: Int

        package mutating func next() async throws -> Chunk? {
            if let pause = sequence.pause, rest < sequence.length { try await Task.sleep(for: pause) }
            guard rest > 0 else { return nil }
            let length = Swift.min(rest, Self.chunkLength)
            rest -= length
            return sequence.makeChunk(length)
        }
    }
}
