import Synchronization

/// The stream of a part, which must deliver the announced number of bytes.
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
        guard count <= wanted else { throw Self.error("it delivered more than there was room for") }
        position += Int64(count)
        return count
    }

    /// Throws if the stream has more bytes than announced, which would be cut off.
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

    /// Returns the content of a part that is a stream.
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
    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        buffer.withMemoryRebound(to: UInt8.self) { bytes in
            bytes.baseAddress.map { read($0, maxLength: bytes.count) } ?? 0
        }
    }
}
