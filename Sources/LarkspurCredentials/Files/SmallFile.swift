/// A regular file that is read into memory as a whole, such as a file with passwords or a key.
struct SmallFile {
    /// The reason why a file cannot be read.
    struct Defect: Error {
        /// The reason as a sentence, without the path.
        let sentence: String
    }

    /// The largest size, in bytes.
    static let largestSize = 1 << 20

    /// The owner and the permissions of the file from which the content was read.
    let status: stat
    let content: Data

    /// Reads a file.
    init(_ path: String) throws(Defect) {
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw Defect(sentence: "The file cannot be opened: \(String(cString: strerror(errno))).")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Defect(sentence: "This is no file.")
        }
        guard status.st_size <= Self.largestSize,
            let content = try? handle.read(upToCount: Self.largestSize + 1) ?? Data(),
            content.count <= Self.largestSize
        else { throw Defect(sentence: "The file cannot be read, or has more than 1 MiB.") }
        self.status = status
        self.content = content
    }
}
