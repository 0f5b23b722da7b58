#if canImport(FoundationNetworking)
import Synchronization

/// Reads a stream where waiting for it delays nobody, a chunk at a time, and sends what it reads to the loop.
final class BodyPump: Sendable {
    enum Chunk: Sendable {
        /// The delegate's answer to the question for a stream.
        case stream(Transferring<InputStream?>)
        case bytes(Data)
        case end
        case failed(URLError?)
    }

    /// Where delegates are asked for streams, and streams are read: as many at a time as there are.
    static let queue = DispatchQueue(label: "larkspur.bodies", attributes: .concurrent)

    private static let chunkSize = 1 << 16

    private struct State {
        var isReading = false
        var isOver = false
    }

    private let stream: Transferring<InputStream>
    private let send: @Sendable (Chunk) -> Void
    private let state = Mutex(State())

    /// - Parameter send: Takes what was read; called on the queue for streams.
    init(_ stream: InputStream, send: @escaping @Sendable (Chunk) -> Void) {
        self.stream = Transferring(stream)
        self.send = send
    }

    deinit { stream.value.close() }

    /// Reads one more chunk, unless it is being read or there is none.
    func readMore() {
        let mustRead = state.withLock { state in
            guard !state.isReading, !state.isOver else { return false }
            state.isReading = true
            return true
        }
        if mustRead { Self.queue.async { [self] in read() } }
    }

    private func read() {
        let stream = stream.value
        if stream.streamStatus == .notOpen { stream.open() }
        var buffer = Data(count: Self.chunkSize)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.bindMemory(to: UInt8.self).baseAddress.map { stream.read($0, maxLength: bytes.count) } ?? 0
        }
        state.withLock { state in
            state.isReading = false
            state.isOver = count <= 0
        }
        if count > 0 {
            send(.bytes(buffer.prefix(count)))
        } else if count == 0, stream.streamStatus != .error {
            send(.end)
        } else {
            // Foundation's streams end the process when they are asked for an error that they do not have, as one that
            // is closed.
            let error = stream.streamStatus == .error ? stream.streamError : nil
            let reason = error.map { ": \($0.localizedDescription)" } ?? ""
            send(.failed(.engine(.requestBodyStreamExhausted, "The body stream could not be read\(reason).", url: nil)))
        }
    }
}
#endif
