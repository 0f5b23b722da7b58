#if canImport(FoundationNetworking)
import Synchronization

/// Content from a stream. It is read on another queue, ahead of libcurl's reads.
final class StreamReader: BodyReader {
    enum Chunk: Sendable {
        /// The stream that a delegate has provided; nil if the delegate has none.
        case stream(Transferring<InputStream?>)
        case bytes(Data)
        case end
        case failed(URLError?)
    }

    /// The length that the request announces; nil if the request announces no length.
    var length: Int64?
    private(set) var failure: URLError?
    private let pump: Pump
    private var chunks: [Data] = []
    private var hasEnded = false
    private(set) var position: Int64 = 0

    init(_ pump: Pump) { self.pump = pump }

    /// Receives a chunk from the pump.
    func receive(_ chunk: Chunk) {
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

extension StreamReader {
    /// Reads a stream for its reader. It reads one chunk at a time and sends the chunk to the loop. It reads on a queue where
    /// blocking delays no other work.
    final class Pump: Sendable {
        /// The queue on which delegates provide streams and on which streams are read. Any number of these calls run
        /// concurrently.
        static let queue = DispatchQueue(label: "larkspur.bodies", attributes: .concurrent)

        private static let chunkSize = 1 << 16

        private struct State {
            var isReading = false
            /// Whether another chunk was asked for during a read.
            var isWanted = false
            var isOver = false
        }

        private let stream: Transferring<InputStream>
        private let send: @Sendable (Chunk) -> Void
        private let state = Mutex(State())

        /// - Parameter send: Receives each chunk; called on the queue for streams.
        init(_ stream: InputStream, send: @escaping @Sendable (Chunk) -> Void) {
            self.stream = Transferring(stream)
            self.send = send
        }

        deinit { stream.value.close() }

        /// Reads one more chunk, unless the stream has ended. During a read, the chunk is read afterwards.
        func readMore() {
            let mustRead = state.withLock { state in
                guard !state.isOver else { return false }
                state.isWanted = state.isReading
                guard !state.isReading else { return false }
                state.isReading = true
                return true
            }
            if mustRead { Self.queue.async { [self] in readAll() } }
        }

        /// Reads chunks as long as they are asked for. A chunk is sent before the next one is read, so that no chunk
        /// overtakes another one.
        private func readAll() {
            var isWanted = true
            while isWanted {
                let chunk = read()
                send(chunk)
                isWanted = state.withLock { state in
                    if case .bytes = chunk {} else { state.isOver = true }
                    state.isReading = exchange(&state.isWanted, with: false) && !state.isOver
                    return state.isReading
                }
            }
        }

        private func read() -> Chunk {
            let stream = stream.value
            if stream.streamStatus == .notOpen { stream.open() }
            var buffer = Data(count: Self.chunkSize)
            let count = buffer.withUnsafeMutableBytes { bytes in
                bytes.bindMemory(to: UInt8.self).baseAddress.map { stream.read($0, maxLength: bytes.count) } ?? 0
            }
            if count > 0 { return .bytes(buffer.prefix(count)) }
            if count == 0, stream.streamStatus != .error { return .end }
            // If a stream of Foundation has no error, for example after it was closed, reading its error ends the
            // process.
            let error = stream.streamStatus == .error ? stream.streamError : nil
            let reason = error.map { ": \($0.localizedDescription)" } ?? ""
            let sentence = "The body stream could not be read\(reason)."
            return .failed(.engine(.requestBodyStreamExhausted, sentence, url: nil))
        }
    }
}
#endif
