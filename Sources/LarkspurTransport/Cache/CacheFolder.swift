#if canImport(FoundationNetworking)
/// The files of a cache in their folder; nothing that goes wrong here matters to anybody: what cannot be read is not there.
///
/// A file is written under another name and renamed when it is whole, so that no process sees half a file, whenever the other ends.
struct CacheFolder: Sendable {
    struct File: Equatable, Sendable {
        let name: String
        /// In bytes.
        let size: Int
        /// When it was read or written last.
        let used: Date
    }

    private static let temporaryExtension = ".tmp"
    /// When a file that was never completed is one of a process that has ended, in seconds.
    private static let temporaryAge: TimeInterval = 3600

    let path: String

    /// Nil if there is no such folder and none can be made, or it belongs to somebody else.
    init?(_ url: URL) {
        path = url.path
        try? FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
            return nil
        }
    }

    private func path(of name: String) -> String { path + "/" + name }

    /// The files of entries, the one used last at the end. What processes have left behind that ended while they wrote is removed.
    func files() -> [File] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var files: [File] = []
        while let item = readdir(folder) {
            let name = withUnsafePointer(to: &item.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            let isTemporary = name.hasSuffix(Self.temporaryExtension)
            var status = stat()
            guard isTemporary || CacheFile.sum(ofName: name) != nil, lstat(path(of: name), &status) == 0,
                status.st_mode & S_IFMT == S_IFREG
            else { continue }
            let time = status.st_mtim
            let used = Date(timeIntervalSince1970: TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9)
            if isTemporary {
                if abs(used.timeIntervalSinceNow) > Self.temporaryAge { remove(name) }
            } else {
                files.append(File(name: name, size: Int(status.st_size), used: used))
            }
        }
        return files.sorted { ($0.used, $0.name) < ($1.used, $1.name) }
    }

    /// The entry in a file, which is removed if it is damaged or somebody else's.
    /// - Parameters:
    ///   - limit: No file is larger than this, in bytes.
    ///   - isUse: Whether it counts as used.
    func read(_ name: String, limit: Int, isUse: Bool = true) -> CacheEntry? {
        let descriptor = open(path(of: name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_size <= limit,
            let data = Self.read(descriptor, count: Int(status.st_size)), let entry = CacheFile.decode(data)
        else {
            remove(name)
            return nil
        }
        // As other processes are to see as well.
        if isUse { _ = futimens(descriptor, nil) }
        return entry
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
        let temporary = path(of: UUID().uuidString + Self.temporaryExtension)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        let isWritten = data.withUnsafeBytes { Self.write($0, to: descriptor) }
        // Some file systems say only now that there was no room.
        let isClosed = close(descriptor) == 0
        if isWritten, isClosed, rename(temporary, path(of: name)) == 0 { return true }
        unlink(temporary)
        return false
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

    func remove(_ name: String) { unlink(path(of: name)) }
}
#endif
