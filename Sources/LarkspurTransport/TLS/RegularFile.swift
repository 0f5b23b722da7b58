#if canImport(FoundationNetworking)
/// Reads regular files on the threads of sessions. Reading from a pipe or a device could block such a thread.
enum RegularFile {
    /// The reason why a file cannot be read, in words and without a full stop.
    struct Failure: Error { let reason: String }

    /// The largest file that is read, in bytes.
    static let sizeLimit = 1 << 28

    static func contents(of path: String) throws(Failure) -> Data {
        do {
            if let data = try WholeFile.read(path, limit: sizeLimit) { return data }
            throw POSIXError(.ENOENT)
        } catch let error as POSIXError {
            switch error.code {
            case .EINVAL: throw Failure(reason: "it is not a regular file")
            case .EFBIG: throw Failure(reason: "it is larger than 256 MiB")
            default: throw Failure(reason: String(cString: strerror(error.code.rawValue)))
            }
        } catch {
            throw Failure(reason: error.localizedDescription)
        }
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
