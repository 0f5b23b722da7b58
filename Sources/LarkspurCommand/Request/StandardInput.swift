import Larkspur

/// The standard input as the source of a request's body.
struct StandardInput {
    /// The largest number of bytes of a pipe that are stored in memory. Longer input is written to a temporary file.
    static let largestInMemory = 8 << 20

    private let descriptor: Int32
    private let mode: mode_t

    init(_ descriptor: Int32 = STDIN_FILENO) {
        self.descriptor = descriptor
        var status = stat()
        mode = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
    }

    /// Whether the input has data for a request. True for a pipe, a file and a socket; false for a terminal and
    /// `/dev/null`.
    var hasData: Bool { mode == S_IFIFO || mode == S_IFREG || mode == S_IFSOCK }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Returns the body. A file is sent directly. A pipe is first read to its end, because the request needs its
    /// length.
    /// - Parameter isChunked: Whether the bytes are sent as they arrive, without their length.
    func body(isChunked: Bool) throws(UsageError) -> ComposedBody {
        let url = URL(fileURLWithPath: "/dev/fd/\(descriptor)")
        if mode == S_IFREG, lseek(descriptor, 0, SEEK_CUR) == 0 {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw Self.failure }
            return .file(url, length: Int64(status.st_size))
        }
        if isChunked { return .stream(url) }
        var data = Data()
        while data.count <= Self.largestInMemory {
            guard let chunk = try read() else { return .data(data) }
            data.append(chunk)
        }
        return try spool(data)
    }

    /// Writes the input to a file without a name. The system removes the file when the process ends.
    private func spool(_ beginning: Data) throws(UsageError) -> ComposedBody {
        let name = FileManager.default.temporaryDirectory.appendingPathComponent("larkspur-\(UUID().uuidString)").path
        let file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw UsageError("\(name): \(Sink.reason(errno))") }
        unlink(name)
        let sink = Sink(file)
        var length: Int64 = 0
        var chunk: Data? = beginning
        while let next = chunk {
            do throws(Sink.Failure) {
                try sink.write(next)
            } catch {
                throw UsageError("The standard input could not be stored in the folder for temporary files.")
            }
            length += Int64(next.count)
            chunk = try read()
        }
        lseek(file, 0, SEEK_SET)
        return .file(URL(fileURLWithPath: "/dev/fd/\(file)"), length: length)
    }

    /// Reads the next bytes; nil at the end.
    func read() throws(UsageError) -> Data? {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            if count > 0 { return Data(buffer[..<count]) }
            if count == 0 { return nil }
            guard errno == EINTR else { throw Self.failure }
        }
    }

    private static let failure = UsageError("The standard input could not be read.")

    /// Requests a password from the user. The typed characters are not shown.
    /// - Parameters:
    ///   - prompt: The question, which is shown on standard error.
    ///   - terminal: The state of the terminal. An interruption restores it.
    func password(prompt: String, _ terminal: TerminalState) throws(UsageError) -> String {
        guard isTerminal else { throw UsageError("A password is needed, and there is no terminal to ask for it.") }
        // The echo is turned off before the question is shown. Input that came between the two would be shown, and then
        // discarded.
        terminal.hideInput(descriptor)
        try? Sink.standardError.write(TerminalText.line(prompt))
        defer {
            terminal.restore()
            try? Sink.standardError.write("\n")
        }
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while Foundation.read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
