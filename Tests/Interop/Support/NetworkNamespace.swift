#if os(Linux)
import Foundation
import Testing

extension Trait where Self == ConditionTrait {
    /// The test changes the network, and runs only where that is a namespace of its own, made by
    /// Tests/Interop/reachability.sh.
    static var needsNetworkNamespace: Self {
        .enabled(
            if: ProcessInfo.processInfo.environment["LARKSPUR_NETWORK_NAMESPACE"] != nil,
            "Tests/Interop/reachability.sh has not been run."
        )
    }
}

/// The commands of iproute2, in the network namespace that the process is in.
enum NetworkNamespace {
    /// Runs `ip` with arguments that are separated by blanks, which must succeed.
    static func ip(_ commands: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        for command in commands { try run("ip \(command)", sourceLocation: sourceLocation) }
    }

    /// Runs a command with arguments that are separated by blanks, which must succeed.
    static func run(_ command: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let words = command.split(separator: " ").map(String.init)
        try #require(try status(of: words) == 0, "\(command)", sourceLocation: sourceLocation)
    }

    /// Runs a command, and returns its status. Foundation's `Process` needs the loopback interface, which is down here
    /// at times.
    static func status(of words: [String]) throws -> Int32 {
        let arguments = words.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        try #require(posix_spawnp(&process, words[0], nil, nil, arguments + [nil], nil) == 0)
        var status: Int32 = -1
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }

    /// Runs many commands at once, by `ip -batch`.
    static func batch(_ commands: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data(commands.joined(separator: "\n").utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try ip("-batch \(file.path)", sourceLocation: sourceLocation)
    }

    /// How many sockets to the kernel's routing the process has open.
    static func netlinkSockets() throws -> Int {
        let table = try String(contentsOfFile: "/proc/self/net/netlink", encoding: .utf8)
        let inodes = Set(
            table.split(separator: "\n").dropFirst().compactMap { $0.split(separator: " ").last.map(String.init) }
        )
        let folder = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
            .filter { link in link.hasPrefix("socket:[") && inodes.contains(String(link.dropFirst(8).dropLast())) }
            .count
    }
}
#endif
