#if canImport(FoundationNetworking)
import HTTPSyntax

/// The files of a cache in their folder. Failures are not reported. A file that cannot be read is treated as missing.
///
/// A file is written under a temporary name, and renamed when it is complete. So no process reads a partial file, even
/// if the writing process ends too early.
struct CacheFolder: Sendable {
    struct File: Equatable, Sendable {
        let name: String
        /// The size in bytes.
        let size: Int
        /// The time at which the file was last read or written.
        let used: Date
    }

    /// The end of a temporary file's name. It follows a UUID.
    private static let temporaryExtension = ".entry.tmp"
    /// The age, in seconds, above which a temporary file is treated as a remnant of a process that has ended.
    private static let temporaryAge: TimeInterval = 3600

    let path: String

    /// Opens or creates the folder. Returns nil if the folder cannot be created, or belongs to another user. Also
    /// returns nil if it is a symbolic link, because a link may lead to any folder.
    init?(_ url: URL) {
        var path = url.path
        // With a trailing slash, the system would follow a link.
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
        self.path = path
        try? FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path, isDirectory: true),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        guard withDescriptor({ _ in true }) == true else { return nil }
    }

    /// Opens the folder, and passes its descriptor to a closure. The folder is opened again for each use. So if a link
    /// has replaced the folder since the last use, the link is not followed.
    private func withDescriptor<Result>(_ body: (Int32) -> Result?) -> Result? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid() else { return nil }
        return body(descriptor)
    }

    /// Returns the files of entries. The last file is the most recently used one. Removes the temporary files of
    /// processes that have ended.
    func files() -> [File] {
        withDescriptor { descriptor in
            let listing = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard listing >= 0, let folder = fdopendir(listing) else {
                if listing >= 0 { close(listing) }
                return nil
            }
            defer { closedir(folder) }
            var files: [File] = []
            while let item = readdir(folder) {
                let name = withUnsafePointer(to: &item.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if let file = file(name, in: descriptor) { files.append(file) }
            }
            return files.sorted { ($0.used, $0.name) < ($1.used, $1.name) }
        } ?? []
    }

    /// Returns the file with a name. Returns nil if the file does not contain an entry. Removes the file if it is an
    /// old temporary file.
    private func file(_ name: String, in folder: Int32) -> File? {
        let isTemporary = Self.isTemporary(name)
        var status = stat()
        guard isTemporary || CacheFile.sum(ofName: name) != nil,
            fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        let time = status.st_mtim
        let used = Date(timeIntervalSince1970: TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9)
        guard isTemporary else { return File(name: name, size: Int(status.st_size), used: used) }
        if abs(used.timeIntervalSinceNow) > Self.temporaryAge { unlinkat(folder, name, 0) }
        return nil
    }

    /// Whether a name has the form of a temporary file's name. No other program uses this form.
    private static func isTemporary(_ name: String) -> Bool {
        name.ends(with: temporaryExtension) && UUID(uuidString: String(name.dropLast(temporaryExtension.count))) != nil
    }

    /// Reads the entry in a file. Removes the file if it is damaged or belongs to another user.
    /// - Parameters:
    ///   - limit: The largest size of a file, in bytes.
    ///   - isUse: Whether the file counts as used. Default: true.
    func read(_ name: String, limit: Int, isUse: Bool = true) -> CacheEntry? {
        withDescriptor { folder in
            let descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
                status.st_size <= limit,
                let data = Self.read(descriptor, count: Int(status.st_size)), let entry = CacheFile.decode(data)
            else {
                unlinkat(folder, name, 0)
                return nil
            }
            // The time of use is stored with the file, so that other processes can read it.
            if isUse { _ = futimens(descriptor, nil) }
            return entry
        }
    }

    private static func read(_ descriptor: Int32, count: Int) -> Data? {
        var data = Data(count: count)
        let isWhole = data.withUnsafeMutableBytes { buffer in
            var position = 0
            while position < count {
                let read = Foundation.read(descriptor, buffer.baseAddress?.advanced(by: position), count - position)
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { return false }
                position += read
            }
            return true
        }
        return isWhole ? data : nil
    }

    /// Writes a file. Returns false if there is no space, or if anything else fails.
    func write(_ data: Data, to name: String) -> Bool {
        withDescriptor { folder in
            let temporary = UUID().uuidString + Self.temporaryExtension
            let descriptor = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return nil }
            let isWritten = data.withUnsafeBytes { Self.write($0, to: descriptor) }
            // Some file systems report a lack of space only at this point.
            let isClosed = close(descriptor) == 0
            if isWritten, isClosed, renameat(folder, temporary, folder, name) == 0 { return true }
            unlinkat(folder, temporary, 0)
            return nil
        } ?? false
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    func remove(_ name: String) { _ = withDescriptor { unlinkat($0, name, 0) } }
}
#endif
