import Larkspur

/// The standard streams and arguments of the process.
enum StandardStreams {
    /// Opens a device for each standard stream that is closed. Otherwise a file or a connection could get the number of
    /// a closed stream and receive the output. Writing to such a stream still fails.
    static func open() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // The system assigns the lowest free number, which is the number of the closed stream. The device is opened
            // for the opposite direction, so that the use of the stream fails.
            _ = Foundation.open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// The arguments without the program's name.
    static func arguments() throws(UsageError) -> [String] {
        var arguments: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = CommandLine.unsafeArgv[index] else { break }
            guard let text = String(validatingCString: bytes) else {
                throw UsageError("The argument \(index) is no text in UTF-8.")
            }
            arguments.append(text)
        }
        return arguments
    }
}
