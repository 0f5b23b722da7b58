#if canImport(FoundationNetworking)
/// A form as a stream. Like other streams it is read on one thread at a time.
final class MultipartInputStream: InputStream {
    /// The form that the stream delivers.
    let form: MultipartFormData
    private let onFailure: @Sendable (LarkspurError) -> Void
    private var reader: MultipartReader?
    private var status = Stream.Status.notOpen
    private var failure: LarkspurError?

    init(_ form: MultipartFormData, onFailure: @escaping @Sendable (LarkspurError) -> Void) {
        self.form = form
        self.onFailure = onFailure
        super.init(data: Data())
    }

    override var streamStatus: Stream.Status { status }

    override var streamError: (any Error)? { failure }

    /// True as long as a read may return bytes or an error.
    override var hasBytesAvailable: Bool { status == .open || status == .error }

    override func open() {
        guard status == .notOpen else { return }
        reader = MultipartReader(form)
        status = .open
    }

    override func close() {
        reader = nil
        if status != .error { status = .closed }
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        guard status == .open, let reader, len > 0 else { return status == .error ? -1 : 0 }
        do throws(LarkspurError) {
            let count = try reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: len))
            if count == 0 { status = .atEnd }
            return count
        } catch {
            failure = error
            status = .error
            self.reader = nil
            onFailure(error)
            return -1
        }
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length len: UnsafeMutablePointer<Int>
    ) -> Bool {
        false
    }
}
#endif
