#if canImport(FoundationNetworking)
/// The temporary file of a download.
final class DownloadFile {
    /// The beginning of the names of all such files of this process.
    static let prefix = "Larkspur-\(getpid())-"

    private let url: URL
    /// What is downloaded, for errors.
    private let source: URL?
    private var descriptor: Int32

    /// - Parameter source: What is downloaded.
    /// - Throws: Why the temporary folder takes no file.
    init(of source: URL?) throws(URLError) {
        self.source = source
        let name = "\(Self.prefix)\(UUID().uuidString).tmp"
        url = FileManager.default.temporaryDirectory.appendingPathComponent(name, isDirectory: false)
        descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw error(.cannotCreateFile, errno) }
    }

    deinit {
        if descriptor >= 0 { discard() }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(URLError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw error(.cannotWriteToFile, errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Closes the file, which is its receiver's from now on.
    func close() -> URL {
        if descriptor >= 0 { Foundation.close(descriptor) }
        descriptor = -1
        return url
    }

    func discard() { try? FileManager.default.removeItem(at: close()) }

    private func error(_ code: URLError.Code, _ reason: Int32) -> URLError {
        .engine(
            code,
            "The download could not be written to \(url.path): \(String(cString: strerror(reason))).",
            url: source
        )
    }
}
#endif
