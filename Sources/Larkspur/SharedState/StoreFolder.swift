internal import HTTPSyntax

/// The files of a ``FolderStore``. All methods block the calling thread.
///
/// The folder has a file for each value, bucket and lease, and the file `lock`. Each change is made while the lock is
/// held, under a temporary name, and then renamed. So a reader needs no lock, and sees the old or the new content. All
/// temporary files that the holder of the lock finds are remnants of processes that were killed.
struct StoreFolder: Sendable {
    /// The kinds of files, with the beginnings of their names.
    enum Kind: String, CaseIterable {
        case value = "value-"
        case bucket = "bucket-"
        case lease = "lease-"
    }

    /// The largest size of a value, in bytes.
    static let largestValue = 1 << 24
    private static let temporaryPrefix = "new-"

    let path: String
    /// The time after which the next step removes files that have ended.
    let cleaningInterval: Duration
    /// The largest number of files that a step examines to remove those that have ended.
    let cleaningLimit: Int
    private let times: @Sendable () -> StoreTime

    init(
        _ folder: URL,
        cleaningInterval: Duration,
        cleaningLimit: Int = 500,
        times: @escaping @Sendable () -> StoreTime
    ) {
        var path = folder.path
        // With a trailing slash, the system would follow a link.
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
        self.path = path
        self.cleaningInterval = cleaningInterval
        self.cleaningLimit = cleaningLimit
        self.times = times
    }

    /// Creates the folder if it is missing, and checks that no other user can write it.
    func prepare() throws {
        var status = stat()
        if lstat(path, &status) != 0 {
            guard errno == ENOENT else { throw error(path) }
            let missing = missingFolders
            // FileManager would set the permissions in a second step, before which other users might write the folder.
            // If this fails, the next call reports the reason.
            for parent in missing.dropFirst().reversed() { mkdir(parent, 0o700) }
            guard mkdir(path, 0o700) == 0 || errno == EEXIST, lstat(path, &status) == 0 else { throw error(path) }
            // So that a value in the folder survives a loss of power. A parent that this user cannot read is left out.
            for folder in missing { try? WholeFile.syncFolder(WholeFile.folder(of: folder)) }
        }
        // A link may lead to any folder.
        guard status.st_mode & S_IFMT != S_IFLNK else { throw FolderStoreError(.ELOOP, path) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw FolderStoreError(.ENOTDIR, path) }
        guard status.st_uid == geteuid(), status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw FolderStoreError(.EPERM, path)
        }
    }

    /// The folder and its parents that do not exist.
    private var missingFolders: [String] {
        var folders: [String] = []
        var folder = path
        while access(folder, F_OK) != 0, folder != ".", folder != "/" {
            folders.append(folder)
            folder = WholeFile.folder(of: folder)
        }
        return folders
    }

    // MARK: Files

    /// Returns the path of a file. The name has a hash of the key's bytes, so it is short and has no special
    /// characters.
    func path(_ kind: Kind, _ key: String) -> String {
        "\(path)/\(kind.rawValue)\(SHA256.hash(Data(key.utf8)).hexadecimal)"
    }

    /// Reads the record of a key. Returns nil if there is none, or if it has ended.
    ///
    /// A damaged bucket or lease counts as missing: a bucket is then full, and a new lease has a larger fencing number.
    /// A damaged value is an error, because the value could be lost unnoticed.
    func record(_ kind: Kind, _ key: String, at now: StoreTime? = nil) throws -> StoreRecord? {
        let path = path(kind, key)
        guard let record = try read(path, kind) else { return nil }
        return record.hasEnded(at: now ?? times()) ? nil : record
    }

    private func read(_ path: String, _ kind: Kind) throws -> StoreRecord? {
        let limit = StoreRecord.longestLine + (kind == .value ? Self.largestValue : 0)
        do {
            guard let data = try WholeFile.read(path, limit: limit, followsLink: false) else { return nil }
            if let record = StoreRecord(data), record.content.kind == kind { return record }
            if kind == .value { throw POSIXError(.EBADMSG) }
        } catch let error as POSIXError {
            guard kind != .value, error.code == .EFBIG else { throw FolderStoreError(error.code, path) }
        }
        return nil
    }

    /// Writes the record of a key. A value is on the disk afterwards.
    func write(_ content: StoreRecord.Content, _ kind: Kind, _ key: String, at now: StoreTime) throws {
        let path = path(kind, key)
        let data = StoreRecord(content, at: now).encoded
        try failing(at: path) {
            let temporary = Self.temporaryPrefix + UUID().uuidString
            // Buckets and leases mean little after a loss of power: all holders are gone, and buckets fill.
            try WholeFile.replace(path, temporary: temporary, isDurable: kind == .value) {
                try WholeFile.write(data, to: $0)
            }
        }
    }

    /// Removes the record of a key.
    func remove(_ kind: Kind, _ key: String) throws {
        let path = path(kind, key)
        try failing(at: path) {
            guard unlink(path) == 0 || errno == ENOENT else { throw POSIXError.ofLastCall }
            if kind == .value { try WholeFile.syncFolder(self.path) }
        }
    }

    // MARK: The lock

    /// The right to change the folder, for the duration of a step.
    struct Lock {
        /// The time, which was read after the lock was acquired.
        let now: StoreTime
        fileprivate let descriptor: Int32
    }

    /// Performs a step while no other process or thread changes the folder.
    func locked<Result>(until deadline: ContinuousClock.Instant, _ body: (Lock) throws -> Result) throws -> Result {
        try prepare()
        let file = "\(path)/lock"
        return try failing(at: file) {
            try FileLock.hold(file, until: deadline, isKept: true) { descriptor in
                try removeEnded(Lock(now: times(), descriptor: descriptor))
                // Removing files takes time, by which a lease would be shorter.
                return try body(Lock(now: times(), descriptor: descriptor))
            }
        }
    }

    /// Returns a number that is larger than all earlier numbers of the folder. If the folder was deleted, the clock
    /// takes care of that.
    func nextNumber(_ lock: Lock) throws -> UInt64 {
        let state = state(lock)
        let number = max((state?.content.number ?? 0) &+ 1, UInt64(max(lock.now.wall, 0)))
        var next = state ?? StoreRecord(.folder(number: number), at: lock.now)
        next.content = .folder(number: number)
        try write(next, lock)
        return number
    }

    /// The state of the folder, which is the content of the lock file; nil if there is none yet, or if it is damaged.
    private func state(_ lock: Lock) -> StoreRecord? {
        var buffer = [UInt8](repeating: 0, count: StoreRecord.longestLine)
        let count = pread(lock.descriptor, &buffer, buffer.count, 0)
        // A process that was killed after it has written a shorter line leaves the end of the longer one.
        guard count > 0, let newline = buffer[..<count].firstIndex(of: .lineFeed),
            let record = StoreRecord(Data(buffer[...newline])), record.content.number != nil
        else { return nil }
        return record
    }

    /// Writes the state of the folder. The lock file cannot be replaced, because it is locked. One call writes all
    /// bytes, so a killed process leaves no part of them. After a loss of power, a damaged state counts as missing.
    private func write(_ state: StoreRecord, _ lock: Lock) throws {
        let bytes = [UInt8](state.encoded)
        try failing(at: "\(path)/lock") {
            guard pwrite(lock.descriptor, bytes, bytes.count, 0) == bytes.count,
                ftruncate(lock.descriptor, off_t(bytes.count)) == 0
            else { throw POSIXError.ofLastCall }
        }
    }

    /// Removes files that have ended, and those of processes that were killed, once in ``cleaningInterval``.
    ///
    /// All other processes wait meanwhile. So of more than ``cleaningLimit`` files, it examines random ones. If it
    /// removes more than a quarter of them, many others have probably ended too, and the next step continues.
    private func removeEnded(_ lock: Lock) throws {
        let state = state(lock)
        if let state, state.age(at: lock.now) < cleaningInterval.nanoseconds { return }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let examined = names.count > cleaningLimit ? Array(names.shuffled().prefix(cleaningLimit)) : names
        let removed = examined.filter { isRemnant($0, lock) && unlink("\(path)/\($0)") == 0 }
        if examined.count < names.count, removed.count > examined.count / 4 { return }
        try write(StoreRecord(.folder(number: state?.content.number ?? 0), at: lock.now), lock)
    }

    private func isRemnant(_ name: String, _ lock: Lock) -> Bool {
        if name.begins(with: Self.temporaryPrefix) {
            return UUID(uuidString: String(name.utf8.dropFirst(Self.temporaryPrefix.utf8.count)) ?? "") != nil
        }
        guard let kind = Kind.allCases.first(where: { name.begins(with: $0.rawValue) }),
            Self.isHash(name.utf8.dropFirst(kind.rawValue.utf8.count))
        else { return false }
        let path = "\(path)/\(name)"
        do {
            // Values can be large, and all other processes wait meanwhile. So only those that have ended are read
            // whole.
            if kind == .value, try !hasEnded(valueAt: path, lock) { return false }
            // Damaged buckets and leases count as missing.
            guard let record = try read(path, kind) else { return true }
            return record.hasEnded(at: lock.now)
        } catch {
            // This file stays, so that the next step of its key reports the error.
            return false
        }
    }

    /// Whether a value has ended, according to the first line of its file, which may be damaged.
    private func hasEnded(valueAt path: String, _ lock: Lock) throws -> Bool {
        let limit = StoreRecord.longestLine
        let start = try WholeFile.read(path, limit: limit, followsLink: false, isTruncated: true)
        return start.flatMap { StoreRecord(start: $0) }?.hasEnded(at: lock.now) ?? false
    }

    /// Whether a part of a name is a hash as ``path(_:_:)`` writes it. Other files are not those of a store.
    private static func isHash(_ text: Substring.UTF8View) -> Bool {
        text.count == 64 && text.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    // MARK: Errors

    private func error(_ path: String) -> FolderStoreError { FolderStoreError(POSIXError.ofLastCall.code, path) }

    private func failing<Result>(at path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as POSIXError {
            throw FolderStoreError(error.code, path)
        }
    }
}

extension StoreRecord.Content {
    fileprivate var kind: StoreFolder.Kind? {
        switch self {
        case .value: .value
        case .bucket: .bucket
        case .lease: .lease
        case .folder: nil
        }
    }

    /// The last fencing number of the folder; nil for a record of another kind.
    fileprivate var number: UInt64? {
        guard case .folder(let number) = self else { return nil }
        return number
    }
}
