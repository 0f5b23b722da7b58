#if canImport(FoundationNetworking)
/// A stream that delivers the body of a form.
final class MultipartInputStream: ReaderInputStream {
    /// The form that the stream delivers.
    let form: MultipartFormData

    init(_ form: MultipartFormData, onFailure: @escaping @Sendable (LarkspurError) -> Void) {
        self.form = form
        super.init(onFailure: onFailure) { () throws(LarkspurError) in MultipartReader(form) }
    }
}

/// A stream that delivers the content of a reader. Like every stream, it is read on one thread at a time.
///
/// It passes the reason of a failure to a closure, so that the error of the task is the same on every transport.
class ReaderInputStream: InputStream {
    private let makeReader: () throws(LarkspurError) -> any BlockingReader
    private let onFailure: @Sendable (LarkspurError) -> Void
    private var reader: (any BlockingReader)?
    private var status = Stream.Status.notOpen
    private var failure: LarkspurError?

    /// - Parameters:
    ///   - onFailure: A closure that is called with the error if the reader cannot be created or cannot read. It is
    ///     called within `open` or `read`, on the thread of the caller.
    ///   - makeReader: A closure that creates the reader when the stream is opened.
    init(
        onFailure: @escaping @Sendable (LarkspurError) -> Void,
        makeReader: @escaping () throws(LarkspurError) -> any BlockingReader
    ) {
        self.makeReader = makeReader
        self.onFailure = onFailure
        // `InputStream` needs a source. The overridden methods do not read it.
        super.init(data: Data())
    }

    override var streamStatus: Stream.Status { status }

    override var streamError: (any Error)? { failure }

    /// Whether a read may return bytes or an error.
    override var hasBytesAvailable: Bool { status == .open || status == .error }

    override func open() {
        guard status == .notOpen else { return }
        do throws(LarkspurError) {
            reader = try makeReader()
            status = .open
        } catch {
            fail(with: error)
        }
    }

    override func close() {
        reader = nil
        // The status stays `.error`, so that a read after the close still returns −1.
        if status != .error { status = .closed }
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        guard status == .open, let reader, len > 0 else { return status == .error ? -1 : 0 }
        do throws(LarkspurError) {
            let count = try reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: len))
            if count == 0 { status = .atEnd }
            return count
        } catch {
            fail(with: error)
            return -1
        }
    }

    private func fail(with error: LarkspurError) {
        failure = error
        status = .error
        reader = nil
        onFailure(error)
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length len: UnsafeMutablePointer<Int>
    ) -> Bool {
        false
    }
}
#endif
