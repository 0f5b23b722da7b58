#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The file that a download is written to, from its first byte to its last.
///
/// While it is open it is locked, so that no two downloads write to one file. Only its owner may read it until it is
/// whole; then it gets the permissions of any new file.
final class DownloadFile {
    /// The beginning of the names of all such files of this process.
    static let prefix = namePrefix + "\(getpid())-"
    private static let namePrefix = "Larkspur-"
    private static let nameSuffix = ".tmp"

    let path: String
    /// How many bytes it has.
    private(set) var length: Int64 = 0
    /// What is downloaded, for errors.
    private let source: URL?
    private var descriptor: Int32

    /// Makes a file.
    /// - Parameters:
    ///   - source: What is downloaded.
    ///   - folder: Where it is made.
    /// - Throws: Why the folder takes no file.
    init(of source: URL?, in folder: URL) throws(URLError) {
        self.source = source
        let name = "\(Self.prefix)\(UUID().uuidString)\(Self.nameSuffix)"
        path = folder.appendingPathComponent(name, isDirectory: false).path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw error(.cannotCreateFile, errno) }
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
    }

    /// Opens what a download has left, to write behind it; nil where that is not a file of ours, is in use, or is not
    /// as long as it should be: such a one serves nobody any more, and is removed.
    ///
    /// The bytes in the file have come in order, so all of them count. Of a file that is whole the last byte is given
    /// up: it is fetched again, which shows that the server still has the same version.
    init?(_ resumption: ResumeData, of source: URL?) {
        path = resumption.file
        self.source = source
        guard let left = Self.openLeftFile(at: path) else { return nil }
        descriptor = left.descriptor
        length = Int64(left.status.st_size)
        guard length >= resumption.received, length <= resumption.total ?? .max else {
            discard()
            return nil
        }
        let isReady =
            length == resumption.total ? removeLastByte() : lseek(descriptor, off_t(length), SEEK_SET) == length
        guard isReady else {
            _ = close()
            return nil
        }
    }

    deinit {
        if descriptor >= 0 { discard() }
    }

    /// Opens and locks what a download has left; nil where that is no file of ours, or is in use.
    private static func openLeftFile(at path: String) -> (descriptor: Int32, status: stat)? {
        guard isOwnName(ofFileAt: path) else { return nil }
        // Without waiting, as somebody may have put a pipe there.
        let descriptor = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        var named = stat()
        // Locked first: a download that ends meanwhile gives up the lock, and takes the name away before.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0, lstat(path, &named) == 0,
            status.st_ino == named.st_ino, status.st_dev == named.st_dev,
            status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_nlink == 1
        else {
            Foundation.close(descriptor)
            return nil
        }
        return (descriptor, status)
    }

    /// Removes what a download has left, whatever is in it; not where that is no file of ours, is in use, or was
    /// written to too lately.
    /// - Parameter age: How long nothing was written to it at least, in seconds. Default: any time.
    /// - Returns: Whether it was removed.
    @discardableResult
    static func discardLeftFile(at path: String, unwrittenFor age: TimeInterval? = nil) -> Bool {
        guard let left = openLeftFile(at: path) else { return false }
        defer { Foundation.close(left.descriptor) }
        if let age {
            let written = Date(timeIntervalSince1970: TimeInterval(left.status.st_mtim.tv_sec))
            guard -written.timeIntervalSinceNow >= age else { return false }
        }
        return unlink(path) == 0
    }

    /// Whether a path is absolute and its last name has the form of those that are given here: resume data that was
    /// tampered with must not name other files.
    static func isOwnName(ofFileAt path: String) -> Bool {
        let names = path.split(separator: "/", omittingEmptySubsequences: false)
        guard path.hasPrefix("/"), !names.contains(".."), !path.utf8.contains(0), let name = names.last else {
            return false
        }
        // The prefix, the number of a process, and an UUID.
        let parts = name.dropLast(nameSuffix.count).dropFirst(namePrefix.count).split(
            separator: "-",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        return name.hasPrefix(namePrefix) && name.hasSuffix(nameSuffix) && parts.count == 2
            && !parts[0].isEmpty && parts[0].utf8.allSatisfy(\.isDigit) && UUID(uuidString: String(parts[1])) != nil
    }

    /// Whether the last name of a folder's path is a symbolic link.
    static func isLink(_ folder: URL) -> Bool {
        var path = folder.path
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(URLError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw error(.cannotWriteToFile, errno) }
            length += Int64(count)
            rest = rest.dropFirst(count)
        }
    }

    /// Makes the file one byte shorter; false if that fails.
    func removeLastByte() -> Bool {
        guard length > 0, ftruncate(descriptor, off_t(length - 1)) == 0 else { return false }
        length -= 1
        return lseek(descriptor, off_t(length), SEEK_SET) == length
    }

    /// Closes the file, which is complete, under another name: by the old one no other download can take it any more.
    /// From now on it has the permissions that the process's umask leaves.
    func finish() -> URL {
        if let permissions = NewFilePermissions.inFolder(URL(fileURLWithPath: path).deletingLastPathComponent()) {
            // Where that fails, the file stays private.
            _ = fchmod(descriptor, permissions)
        }
        let finished = path.dropLast(Self.nameSuffix.utf8.count) + ".download"
        let isRenamed = rename(path, String(finished)) == 0
        let url = close()
        return isRenamed ? URL(fileURLWithPath: String(finished), isDirectory: false) : url
    }

    /// Closes the file, which is its receiver's from now on.
    @discardableResult
    func close() -> URL {
        if descriptor >= 0 { Foundation.close(descriptor) }
        descriptor = -1
        return URL(fileURLWithPath: path, isDirectory: false)
    }

    func discard() {
        // While it is locked, so that nobody has begun to use it.
        unlink(path)
        close()
    }

    private func error(_ code: URLError.Code, _ reason: Int32) -> URLError {
        .engine(
            code,
            "The download could not be written to \(path): \(String(cString: strerror(reason))).",
            url: source,
            underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(reason))
        )
    }
}

/// The permissions of files that a program makes without asking for others.
package enum NewFilePermissions {
    /// Finds the permissions that the process's umask, or the folder's default access control list, leaves to a new
    /// file; nil where the folder takes no file.
    ///
    /// An empty file is made, looked at and removed: the function that reads the umask sets it at the same time, for
    /// all threads.
    package static func inFolder(_ folder: URL) -> mode_t? {
        let path = folder.appendingPathComponent(".larkspur-\(UUID().uuidString)", isDirectory: false).path
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { return nil }
        defer {
            unlink(path)
            close(descriptor)
        }
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_mode & 0o666 : nil
    }

    /// Gives a file that only its owner may read and write the permissions of a new file in its folder; without effect
    /// on one with other permissions.
    package static func replacePrivateOnes(ofFileAt file: URL) {
        var status = stat()
        guard lstat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o777 == 0o600,
            let permissions = inFolder(file.deletingLastPathComponent())
        else { return }
        _ = chmod(file.path, permissions)
    }
}
#endif
