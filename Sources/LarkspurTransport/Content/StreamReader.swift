#if canImport(FoundationNetworking)
/// Content from a stream. It is read on another queue, ahead of libcurl's reads.
final class StreamReader: BodyReader {
    /// The length that the request announces; nil if the request announces no length.
    var length: Int64?
    private(set) var failure: URLError?
    private let pump: BodyPump
    private var chunks: [Data] = []
    private var hasEnded = false
    private(set) var position: Int64 = 0

    init(_ pump: BodyPump) { self.pump = pump }

    /// Receives a chunk from the pump.
    func receive(_ chunk: BodyPump.Chunk) {
        switch chunk {
        case .bytes(let data):
            chunks.append(data)
            if chunks.count < 4 { pump.readMore() }
        case .end: hasEnded = true
        case .failed(let error):
            failure = error ?? .engine(.requestBodyStreamExhausted, "The body stream failed.", url: nil)
        case .stream: break
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.Provision {
        if failure != nil { return .failed }
        // Without this check, libcurl would send more than was announced, and the server would take the surplus for the
        // next request.
        if let length, chunks.reduce(0, { $0 + Int64($1.count) }) > length - position {
            return fail("The body stream has more than the \(length) bytes that were announced.")
        }
        guard let first = chunks.first else {
            guard hasEnded else { return .paused }
            guard length == nil || position == length else {
                return fail("The body stream ended after \(position) of \(length ?? 0) bytes.")
            }
            return .bytes(0)
        }
        let count = min(buffer.count, first.count)
        first.prefix(count).withUnsafeBytes { buffer.copyMemory(from: $0) }
        if count == first.count {
            chunks.removeFirst()
            if !hasEnded { pump.readMore() }
        } else {
            chunks[0] = first.dropFirst(count)
        }
        position += Int64(count)
        return .bytes(count)
    }

    private func fail(_ sentence: String) -> EasyHandle.Provision {
        failure = .engine(.requestBodyStreamExhausted, sentence, url: nil)
        return .failed
    }

    /// Returns whether the offset is the current position. A stream cannot seek.
    func seek(to offset: Int64) -> Bool { offset == position }
}
#endif
