internal import HTTPSyntax

/// The open file of a part. It makes the system calls on the file.
final class MultipartFile: MultipartSource {
    private let file: URL
    private let descriptor: Int32
    /// The state of the file when it was opened.
    private let state: FileState
    private var position: Int64 = 0

    /// - Parameters:
    ///   - file: The file, as a `file:` URL.
    ///   - expectedSize: The required size of the file in bytes. Default: nil, for any size.
    /// - Throws: `bodyUnreadable`.
    init(_ file: URL, expectedSize: Int64? = nil) throws(LarkspurError) {
        self.file = file
        // Nonblocking, because opening a pipe that has replaced the file would block.
        descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.error(file, String(cString: strerror(errno))) }
        guard let state = FileState(of: descriptor) else {
            // The deinitializer does not run, because not all properties are set.
            close(descriptor)
            throw Self.error(file, "it is no regular file")
        }
        self.state = state
        if let expectedSize, state.size != expectedSize {
            // All properties are set, so the deinitializer closes the descriptor.
            throw Self.error(file, "it had \(expectedSize) bytes when it was appended, and has \(state.size) now")
        }
    }

    deinit { close(descriptor) }

    /// The size of the file in bytes.
    var size: Int64 { state.size }

    var mayHaveToBeWaitedFor: Bool { false }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LarkspurError) -> Int {
        let wanted = Int(min(Int64(buffer.count), size - position))
        guard wanted > 0 else {
            // Without this check, the delimiter would follow the file, and the server would accept a mixture of two
            // versions as complete.
            guard FileState(of: descriptor) == state else { throw Self.error(file, "it was changed meanwhile") }
            return 0
        }
        var count = pread(descriptor, buffer.baseAddress, wanted, off_t(position))
        while count < 0, errno == EINTR { count = pread(descriptor, buffer.baseAddress, wanted, off_t(position)) }
        guard count > 0 else {
            throw Self.error(file, count == 0 ? "it has become shorter" : String(cString: strerror(errno)))
        }
        position += Int64(count)
        return count
    }

    private static func error(_ file: URL, _ reason: String) -> LarkspurError {
        LarkspurError(
            .bodyUnreadable,
            "The file \(file.path.onOneLine) of a form could not be read: \(reason).",
            failingURL: file
        )
    }
}

/// The file to which a form is written. It has a temporary name until it is complete.
final class MultipartTarget {
    private let file: URL
    private let path: String
    private let descriptor: Int32
    private var isFinished = false

    /// - Throws: `fileUnwritable`.
    init(_ file: URL) throws(LarkspurError) {
        self.file = file
        // The temporary name does not contain the file's name, which may already have the maximum length.
        path = file.absoluteURL.deletingLastPathComponent().appendingPathComponent(".\(UUID().uuidString).partial").path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.error(file) }
    }

    deinit {
        close(descriptor)
        if !isFinished { unlink(path) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(LarkspurError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.error(file) }
            rest = rest.dropFirst(count)
        }
    }

    func finish() throws(LarkspurError) {
        // Replaces an existing file in one step, so that no reader sees an incomplete form.
        guard rename(path, file.absoluteURL.path) == 0 else { throw Self.error(file) }
        isFinished = true
    }

    private static func error(_ file: URL) -> LarkspurError {
        // Read here, before another call can change `errno`.
        let reason = String(cString: strerror(errno))
        return LarkspurError(
            .fileUnwritable,
            "The form could not be written to \(file.path.onOneLine): \(reason).",
            failingURL: file
        )
    }
}
