import HTTPSyntax
import Larkspur

/// The memory with the arguments of the process, which the list of processes shows to all users of the machine.
enum ProcessArguments {
    /// Overwrites parts of the arguments with blanks, as curl does. Until the program has begun, they were visible.
    static func blank(_ secrets: [SecretArgument]) {
        guard !secrets.isEmpty, let memory else { return }
        // The first argument is the name of the program.
        var starts = [memory.startIndex]
        for (position, byte) in memory.enumerated() where byte == 0 { starts.append(position + 1) }
        for secret in secrets where secret.index + 1 < starts.count {
            let start = starts[secret.index + 1]
            for position in secret.bytes where start + position < memory.count && memory[start + position] != 0 {
                memory[start + position] = .space
            }
        }
    }

    /// The arguments, each with a zero at its end; nil if they are not found.
    ///
    /// On Linux, `CommandLine.unsafeArgv` is a copy. The kernel reports the position of the original (proc(5),
    /// `arg_start` and `arg_end` of `/proc/self/stat`).
    private static var memory: UnsafeMutableBufferPointer<UInt8>? {
        #if os(Linux)
        guard let status = FileManager.default.contents(atPath: "/proc/self/stat"),
            let shown = FileManager.default.contents(atPath: "/proc/self/cmdline"),
            // The name of the program, which is in parentheses, may contain blanks.
            let name = status.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = status[(name + 1)...].split(separator: .space).map { String(decoding: $0, as: UTF8.self) }
        guard fields.count > 46, let start = UInt(fields[45]), let end = UInt(fields[46]), end > start,
            end - start == UInt(shown.count), let bytes = UnsafeMutablePointer<UInt8>(bitPattern: start)
        else { return nil }
        let memory = UnsafeMutableBufferPointer(start: bytes, count: shown.count)
        return memory.elementsEqual(shown) ? memory : nil
        #else
        guard let first = CommandLine.unsafeArgv[0] else { return nil }
        var end = first
        // The arguments follow each other in memory.
        for index in 0..<Int(CommandLine.argc) {
            guard let argument = CommandLine.unsafeArgv[index], argument == end else { return nil }
            end = argument + strlen(argument) + 1
        }
        return first.withMemoryRebound(to: UInt8.self, capacity: end - first) {
            UnsafeMutableBufferPointer(start: $0, count: end - first)
        }
        #endif
    }
}
