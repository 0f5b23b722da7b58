#if canImport(FoundationNetworking)
/// The source from which libcurl reads content, piece by piece; on the loop's thread.
protocol BodyReader: AnyObject {
    /// The length in bytes; nil if it is not known before the end.
    var length: Int64? { get }

    /// The number of bytes read so far, counted from the beginning of the content.
    var position: Int64 { get }

    /// The reason why it cannot continue; nil if it can.
    var failure: URLError? { get }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.Provision

    /// Moves to an offset, because content has to be sent again; false if it cannot.
    func seek(to offset: Int64) -> Bool
}

/// Content in memory.
final class DataReader: BodyReader {
    private let data: Data
    private var offset = 0

    init(_ data: Data) { self.data = data }

    var length: Int64? { Int64(data.count) }
    var position: Int64 { Int64(offset) }
    var failure: URLError? { nil }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.Provision {
        let count = min(buffer.count, data.count - offset)
        let start = data.startIndex + offset
        data[start..<start + count].withUnsafeBytes { buffer.copyMemory(from: $0) }
        offset += count
        return .bytes(count)
    }

    func seek(to offset: Int64) -> Bool {
        guard offset >= 0, offset <= Int64(data.count) else { return false }
        self.offset = Int(offset)
        return true
    }
}
#endif

#if canImport(FoundationNetworking)
/// Content in a file, whose length must not change after it was opened.
final class FileReader: BodyReader {
    private let file: URL
    private let descriptor: Int32
    private let size: Int64
    private let modification: timespec
    private(set) var position: Int64 = 0
    private(set) var failure: URLError?

    /// - Throws: The reason why the file cannot be read.
    init(_ file: URL) throws(URLError) {
        self.file = file
        guard file.isFileURL else {
            throw .engine(.fileDoesNotExist, "\(file.absoluteString) is no file URL.", url: file)
        }
        // Non-blocking, as a pipe would block the whole session until a writer opens it.
        descriptor = open(file.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            let reason = errno
            throw .engine(
                reason == ENOENT ? .fileDoesNotExist : .noPermissionsToReadFile,
                "The file \(file.path) cannot be read: \(String(cString: strerror(reason))).",
                url: file
            )
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .engine(.fileIsDirectory, "\(file.path) is not a file that can be read.", url: file)
        }
        size = Int64(status.st_size)
        modification = status.st_mtim
    }

    deinit { close(descriptor) }

    var length: Int64? { size }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.Provision {
        let wanted = Int(min(Int64(buffer.count), size - position))
        guard wanted > 0 else { return .bytes(0) }
        let count = pread(descriptor, buffer.baseAddress, wanted, off_t(position))
        guard count > 0 else {
            return fail(count == 0 ? "it has become shorter" : String(cString: strerror(errno)))
        }
        // After its last bytes the server would take the content for complete.
        guard position + Int64(count) < size || isUnchanged else { return fail("it was changed meanwhile") }
        position += Int64(count)
        return .bytes(count)
    }

    private func fail(_ reason: String) -> EasyHandle.Provision {
        failure = .engine(
            .requestBodyStreamExhausted,
            "The file \(file.path) could not be read to its end: \(reason).",
            url: file
        )
        return .failed
    }

    private var isUnchanged: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_size == size
            && status.st_mtim.tv_sec == modification.tv_sec && status.st_mtim.tv_nsec == modification.tv_nsec
    }

    func seek(to offset: Int64) -> Bool {
        guard offset >= 0, offset <= size else { return false }
        position = offset
        return true
    }
}
#endif

#if canImport(FoundationNetworking)
/// Content from a stream, which is read on a queue of its own, ahead of libcurl's reads.
final class StreamReader: BodyReader {
    /// The length in the head of the request; nil if it has none.
    var length: Int64?
    private(set) var failure: URLError?
    private let pump: BodyPump
    private var chunks: [Data] = []
    private var hasEnded = false
    private(set) var position: Int64 = 0

    init(_ pump: BodyPump) { self.pump = pump }

    /// Receives a chunk from the pump.
    func receive(_ chunk: BodyPump.Chunk) {
        switch chunk {
        case .bytes(let data):
            chunks.append(data)
            if chunks.count < 4 { pump.readMore() }
        case .end: hasEnded = true
        case .failed(let error):
            failure = error ?? .engine(.requestBodyStreamExhausted, "The body stream failed.", url: nil)
        case .stream: break
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.Provision {
        if failure != nil { return .failed }
        // libcurl would send all of them, and the server would take the surplus for the next request.
        if let length, chunks.reduce(0, { $0 + Int64($1.count) }) > length - position {
            return fail("The body stream has more than the \(length) bytes that were announced.")
        }
        guard let first = chunks.first else {
            guard hasEnded else { return .paused }
            guard length == nil || position == length else {
                return fail("The body stream ended after \(position) of \(length ?? 0) bytes.")
            }
            return .bytes(0)
        }
        let count = min(buffer.count, first.count)
        first.prefix(count).withUnsafeBytes { buffer.copyMemory(from: $0) }
        if count == first.count {
            chunks.removeFirst()
            if !hasEnded { pump.readMore() }
        } else {
            chunks[0] = first.dropFirst(count)
        }
        position += Int64(count)
        return .bytes(count)
    }

    private func fail(_ sentence: String) -> EasyHandle.Provision {
        failure = .engine(.requestBodyStreamExhausted, sentence, url: nil)
        return .failed
    }

    /// Whether the offset is the current one: a stream cannot seek.
    func seek(to offset: Int64) -> Bool { offset == position }
}
#endif
