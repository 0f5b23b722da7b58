/// The size of a file and the time of its last change, by which one notices that it was written to.
struct FileState: Equatable {
    /// In bytes.
    let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Nil if it is no regular file, or the system does not say.
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
