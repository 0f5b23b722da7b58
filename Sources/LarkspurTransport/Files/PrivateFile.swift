internal import HTTPSyntax

/// A file that only its owner may read and write.
package enum PrivateFile {
    /// Writes a file atomically. If it replaces another file, readers see either the old content or the new.
    /// - Throws: The errors of ``write(to:_:)``, or Foundation's error if the content could not be written.
    package static func write(_ data: Data, to file: URL) throws {
        try write(to: file) { try $0.write(contentsOf: data) }
    }

    /// Writes a file atomically, in several steps. If it replaces another file, readers see either the old content or
    /// the new.
    ///
    /// A link of this user or of root is followed, and its target replaced; a link of another user is refused. A
    /// device, a pipe, and a file that is the process's standard output or error, are written to.
    /// - Parameter body: Writes the content.
    /// - Throws: `POSIXError`, ``Refusal``, or the error of the body.
    package static func write(to file: URL, _ body: (FileHandle) throws -> Void) throws {
        switch try Destination(of: file.path) {
        case .stream(let descriptor):
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try body(handle)
            try handle.close()
        case .file(let path):
            try WholeFile.replace(path, temporary: temporaryName(for: path)) {
                try body(FileHandle(fileDescriptor: $0, closeOnDealloc: false))
            }
        }
    }

    /// Changes a file while no other process changes it by this method.
    ///
    /// The lock is a file beside the file, after links were followed: `.NAME.lock`. It exists only during the change,
    /// as does the new content in `.NAME.new`. If a process is killed, the next change removes both. Other programs,
    /// such as curl, do not look at the lock, but they read either the old content or the new. On a file system
    /// without locks, the file is changed without the lock. Blocks the calling thread, which must not be one of Swift's
    /// tasks.
    /// - Parameters:
    ///   - file: The file, which may be missing. Its folder has to exist.
    ///   - deadline: The time until which it waits for other processes. Default: five seconds from now.
    ///   - attempt: Locks a descriptor. Default: ``FileLock/attempt``.
    ///   - change: Reads the file, and returns its new content. Its parameter is the path of the file after links were
    ///     followed, which is the one that is locked and replaced.
    /// - Throws: `POSIXError`, with the code `ETIMEDOUT` if other processes have used the lock for too long;
    ///   ``Refusal``; the error of the closure.
    package static func update(
        _ file: URL,
        until deadline: ContinuousClock.Instant = .now + FileLock.waitLimit,
        attempt: (Int32) -> Int32 = FileLock.attempt,
        _ change: (String) throws -> Data
    ) throws {
        switch try Destination(of: file.path) {
        case .stream(let descriptor):
            defer { close(descriptor) }
            try WholeFile.write(change(file.path), to: descriptor)
        case .file(let path):
            let (folder, name) = (WholeFile.folder(of: path), WholeFile.name(of: path))
            let lock = "\(folder)/.\(name).lock"
            var isLocked = false
            do {
                try FileLock.hold(lock, until: deadline, isKept: false, attempt: attempt) { _ in
                    isLocked = true
                    let data = try change(path)
                    // Only the holder of the lock uses this name. So a file of a process that was killed does not
                    // remain.
                    let temporary = ".\(name).new"
                    unlink("\(folder)/\(temporary)")
                    try WholeFile.replace(path, temporary: temporary) { try WholeFile.write(data, to: $0) }
                }
            } catch let error as POSIXError where !isLocked && FileLock.isUnsupported(error) {
                unlink(lock)
                let data = try change(path)
                try WholeFile.replace(path, temporary: temporaryName(for: path)) { try WholeFile.write(data, to: $0) }
            }
        }
    }

    /// Returns a temporary name for a file that several processes may write at the same time.
    private static func temporaryName(for path: String) -> String {
        ".\(WholeFile.name(of: path)).\(UUID().uuidString)"
    }

    /// The reason why a path is not written to.
    package struct Refusal: Error, LocalizedError, Equatable {
        /// The reason, as a sentence.
        package let message: String
        package var errorDescription: String? { message }
    }
}

extension PrivateFile {
    /// The destination of content, after the links of a path were followed.
    private enum Destination {
        /// The path of a file that is created or replaced.
        case file(String)
        /// The descriptor of a device, a pipe or a standard stream. To replace it would remove it, or would lose the
        /// output that goes to it.
        case stream(Int32)

        init(of path: String) throws {
            var status = stat()
            // If nothing is there, the last link may still lead to a place for a new file.
            guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
                self = .file(try Self.target(of: path))
                return
            }
            for stream in [STDOUT_FILENO, STDERR_FILENO] {
                var own = stat()
                guard fstat(stream, &own) == 0, own.st_dev == status.st_dev, own.st_ino == status.st_ino else {
                    continue
                }
                let copy = fcntl(stream, F_DUPFD_CLOEXEC, 0)
                guard copy >= 0 else { throw POSIXError.ofLastCall }
                self = .stream(copy)
                return
            }
            guard status.st_mode & S_IFMT != S_IFREG else {
                self = .file(try Self.target(of: path))
                return
            }
            guard [geteuid(), 0].contains(status.st_uid) else {
                throw Refusal(message: "The file \(path) is a device or a pipe of another user.")
            }
            let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
            guard descriptor >= 0 else { throw POSIXError.ofLastCall }
            self = .stream(descriptor)
        }

        /// Returns the path without links at its end. Another user must not lead the content to a file by a link, as in
        /// the folder for temporary files.
        private static func target(of path: String) throws -> String {
            var path = path
            // As many links as the kernel follows.
            for _ in 0..<40 {
                var status = stat()
                guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return path }
                guard [geteuid(), 0].contains(status.st_uid) else {
                    throw Refusal(message: "The file \(path) is a symbolic link of another user.")
                }
                let next = try FileManager.default.destinationOfSymbolicLink(atPath: path)
                path =
                    next.utf8.first == UInt8(ascii: "/")
                    ? next
                    : URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent(next).path
            }
            throw POSIXError(.ELOOP)
        }
    }
}
