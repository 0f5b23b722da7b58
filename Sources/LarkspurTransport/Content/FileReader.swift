#if canImport(FoundationNetworking)
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
        // Non-blocking: opening a pipe would block the whole session until another process opens it for writing.
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
        // The check comes before the last bytes are sent, because with these bytes the content is complete for the
        // server.
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
#endif
