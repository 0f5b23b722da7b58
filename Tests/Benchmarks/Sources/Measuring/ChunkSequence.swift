/// The content of an upload: chunks of 64 KiB, each of them made when it is asked for, unless all are the same.
package struct ChunkSequence<Chunk: Sendable>: AsyncSequence, Sendable {
    private let length: Int
    private let pause: Duration?
    private let makeChunk: @Sendable (_ length: Int) -> Chunk

    /// - Parameters:
    ///   - length: The number of bytes of all chunks.
    ///   - workload: Whether the sequence sleeps 1 ms after each chunk, and whether all chunks are the same.
    ///   - makeChunk: Makes a chunk of so many bytes.
    package init(
        length: Int,
        _ workload: Options.Workload,
        makeChunk: @escaping @Sendable (_ length: Int) -> Chunk
    ) {
        self.length = length
        pause = workload == .slowUploadSequence ? .milliseconds(1) : nil
        if workload == .repeatedUploadSequence {
            let chunk = makeChunk(Iterator.chunkLength)
            self.makeChunk = { $0 == Iterator.chunkLength ? chunk : makeChunk($0) }
        } else {
            self.makeChunk = makeChunk
        }
    }

    package func makeAsyncIterator() -> Iterator { Iterator(sequence: self, rest: length) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate static var chunkLength: Int { 1 << 16 }

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
