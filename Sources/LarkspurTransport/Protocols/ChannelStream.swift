#if canImport(FoundationNetworking)
/// Produced content as a stream for classes that load requests. Reading blocks until the producer has written. Each
/// time that the stream is opened, the content is produced again from its beginning, if this is possible.
///
/// Like other streams, it may be used by only one thread at a time.
final class ChannelStream: InputStream {
    private let content: ProducedBody
    private var channel: BodyChannel?
    private var status = Stream.Status.notOpen
    private var failure: (any Error)?
    /// The bytes that were taken from the channel but have not been read yet.
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
        // The status stays `.error`, so that a read after the close still returns −1.
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

/// A file as a stream. If the stream was closed or read to its end, it can be opened again and starts from the
/// beginning. So a class that loads requests can read the content several times.
///
/// Like other streams, it may be used by only one thread at a time.
final class FileStream: InputStream {
    private let file: URL
    private var stream: InputStream?

    init(_ file: URL) {
        self.file = file
        super.init(data: Data())
    }

    override var streamStatus: Stream.Status { stream?.streamStatus ?? .notOpen }

    // If there is no error, reading this property of a Foundation stream ends the process.
    override var streamError: (any Error)? { streamStatus == .error ? stream?.streamError : nil }

    override var hasBytesAvailable: Bool { stream?.hasBytesAvailable ?? false }

    override func open() {
        switch streamStatus {
        case .notOpen, .closed, .atEnd, .error:
            stream?.close()
            // If the URL is not the URL of a file, there is no stream and no content.
            stream = file.isFileURL ? InputStream(url: file) : nil
            stream?.open()
        default: break
        }
    }

    override func close() { stream?.close() }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        stream?.read(buffer, maxLength: len) ?? 0
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length len: UnsafeMutablePointer<Int>
    ) -> Bool {
        false
    }
}
#endif
