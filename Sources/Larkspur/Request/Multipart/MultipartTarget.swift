internal import HTTPSyntax

/// The file that a form is written to. It has a temporary name until it is complete.
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
        guard rename(path, file.absoluteURL.path) == 0 else { throw Self.error(file) }
        isFinished = true
    }

    private static func error(_ file: URL) -> LarkspurError {
        // Read before another call that may set `errno`.
        let reason = String(cString: strerror(errno))
        return LarkspurError(
            .fileUnwritable,
            "The form could not be written to \(file.path.onOneLine): \(reason).",
            failingURL: file
        )
    }
}
