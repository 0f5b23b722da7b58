#if canImport(FoundationNetworking)
import Foundation

/// The program of the tests, run again for one test in a process of its own, so that what it does can end that process.
struct TestChild: Sendable {
    /// The end of a child process.
    enum End: Sendable, Equatable {
        case exit
        case signal(Int32)
        /// The child has reported nothing for too long, and was killed.
        case silence
    }

    /// The suite and the function of the test, as in `FoundationFateTests/child`.
    let test: String
    /// The variables that are added to the environment. The test runs only if there is one.
    let environment: [String: String]
    /// The time without a report after which the child is killed, in milliseconds.
    let limit: Int32

    init(_ test: String, environment: [String: String], limit: Int32) {
        self.test = test
        self.environment = environment
        self.limit = limit
    }

    /// Reports something to the parent. Called in the child.
    static func report(_ text: String) {
        FileHandle.standardOutput.write(Data("\n\(mark)\(text)\n".utf8))
    }

    private static let mark = "child: "

    /// Runs the child, and passes on its reports in order.
    func run(_ receive: @escaping @Sendable (String) -> Void) async throws -> End {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try self.runBlocking(receive) }) }
        }
    }

    private func runBlocking(_ receive: (String) -> Void) throws -> End {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--testing-library", "swift-testing", "--filter", test]
        // A backtrace takes long, and the parent does not read it.
        process.environment = ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
            .merging(environment) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        defer { try? output.fileHandleForReading.close() }

        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var isSilent = false
        while true {
            var entry = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, limit) > 0 else {
                isSilent = true
                kill(process.processIdentifier, SIGKILL)
                break
            }
            let size = read(entry.fd, &buffer, buffer.count)
            guard size > 0 else { break }
            for byte in buffer[..<size] {
                guard byte == UInt8(ascii: "\n") else {
                    line.append(byte)
                    continue
                }
                let text = String(decoding: line, as: UTF8.self)
                if text.hasPrefix(Self.mark) { receive(String(text.dropFirst(Self.mark.count))) }
                line = []
            }
        }
        process.waitUntilExit()
        if isSilent { return .silence }
        return process.terminationReason == .uncaughtSignal ? .signal(process.terminationStatus) : .exit
    }
}
#endif
