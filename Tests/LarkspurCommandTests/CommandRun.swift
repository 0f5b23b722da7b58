import Foundation
import Synchronization
import TestSupport
import Testing

/// A run of the built program in a process of its own.
final class CommandRun: Sendable {
    struct Result: Sendable {
        let status: Int32
        let output: Data
        let errors: String

        var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// The program, which is next to the one that runs the tests.
    static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent("larkspur")

    let process = Process()

    private init() {}

    /// Starts the program.
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - folder: The current folder, which is the home too.
    ///   - environment: Variables of its environment.
    ///   - streams: The standard input, output and error.
    static func start(
        _ arguments: [String],
        in folder: URL,
        environment: [String: String] = [:],
        streams: (input: Any?, output: Any?, errors: Any?)
    ) throws -> CommandRun {
        // A program that ends early is no reason to end the tests.
        signal(SIGPIPE, SIG_IGN)
        let run = CommandRun()
        run.process.executableURL = program
        run.process.arguments = arguments
        run.process.currentDirectoryURL = folder
        let fixed = ["PATH": "/usr/bin:/bin", "HOME": folder.path, "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"]
        let library = ProcessInfo.processInfo.environment.filter { ["LD_LIBRARY_PATH", "TMPDIR"].contains($0.key) }
        run.process.environment = library.merging(fixed) { $1 }.merging(environment) { $1 }
        run.process.standardInput = streams.input
        run.process.standardOutput = streams.output
        run.process.standardError = streams.errors
        try run.process.run()
        return run
    }

    /// Waits for the end, and returns the exit status; that of a signal is its negative number.
    func wait() async -> Int32 {
        await withCheckedContinuation { continuation in
            // A thread of its own: one of the pool that waits here may be the only one, for which all tests wait.
            Thread.detachNewThread { [self] in
                process.waitUntilExit()
                let isSignal = process.terminationReason == .uncaughtSignal
                continuation.resume(returning: isSignal ? -process.terminationStatus : process.terminationStatus)
            }
        }
    }

    /// Runs the program to its end.
    /// - Parameter input: The content of standard input; nil for none.
    static func run(
        _ arguments: [String],
        in folder: URL,
        input: Data? = nil,
        environment: [String: String] = [:]
    ) async throws -> Result {
        let (inputPipe, outputPipe, errorPipe) = (Pipe(), Pipe(), Pipe())
        let run = try start(
            arguments,
            in: folder,
            environment: environment,
            streams: (input == nil ? FileHandle.nullDevice : inputPipe, outputPipe, errorPipe)
        )
        if let input { write(input, to: inputPipe.fileHandleForWriting) }
        async let output = read(outputPipe.fileHandleForReading)
        async let errors = read(errorPipe.fileHandleForReading)
        let (data, text) = (await output, String(decoding: await errors, as: UTF8.self))
        return Result(status: await run.wait(), output: data, errors: text)
    }

    /// Writes to a pipe whose reader may end early, and closes it.
    private static func write(_ data: Data, to file: FileHandle) {
        DispatchQueue.global().async {
            try? file.write(contentsOf: data)
            try? file.close()
        }
    }

    static func read(_ file: FileHandle) async -> Data {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: (try? file.readToEnd()) ?? Data())
            }
        }
    }
}

extension TemporaryFolder {
    /// The names of the files. Foundation makes hidden folders in a user's home.
    func visibleNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path).filter { !$0.hasPrefix(".") }.sorted()
    }
}

/// A terminal for a program that is tested.
final class PseudoTerminal: Sendable {
    let master: FileHandle
    let slave: FileHandle
    private let received = Mutex(Data())

    init() throws {
        // Swift does not see posix_openpt and its companions; these are the requests that they make of Linux.
        let (unlock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (isLocked, number): (Int32, Int32) = (0, 0)
        try #require(master >= 0)
        try #require(ioctl(master, unlock, &isLocked) == 0 && ioctl(master, getNumber, &number) == 0)
        let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(slave >= 0)
        // The program must not inherit the other end.
        _ = fcntl(master, F_SETFD, FD_CLOEXEC)
        _ = fcntl(slave, F_SETFD, FD_CLOEXEC)
        self.master = FileHandle(fileDescriptor: master, closeOnDealloc: true)
        self.slave = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
    }

    /// Starts the program on the terminal.
    func start(_ arguments: [String], in folder: URL, environment: [String: String] = [:]) throws -> CommandRun {
        let run = try CommandRun.start(arguments, in: folder, environment: environment, streams: (slave, slave, slave))
        // When the program ends, no one has the terminal open any more, and reading ends.
        try slave.close()
        return run
    }

    /// Reads until a text has come, or to the end.
    func read(until text: String? = nil) async -> String {
        await withCheckedContinuation { continuation in
            // A thread of its own: one of the pool that waits here may be the only one, for which all tests wait.
            Thread.detachNewThread { [self] in
                var buffer = [UInt8](repeating: 0, count: 4096)
                while text.map({ !content.contains($0) }) ?? true {
                    let count = Foundation.read(master.fileDescriptor, &buffer, buffer.count)
                    guard count > 0 else { break }
                    received.withLock { $0.append(contentsOf: buffer[..<count]) }
                }
                continuation.resume(returning: content)
            }
        }
    }

    private var content: String { received.withLock { String(decoding: $0, as: UTF8.self) } }

    func type(_ text: String) throws { try master.write(contentsOf: Data(text.utf8)) }
}
