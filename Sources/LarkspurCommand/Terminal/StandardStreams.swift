import Larkspur

/// The standard streams and the arguments, as the process gets them.
enum StandardStreams {
    /// Gives the numbers of closed standard streams to a device, so that no file or connection gets one and receives
    /// the output. Writing to a closed stream is still an error.
    static func open() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // The lowest free number is that of the closed stream. Output to a file that is open for reading fails.
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
