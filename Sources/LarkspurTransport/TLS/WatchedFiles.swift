#if canImport(FoundationNetworking)
/// The properties by which a change of a file is noticed. A file that is replaced has another inode; a file that is
/// written in place has another time of change.
struct FileVersion: Hashable, Sendable {
    private struct Status: Hashable {
        let device: UInt64
        let inode: UInt64
        let size: Int64
        let modification: [Int64]
        /// The time of the last change of content or attributes. Programs cannot set it, as they can set the
        /// modification time.
        let change: [Int64]
    }

    /// Nil if there is no file, or if its properties cannot be read.
    private let status: Status?
    /// Whether the file was changed so shortly before it was looked at that a further change may have the same times.
    ///
    /// Linux rounds the times of files to the tick of its clock, up to 10 milliseconds.
    let isUnsettled: Bool

    /// Reads the properties of a file. Symbolic links are followed, as they are when the file is read.
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - wallTime: The current time in seconds since 1970. Default: the time of the system's clock.
    init(of path: String, at wallTime: TimeInterval = Date().timeIntervalSince1970) {
        var found = stat()
        guard stat(path, &found) == 0 else {
            status = nil
            isUnsettled = false
            return
        }
        status = Status(
            device: UInt64(found.st_dev),
            inode: UInt64(found.st_ino),
            size: Int64(found.st_size),
            modification: [Int64(found.st_mtim.tv_sec), Int64(found.st_mtim.tv_nsec)],
            change: [Int64(found.st_ctim.tv_sec), Int64(found.st_ctim.tv_nsec)]
        )
        isUnsettled = wallTime - (TimeInterval(found.st_ctim.tv_sec) + TimeInterval(found.st_ctim.tv_nsec) / 1e9) < 0.1
    }

    static func == (left: FileVersion, right: FileVersion) -> Bool { left.status == right.status }

    func hash(into hasher: inout Hasher) { hasher.combine(status) }
}

/// Files that are read again when they change. The files are looked at when they are needed, at most once a second, so
/// that unused files cost nothing.
///
/// The versions are recorded before the owner reads the files. So a change during the reading is noticed at the next
/// look. The owner compares what it has read with what it had, because a report does not mean that the content is
/// different.
struct WatchedFiles: Sendable {
    /// The shortest time between two looks.
    static let interval = Duration.seconds(1)

    /// The paths of the files.
    let paths: [String]
    /// The versions at the last look; nil before the first.
    private var versions: [FileVersion]?
    private var nextLook: LoopTime?

    /// - Parameter files: The URLs of the files.
    init(_ files: [URL]) { paths = files.map(\.path) }

    /// Returns whether the files may have changed since the last call that returned true. The first call returns true.
    ///
    /// The result is false without a look if the last look was less than ``interval`` ago. A file that is created or
    /// removed has changed too.
    mutating func haveChanged(at now: LoopTime) -> Bool {
        if let nextLook, now < nextLook { return false }
        nextLook = now.adding(Self.interval)
        let found = paths.map { FileVersion(of: $0) }
        defer { versions = found }
        guard let versions else { return true }
        return versions != found || versions.contains(where: \.isUnsettled)
    }

    /// Makes the next look report a change, because the files could not be read.
    mutating func forget() { versions = nil }
}
#endif
