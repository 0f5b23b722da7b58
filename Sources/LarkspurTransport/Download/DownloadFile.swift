#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The file of a download. It is written from the first byte to the last.
///
/// While the file is open, it is locked, so that two downloads never write to it. The lock is released explicitly,
/// because closing the descriptor may not release it. The reason is that a child process that is just being started has
/// a copy of the descriptor. Until the file is complete, only its owner may read it. Then it receives the permissions
/// of an ordinary new file.
final class DownloadFile {
    /// The prefix of the names of all files of this process.
    static let prefix = namePrefix + "\(getpid())-"
    private static let namePrefix = "Larkspur-"
    private static let nameSuffix = ".tmp"

    let path: String
    /// The number of bytes in the file.
    private(set) var length: Int64 = 0
    /// The URL of the download, for errors.
    private let source: URL?
    private var descriptor: Int32

    /// Creates a file.
    /// - Parameters:
    ///   - source: The URL of the download.
    ///   - folder: The folder in which the file is created.
    /// - Throws: The reason why no file can be created in the folder.
    init(of source: URL?, in folder: URL) throws(URLError) {
        self.source = source
        let name = "\(Self.prefix)\(UUID().uuidString)\(Self.nameSuffix)"
        path = folder.appendingPathComponent(name, isDirectory: false).path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw error(.cannotCreateFile, errno) }
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
    }

    /// Opens the partial file of a download in order to append to it. Returns nil if the file cannot be opened, was not
    /// created by `DownloadFile`, is in use, or has the wrong length. A file with the wrong length is useless, and is
    /// removed.
    ///
    /// All bytes in the file are used, because they were received in order. If the file is complete, its last byte is
    /// removed and requested again. This verifies that the server still has the same version.
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

    /// Opens and locks the partial file of a download. Returns nil if the file cannot be opened, is in use, or is not a
    /// file that `DownloadFile` has created for this user.
    private static func openLeftFile(at path: String) -> (descriptor: Int32, status: stat)? {
        guard isOwnName(ofFileAt: path) else { return nil }
        // The file is opened without blocking, because the path may now be that of a pipe.
        let descriptor = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        var named = stat()
        // The file is locked before its name is checked. The reason is that a download that ends removes the name
        // before it releases the lock.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0, lstat(path, &named) == 0,
            status.st_ino == named.st_ino, status.st_dev == named.st_dev,
            status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_nlink == 1
        else {
            unlockAndClose(descriptor)
            return nil
        }
        return (descriptor, status)
    }

    /// If this descriptor has a lock, releases the lock. Then closes the descriptor.
    private static func unlockAndClose(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        Foundation.close(descriptor)
    }

    /// Removes the partial file of a download, regardless of its content. Does not remove a file that was not created
    /// by `DownloadFile`, is in use, or was written to recently.
    /// - Parameter age: The minimum time since the last write. Default: nil, so that the time is not checked.
    /// - Returns: Whether the file was removed.
    @discardableResult
    static func discardLeftFile(at path: String, unwrittenFor age: Duration? = nil) -> Bool {
        guard let left = openLeftFile(at: path) else { return false }
        defer { unlockAndClose(left.descriptor) }
        if let age {
            let written = Date(timeIntervalSince1970: TimeInterval(left.status.st_mtim.tv_sec))
            guard -written.timeIntervalSinceNow >= age.timeInterval else { return false }
        }
        return unlink(path) == 0
    }

    /// Whether a path is absolute, and its file name has the form of the names that `DownloadFile` creates. Manipulated
    /// resume data must not give access to other files.
    static func isOwnName(ofFileAt path: String) -> Bool {
        let names = path.parts(separatedBy: "/", omittingEmptyParts: false)
        guard path.begins(with: "/"), !names.contains(where: { $0 == ".." }), !path.utf8.contains(0),
            let name = names.last
        else {
            return false
        }
        // The name consists of the prefix, the number of a process, and a UUID.
        let rest = Substring(name.utf8.dropLast(nameSuffix.utf8.count).dropFirst(namePrefix.utf8.count))
        guard name.begins(with: namePrefix), name.ends(with: nameSuffix), let (number, identifier) = rest.cut(at: "-")
        else { return false }
        return !number.isEmpty && number.utf8.allSatisfy(\.isDigit) && UUID(uuidString: String(identifier)) != nil
    }

    /// Whether the last component of a folder's path is a symbolic link.
    static func isLink(_ folder: URL) -> Bool {
        var path = folder.path
        while path.utf8.count > 1, path.ends(with: "/") { path.unicodeScalars.removeLast() }
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Writes a chunk as it was delivered, without buffering it.
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

    /// Makes the file one byte shorter. Returns false if this fails.
    func removeLastByte() -> Bool {
        guard length > 0, ftruncate(descriptor, off_t(length - 1)) == 0 else { return false }
        length -= 1
        return lseek(descriptor, off_t(length), SEEK_SET) == length
    }

    /// Closes the complete file and renames it, so that no download finds it under the old name. The file receives the
    /// permissions that the process's umask permits.
    func finish() -> URL {
        if let permissions = NewFilePermissions.inFolder(URL(fileURLWithPath: path).deletingLastPathComponent()) {
            // If this fails, only the owner can read the file.
            _ = fchmod(descriptor, permissions)
        }
        let finished = path.dropLast(Self.nameSuffix.utf8.count) + ".download"
        let isRenamed = rename(path, String(finished)) == 0
        let url = close()
        return isRenamed ? URL(fileURLWithPath: String(finished), isDirectory: false) : url
    }

    /// Closes the file. From now on, it belongs to its recipient.
    @discardableResult
    func close() -> URL {
        if descriptor >= 0 { Self.unlockAndClose(descriptor) }
        descriptor = -1
        return URL(fileURLWithPath: path, isDirectory: false)
    }

    func discard() {
        // The file is removed before the lock is released, so that no other download can begin to use it.
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

/// The permissions of files that a program creates without explicit permissions.
package enum NewFilePermissions {
    /// Returns the permissions that a new file has according to the process's umask or the folder's default access
    /// control list. Returns nil if no file can be created in the folder.
    ///
    /// This method creates, inspects and removes an empty file. It does not use the function that reads the umask,
    /// because that function also changes the umask for all threads.
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

    /// If only the owner may read and write a file, gives the file the permissions of a new file in its folder. Does
    /// nothing for a file with other permissions.
    package static func replacePrivateOnes(ofFileAt file: URL) {
        var status = stat()
        guard lstat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o777 == 0o600,
            let permissions = inFolder(file.deletingLastPathComponent())
        else { return }
        _ = chmod(file.path, permissions)
    }
}
#endif
