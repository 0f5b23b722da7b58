internal import HTTPSyntax

/// A section of a file. The file must be the same each time that the section is read.
struct FileSection: Sendable {
    let file: URL
    /// The state that the file must have.
    let state: FileState
    /// The offset of the first byte.
    let offset: Int64
    /// The number of bytes.
    let count: Int64

    /// Reads the state of a file.
    /// - Throws: `fileUnreadable`.
    static func state(of file: URL) throws(LarkspurError) -> FileState {
        // Without O_NONBLOCK, opening a pipe would block until a writer opens it.
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable(file, String(cString: strerror(errno))) }
        defer { close(descriptor) }
        guard let state = FileState(of: descriptor) else { throw unreadable(file, "it is no regular file") }
        return state
    }

    private static func unreadable(_ file: URL, _ reason: String) -> LarkspurError {
        LarkspurError(
            .fileUnreadable,
            "The file to upload, \(file.path.onOneLine), cannot be read: \(reason).",
            failingURL: file
        )
    }

    /// Reads the bytes into memory.
    /// - Throws: `bodyUnreadable`.
    func read() throws(LarkspurError) -> Data {
        let reader = try FileSectionReader(self)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(count), alignment: 1)
        defer { buffer.deallocate() }
        var position = 0
        while position < buffer.count {
            position += try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[position...]))
        }
        return Data(buffer)
    }

    /// Creates a stream of the bytes, unopened.
    /// - Parameter onFailure: The same as for ``Platform/makeMultipartStream(of:onFailure:)``.
    func makeStream(onFailure: @escaping @Sendable (LarkspurError) -> Void) -> InputStream {
        Platform.makeStream(onFailure: onFailure) { () throws(LarkspurError) in try FileSectionReader(self) }
    }
}

/// A reader of a section of a file. It makes the system calls on the file.
///
/// If the file was changed, reading fails before the last bytes are delivered. So a server never accepts a mixture of
/// two versions as complete.
final class FileSectionReader: BlockingReader {
    private let section: FileSection
    private let descriptor: Int32
    private var position: Int64 = 0

    /// - Throws: `bodyUnreadable`.
    init(_ section: FileSection) throws(LarkspurError) {
        self.section = section
        // Nonblocking, because a pipe may have replaced the file since the upload began.
        descriptor = open(section.file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.error(section.file, String(cString: strerror(errno))) }
        // If the check throws an error, the deinitializer closes the descriptor.
        try checkState()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LarkspurError) -> Int {
        let wanted = Int(min(Int64(buffer.count), section.count - position))
        guard wanted > 0 else { return 0 }
        let start = off_t(section.offset + position)
        var count = pread(descriptor, buffer.baseAddress, wanted, start)
        while count < 0, errno == EINTR { count = pread(descriptor, buffer.baseAddress, wanted, start) }
        guard count > 0 else {
            throw Self.error(section.file, count == 0 ? "it has become shorter" : String(cString: strerror(errno)))
        }
        position += Int64(count)
        // Checked before the last bytes are returned. So a server never has all bytes of a changed file.
        if position == section.count { try checkState() }
        return count
    }

    private func checkState() throws(LarkspurError) {
        guard FileState(of: descriptor) == section.state else {
            throw Self.error(section.file, "it was changed since the upload began")
        }
    }

    static func error(_ file: URL, _ reason: String) -> LarkspurError {
        LarkspurError(
            .bodyUnreadable,
            "The file to upload, \(file.path.onOneLine), could not be read: \(reason).",
            failingURL: file
        )
    }
}

/// The size of a file and the time of its last change. If two states differ, the file was changed between them.
struct FileState: Equatable {
    /// The size in bytes.
    let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// The time of the last change, in seconds since 1970, as text. It is for comparison only: the nanoseconds after
    /// the point have no leading zeros.
    var modification: String { "\(seconds).\(nanoseconds)" }

    /// Reads the state of an open file. Nil if it is not a regular file, or if the system does not report its state.
    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        size = Int64(status.st_size)
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        seconds = time.tv_sec
        nanoseconds = time.tv_nsec
    }
}
