#if canImport(FoundationNetworking)
/// Reads regular files on the threads of sessions. Reading from a pipe or a device could block such a thread.
enum RegularFile {
    /// The reason why a file cannot be read, in words and without a full stop.
    struct Failure: Error { let reason: String }

    /// The largest file that is read, in bytes.
    static let sizeLimit = 1 << 28

    static func contents(of path: String) throws(Failure) -> Data {
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Failure(reason: String(cString: strerror(errno))) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Failure(reason: String(cString: strerror(errno))) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Failure(reason: "it is not a regular file") }
        guard status.st_size <= sizeLimit else { throw Failure(reason: "it is larger than 256 MiB") }
        guard let data = try? handle.readToEnd() ?? Data() else { throw Failure(reason: "reading it has failed") }
        return data
    }
}

extension TLSConfigurationError {
    /// Reads the contents of a file that is read again when it changes.
    static func regularContents(of file: URL) throws(TLSConfigurationError) -> Data {
        do throws(RegularFile.Failure) {
            return try RegularFile.contents(of: file.path)
        } catch {
            throw TLSConfigurationError(.fileUnreadable, "The file \(file.path) cannot be read: \(error.reason).")
        }
    }
}
#endif
