/// A file that only its owner may read and write.
package enum PrivateFile {
    /// Writes a file atomically. If it replaces another file, readers see either the old content or the new.
    /// - Throws: `POSIXError`, or the error of Foundation that the content could not be written.
    package static func write(_ data: Data, to file: URL) throws {
        try write(to: file) { try $0.write(contentsOf: data) }
    }

    /// Writes a file atomically, in several steps. If it replaces another file, readers see either the old content or
    /// the new.
    /// - Parameter body: Writes the content.
    /// - Throws: `POSIXError`, or the error of the body.
    package static func write(to file: URL, _ body: (FileHandle) throws -> Void) throws {
        let temporary = file.deletingLastPathComponent()
            .appendingPathComponent(".\(file.lastPathComponent).\(UUID().uuidString)")
        let descriptor = open(temporary.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw posixError() }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try body(handle)
            try handle.close()
            guard rename(temporary.path, file.path) == 0 else { throw posixError() }
        } catch {
            unlink(temporary.path)
            throw error
        }
    }

    private static func posixError() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
