#if canImport(FoundationNetworking)
import Synchronization

/// The source from which libcurl reads content in chunks, on the loop's thread.
protocol BodyReader: AnyObject {
    /// The length in bytes; nil if it is not known in advance.
    var length: Int64? { get }

    /// The number of bytes that were read since the beginning of the content.
    var position: Int64 { get }

    /// The error that prevents the reader from continuing; nil if there is none.
    var failure: URLError? { get }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.Provision

    /// Moves to an offset, because content has to be sent again. Returns false if this is not possible.
    func seek(to offset: Int64) -> Bool
}

/// Content in memory.
final class DataReader: BodyReader {
    private let data: Data
    private var offset = 0

    init(_ data: Data) { self.data = data }

    var length: Int64? { Int64(data.count) }
    var position: Int64 { Int64(offset) }
    var failure: URLError? { nil }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.Provision {
        let count = min(buffer.count, data.count - offset)
        let start = data.startIndex + offset
        data[start..<start + count].withUnsafeBytes { buffer.copyMemory(from: $0) }
        offset += count
        return .bytes(count)
    }

    func seek(to offset: Int64) -> Bool {
        guard offset >= 0, offset <= Int64(data.count) else { return false }
        self.offset = Int(offset)
        return true
    }
}

/// Content in a file. The file's length must not change after the file was opened.
final class FileReader: BodyReader {
    private let file: URL
    private let descriptor: Int32
    private let size: Int64
    private let modification: timespec
    private(set) var position: Int64 = 0
    private(set) var failure: URLError?

    /// - Throws: The reason why the file cannot be read.
    init(_ file: URL) throws(URLError) {
        self.file = file
        guard file.isFileURL else {
            throw .engine(.fileDoesNotExist, "\(file.absoluteString) is no file URL.", url: file)
        }
        // The file is opened without blocking. If it is a pipe, the session would otherwise wait until another process
        // opens the pipe for writing.
        descriptor = open(file.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            let reason = errno
            throw .engine(
                reason == ENOENT ? .fileDoesNotExist : .noPermissionsToReadFile,
                "The file \(file.path) cannot be read: \(String(cString: strerror(reason))).",
                url: file
            )
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .engine(.fileIsDirectory, "\(file.path) is not a file that can be read.", url: file)
        }
        size = Int64(status.st_size)
        modification = status.st_mtim
    }

    deinit { close(descriptor) }

    var length: Int64? { size }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.Provision {
        let wanted = Int(min(Int64(buffer.count), size - position))
        guard wanted > 0 else { return .bytes(0) }
        let count = pread(descriptor, buffer.baseAddress, wanted, off_t(position))
        guard count > 0 else {
            return fail(count == 0 ? "it has become shorter" : String(cString: strerror(errno)))
        }
        // With the last bytes, the content is complete for the server. So the file is checked before they are sent.
        guard position + Int64(count) < size || isUnchanged else { return fail("it was changed meanwhile") }
        position += Int64(count)
        return .bytes(count)
    }

    private func fail(_ reason: String) -> EasyHandle.Provision {
        failure = .engine(
            .requestBodyStreamExhausted,
            "The file \(file.path) could not be read to its end: \(reason).",
            url: file
        )
        return .failed
    }

    private var isUnchanged: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_size == size
            && status.st_mtim.tv_sec == modification.tv_sec && status.st_mtim.tv_nsec == modification.tv_nsec
    }

    func seek(to offset: Int64) -> Bool {
        guard offset >= 0, offset <= size else { return false }
        position = offset
        return true
    }
}

/// Content from a stream. Another queue reads the stream in advance of libcurl's reads.
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
        // Without this check, libcurl would send more bytes than announced, and the server would read the additional
        // bytes as the next request.
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
    /// Reads a stream for its reader. It reads one chunk at a time, and sends the chunk to the loop. It uses a queue on
    /// which blocking delays no other work.
    final class Pump: Sendable {
        /// The queue on which delegates provide streams and on which streams are read. Any number of these calls run
        /// concurrently.
        static let queue = DispatchQueue(label: "larkspur.bodies", attributes: .concurrent)

        private static let chunkSize = 1 << 16

        private struct State {
            var isReading = false
            /// Whether another chunk was requested during a read.
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

        /// Reads one more chunk, unless the stream has ended. If a read is in progress, the chunk is read afterwards.
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

        /// Reads chunks while they are requested. A chunk is sent before the next chunk is read, so that the chunks
        /// stay in order.
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

/// Content that a producer writes to a channel.
final class ChannelReader: BodyReader {
    let channel: BodyChannel
    let length: Int64?
    private(set) var position: Int64 = 0
    private(set) var failure: URLError?
    /// The bytes that were taken from the channel but did not fit into libcurl's buffer.
    private var rest = Data()

    /// - Parameter length: The length that the request announces; nil if it is sent in chunks.
    init(_ channel: BodyChannel, length: Int64?) {
        self.channel = channel
        self.length = length
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.Provision {
        if failure != nil { return .failed }
        var count = 0
        while count < buffer.count {
            if rest.isEmpty {
                switch channel.take() {
                case .bytes(let bytes): rest = bytes
                case .wait: return count == 0 ? .paused : provided(count)
                case .end: return provided(count)
                case .fail(BodyChannel.Refusal.answered), .fail(BodyChannel.Refusal.transferEnded):
                    // The response is valid, and no more content is sent.
                    return .paused
                case .fail(let error):
                    failure = Self.error(error)
                    return .failed
                }
            }
            let part = rest.prefix(buffer.count - count)
            part.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: $0) }
            count += part.count
            rest = rest.dropFirst(part.count)
        }
        return provided(count)
    }

    private func provided(_ count: Int) -> EasyHandle.Provision {
        position += Int64(count)
        return .bytes(count)
    }

    /// Returns the error of a task whose content could not be produced. Its underlying error is the producer's error.
    static func error(_ error: any Error) -> URLError {
        let sentence =
            switch error {
            case let refusal as BodyChannel.Refusal: refusal.sentence
            default: "The content of the request could not be produced to its end."
            }
        let underlying = error is BodyChannel.Refusal ? nil : error
        return .engine(.requestBodyStreamExhausted, sentence, url: nil, underlying: underlying)
    }

    /// Returns whether the offset is the current position. A producer cannot go back.
    func seek(to offset: Int64) -> Bool { offset == position }
}
#endif
