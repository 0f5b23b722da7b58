import Synchronization

/// The stream of a part. It must deliver the announced number of bytes.
final class MultipartStream: MultipartSource {
    private let stream: InputStream
    private let length: Int64
    private var position: Int64 = 0

    init(_ stream: InputStream, length: Int64) {
        self.stream = stream
        self.length = length
    }

    deinit { stream.close() }

    var mayHaveToBeWaitedFor: Bool { true }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LarkspurError) -> Int {
        // Opened only now, so that it is used on the thread that reads the form.
        if stream.streamStatus == .notOpen { stream.open() }
        guard position < length else {
            try checkEnd()
            return 0
        }
        let wanted = Int(min(Int64(buffer.count), length - position))
        let count = stream.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
        guard count > 0 else {
            guard count == 0, stream.streamStatus != .error else { throw failure }
            throw Self.error("it ended after \(position) of \(length) bytes")
        }
        // The stream may be of a subclass that the caller has written, and may return any number.
        guard count <= wanted else { throw Self.error("it delivered more than there was room for") }
        position += Int64(count)
        return count
    }

    /// Checks that the stream has no more bytes than announced. Without this check, the rest would be lost without an
    /// error.
    private func checkEnd() throws(LarkspurError) {
        let count = withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { stream.read(into: $0) }
        guard count <= 0 else { throw Self.error("it has more than the announced \(length) bytes") }
        guard count == 0, stream.streamStatus != .error else { throw failure }
    }

    private var failure: LarkspurError {
        // On Linux the streams of Foundation terminate the process if `streamError` is read while there is no error.
        let reason = stream.streamStatus == .error ? stream.streamError : nil
        return Self.error(reason?.localizedDescription ?? "it failed", underlyingError: reason)
    }

    static func error(_ reason: String, underlyingError: (any Error)? = nil) -> LarkspurError {
        LarkspurError(
            .bodyUnreadable,
            "A stream of a form could not be read: \(reason.withoutFullStop).",
            underlyingError: underlyingError
        )
    }

    /// Returns the content of a part, from a closure that creates its stream.
    /// - Throws: `bodyUnreadable`, if the length is negative.
    static func content(
        length: Int64,
        make: @escaping @Sendable () throws(LarkspurError) -> InputStream
    ) throws(LarkspurError) -> MultipartPart.Content {
        guard length >= 0 else {
            throw LarkspurError(.bodyUnreadable, "The length of a form's stream is negative: it must be known.")
        }
        return .stream(length: length, make: make)
    }
}

/// A stream that can be read only once.
final class MultipartSingleStream: Sendable {
    private let stream: Mutex<Transferred<InputStream>?>

    init(_ stream: sending InputStream) { self.stream = Mutex(Transferred(stream)) }

    func take() throws(LarkspurError) -> InputStream {
        guard let stream = stream.withLock({ $0.take() }) else {
            throw LarkspurError(
                .bodyUnreadable,
                "The form has a stream that was sent already, and has to be sent again: append a closure that makes the stream."
            )
        }
        return stream.value
    }
}

extension InputStream {
    /// Reads into a buffer. Returns what `read(_:maxLength:)` returns.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        buffer.withMemoryRebound(to: UInt8.self) { bytes in
            bytes.baseAddress.map { read($0, maxLength: bytes.count) } ?? 0
        }
    }
}

/// A reader of a form's body, from its beginning to its end, one buffer at a time. It is used on one thread at a time.
///
/// It opens a file or a stream when the previous part has ended. It delivers exactly
/// ``MultipartFormData/contentLength`` bytes, or fails.
final class MultipartReader: BlockingReader {
    /// The size in bytes of the buffers that the callers of the reader allocate.
    static let chunkSize = 1 << 17

    /// A section of the body.
    private enum Section {
        case beginning(of: Int)
        case content(of: Int)
        case end
        case nothing
    }

    private let form: MultipartFormData
    private var throttle: Throttle?
    private var next = Section.nothing
    private var source: (any MultipartSource)?

    /// - Parameter clock: The clock that limits the bytes per second. Default: the system's.
    init(_ form: MultipartFormData, clock: any ThrottleClock = SystemThrottleClock()) {
        self.form = form
        throttle = form.bytesPerSecond.map { Throttle(bytesPerSecond: $0, clock: clock) }
        next = form.parts.isEmpty ? .end : .beginning(of: 0)
    }

    /// Reads as many bytes as are available and fit into the buffer. If a stream has delivered some bytes, the method
    /// does not wait for more bytes of that stream. Returns 0 only at the end, or if the buffer is empty.
    /// - Throws: `bodyUnreadable`.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LarkspurError) -> Int {
        let room = throttle.map { min($0.chunkSize, buffer.count) } ?? buffer.count
        throttle?.waitForTurn()
        var count = 0
        while count < room {
            if source == nil {
                source = try nextSource()
                guard source != nil else { break }
            }
            guard let source else { break }
            let read = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count..<room]))
            if read == 0 { self.source = nil }
            count += read
            // The next read could block. The bytes that are already in the buffer would then be sent late.
            if read > 0, source.mayHaveToBeWaitedFor { break }
        }
        throttle?.note(count)
        return count
    }

    private func nextSource() throws(LarkspurError) -> (any MultipartSource)? {
        switch next {
        case .beginning(let index):
            next = .content(of: index)
            return MultipartDataSource(form.delimiter(before: index) + form.parts[index].header)
        case .content(let index):
            next = index + 1 < form.parts.count ? .beginning(of: index + 1) : .end
            return try form.parts[index].makeSource()
        case .end:
            next = .nothing
            return MultipartDataSource(form.closingDelimiter)
        case .nothing:
            return nil
        }
    }
}

extension MultipartPart {
    fileprivate func makeSource() throws(LarkspurError) -> any MultipartSource {
        switch content {
        case .data(let data): MultipartDataSource(data)
        case .file(let file, let size): try MultipartFile(file, expectedSize: size)
        case .stream(let length, let make): MultipartStream(try make(), length: length)
        }
    }
}

/// A reader of the content of a request, from its beginning to its end. It is used on one thread at a time.
protocol BlockingReader: AnyObject {
    /// Reads as many bytes as are available and fit into the buffer. Returns 0 only at the end, or if the buffer is
    /// empty.
    /// - Throws: `bodyUnreadable`.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LarkspurError) -> Int
}

/// A source of bytes of a form. It delivers exactly the announced number of bytes, or fails.
protocol MultipartSource: AnyObject {
    /// Whether a read may block for an indefinite time.
    var mayHaveToBeWaitedFor: Bool { get }

    /// Reads into a buffer that is not empty. Returns 0 only at the end.
    /// - Throws: `bodyUnreadable`.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LarkspurError) -> Int
}

/// A source of bytes in memory.
final class MultipartDataSource: MultipartSource {
    private var rest: Data

    init(_ data: Data) { rest = data }

    var mayHaveToBeWaitedFor: Bool { false }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, rest.count)
        rest.prefix(count).withUnsafeBytes { buffer.copyMemory(from: $0) }
        rest = rest.dropFirst(count)
        return count
    }
}
