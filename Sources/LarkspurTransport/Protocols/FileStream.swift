#if canImport(FoundationNetworking)
/// A file as a stream. If it is opened again after it was closed or read to its end, it starts from the beginning. So a
/// class that loads requests can read the content as often as it needs.
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
