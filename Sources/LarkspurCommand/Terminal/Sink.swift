import HTTPSyntax
import Larkspur
import Synchronization

/// A file for output: a standard stream, or a file of the user.
final class Sink: Sendable {
    /// The reason why output could not be written.
    enum Failure: Error, Equatable {
        /// The reader has closed its end of the pipe.
        case closedPipe
        case failed(String)
    }

    static let standardOutput = Sink(STDOUT_FILENO)
    static let standardError = Sink(STDERR_FILENO)

    let descriptor: Int32
    let isTerminal: Bool

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
    }

    /// Creates a file, or opens one.
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - keepsContent: Whether the content of an existing file stays.
    convenience init(creating path: String, keepsContent: Bool) throws(UsageError) {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (keepsContent ? 0 : O_TRUNC)
        let descriptor = open(path, flags, 0o666)
        guard descriptor >= 0 else { throw UsageError("\(path): \(Self.reason(errno))") }
        self.init(descriptor)
    }

    func write(_ text: String) throws(Failure) { try write(Data(text.utf8)) }

    /// Writes all of the data.
    func write(_ data: Data) throws(Failure) {
        let failure = data.withUnsafeBytes { buffer -> Failure? in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    var readiness = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&readiness, 1, -1)
                } else if errno != EINTR {
                    return errno == EPIPE ? .closedPipe : .failed(Self.reason(errno))
                }
            }
            return nil
        }
        if let failure { throw failure }
    }

    /// Writes a line for the user. A failure is ignored, because there is no other place to report it.
    func report(_ line: String) { try? write(TerminalText.line(line) + "\n") }

    /// The number of bytes in the file; nil for a pipe or a device.
    var size: Int64? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Self.size(status) : nil
    }

    /// Returns the number of bytes in a file; nil for a pipe or a device, or if there is no file.
    static func size(of path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? size(status) : nil
    }

    private static func size(_ status: stat) -> Int64? {
        status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
    }

    /// Truncates the file. Later output is written at its end.
    func truncate(to length: Int64) throws(Failure) {
        // A pipe or a device has no length.
        guard size != nil else { return }
        guard ftruncate(descriptor, off_t(length)) == 0, lseek(descriptor, off_t(length), SEEK_SET) >= 0 else {
            throw .failed(Self.reason(errno))
        }
    }

    static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// Returns the reason why a file could not be written, without a full stop.
    static func reason(of error: any Error) -> String {
        if let error = error as? POSIXError { return reason(error.code.rawValue) }
        if let refusal = error as? PrivateFile.Refusal { return String(refusal.message.dropLast()) }
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        if let underlying, underlying.domain == NSPOSIXErrorDomain { return reason(Int32(underlying.code)) }
        return "no space"
    }
}
