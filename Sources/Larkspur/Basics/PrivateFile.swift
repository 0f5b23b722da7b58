/// A file that only its owner may read and write.
package enum PrivateFile {
    /// Writes a file atomically. If it replaces another file, readers see either the old content or the new.
    /// - Throws: `POSIXError`, or Foundation's error if the content could not be written.
    package static func write(_ data: Data, to file: URL) throws {
        try write(to: file) { try $0.write(contentsOf: data) }
    }

    /// Writes a file atomically, in several steps. If it replaces another file, readers see either the old content or
    /// the new.
    /// - Parameter body: Writes the content.
    /// - Throws: `POSIXError`, or the error of the body.
    package static func write(to file: URL, _ body: (FileHandle) throws -> Void) throws {
        // The temporary file is in the same folder, because `rename` works only within a file system.
        let temporary = file.deletingLastPathComponent()
            .appendingPathComponent(".\(file.lastPathComponent).\(UUID().uuidString)")
        // With O_EXCL, `open` fails if there is a file or link with this name already. A link is not followed.
        let descriptor = open(temporary.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw posixError() }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try body(handle)
            // Closing may report that the content could not be written. So an existing file is replaced only after a
            // successful close.
            try handle.close()
            guard rename(temporary.path, file.path) == 0 else { throw posixError() }
        } catch {
            unlink(temporary.path)
            throw error
        }
    }

    private static func posixError() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
