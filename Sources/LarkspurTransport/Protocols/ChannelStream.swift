#if canImport(FoundationNetworking)
/// Content that is produced, as a stream for classes that load requests. Reading blocks until the producer has written.
/// Each time that the stream is opened, the content is produced from its beginning, if it can be produced again.
///
/// Like other streams, it may be used by only one thread at a time.
final class ChannelStream: InputStream {
    private let content: ProducedBody
    private var channel: BodyChannel?
    private var status = Stream.Status.notOpen
    private var failure: (any Error)?
    /// The bytes that were taken from the channel and not read yet.
    private var rest = Data()

    init(_ content: ProducedBody) {
        self.content = content
        super.init(data: Data())
    }

    deinit { channel?.close() }

    override var streamStatus: Stream.Status { status }

    override var streamError: (any Error)? { failure }

    override var hasBytesAvailable: Bool { status == .open }

    override func open() {
        guard status != .open else { return }
        channel?.close()
        channel = content.makeChannel()
        rest = Data()
        status = .open
    }

    override func close() {
        channel?.close()
        // The error stays readable after the stream is closed.
        if status != .error { status = .closed }
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        guard status == .open, let channel, len > 0 else { return status == .error ? -1 : 0 }
        if rest.isEmpty {
            switch channel.takeBlocking() {
            case .bytes(let bytes): rest = bytes
            case .wait, .end:
                status = .atEnd
                return 0
            case .fail(let error):
                failure = error
                status = .error
                return -1
            }
        }
        let part = rest.prefix(len)
        part.copyBytes(to: buffer, count: part.count)
        rest = rest.dropFirst(part.count)
        return part.count
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length len: UnsafeMutablePointer<Int>
    ) -> Bool {
        false
    }
}
#endif
