/// The size of a file and the time of its last change, which reveal that the file was written to.
struct FileState: Equatable {
    /// The size in bytes.
    let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// The time of the last change, in seconds since 1970, as text that tells two times apart.
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
