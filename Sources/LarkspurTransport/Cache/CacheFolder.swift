#if canImport(FoundationNetworking)
/// The files of a cache in their folder; nothing that goes wrong here matters to anybody: what cannot be read is not
/// there.
///
/// A file is written under another name and renamed when it is whole, so that no process sees half a file, whenever the
/// other ends.
struct CacheFolder: Sendable {
    struct File: Equatable, Sendable {
        let name: String
        /// In bytes.
        let size: Int
        /// When it was read or written last.
        let used: Date
    }

    /// Follows an UUID.
    private static let temporaryExtension = ".entry.tmp"
    /// When a file that was never completed is one of a process that has ended, in seconds.
    private static let temporaryAge: TimeInterval = 3600

    let path: String

    /// Nil if there is no such folder and none can be made, it belongs to another user, or it is a symbolic link: what
    /// is behind that may be anything.
    init?(_ url: URL) {
        var path = url.path
        // Behind a slash, a link would be followed.
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
        self.path = path
        try? FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path, isDirectory: true),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        guard withDescriptor({ _ in true }) == true else { return nil }
    }

    /// Opens the folder anew for each use, so that a link that takes its place is not followed either.
    private func withDescriptor<Result>(_ body: (Int32) -> Result?) -> Result? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid() else { return nil }
        return body(descriptor)
    }

    /// The files of entries, the one used last at the end. What processes have left behind that ended while they wrote
    /// is removed.
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

    /// Nil if the file is not one of an entry; it is removed if it never became one.
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

    /// Whether a name is one that ``write(_:to:)`` makes, and no other program's.
    private static func isTemporary(_ name: String) -> Bool {
        name.hasSuffix(temporaryExtension) && UUID(uuidString: String(name.dropLast(temporaryExtension.count))) != nil
    }

    /// The entry in a file, which is removed if it is damaged or another user's.
    /// - Parameters:
    ///   - limit: No file is larger than this, in bytes.
    ///   - isUse: Whether it counts as used.
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
            // As other processes are to see as well.
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

    /// Writes a file; false if there is no room, or anything else is in the way.
    func write(_ data: Data, to name: String) -> Bool {
        withDescriptor { folder in
            let temporary = UUID().uuidString + Self.temporaryExtension
            let descriptor = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return nil }
            let isWritten = data.withUnsafeBytes { Self.write($0, to: descriptor) }
            // Some file systems say only now that there was no room.
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
