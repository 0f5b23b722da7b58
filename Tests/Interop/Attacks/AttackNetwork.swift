#if os(Linux)
import Foundation
import Larkspur
import Synchronization
import Testing

extension Trait where Self == ConditionTrait {
    /// The test needs the network that Tests/Interop/attacks.sh makes.
    static var needsAttackNetwork: Self {
        .enabled(if: AttackNetwork.folder != nil, "Tests/Interop/attacks.sh has not been run.")
    }
}

/// The network of attacks.sh, where each address leads to the servers of Scripts/Attacks/servers.py, and the judge of
/// the packets that were sent.
final class AttackNetwork: Sendable {
    /// The addresses that are allowed, at the ports 80, 443 and 8081. On the last, they refuse connections.
    static let host = "93.184.216.34"
    static let nameServer = "1.1.1.7"
    static let sixth = "2606:2800:220:1::1"

    /// The events since the last call of `begin(names:)` or `report()`.
    struct Report: Decodable, Sendable {
        /// A request, as a server has received it.
        struct Request: Decodable, Sendable {
            let address: String
            let port: Int
            let method: String
            let target: String
            /// The fields, with names in lower case.
            let headers: [String: String]
        }

        /// The packets to addresses or ports that are not allowed: each as protocol, address, port and number.
        let forbidden: [String]
        /// The addresses and ports at which connections were accepted, other than those that are allowed.
        let accepted: [String]
        let requests: [Request]
        /// The number of packets that the judge has missed.
        let lost: Int
    }

    /// The folder of the certificate that attacks.sh has made.
    static var folder: String? { ProcessInfo.processInfo.environment["LARKSPUR_ATTACKS"] }

    private struct Pipes {
        let process: Process
        let input: FileHandle
        let output: FileHandle
        var buffer = Data()
    }

    private let pipes: Mutex<Pipes>

    init() throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Scripts/Attacks/servers.py")
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["python3", "-B", script.path, try #require(Self.folder), Self.host, Self.nameServer, Self.sixth]
            // The same IPv4 address in IPv6 addresses, which are judged by it.
            + ["64:ff9b::5db8:d822", "::5db8:d822"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let pipes = Pipes(
            process: process,
            input: input.fileHandleForWriting,
            output: output.fileHandleForReading
        )
        self.pipes = Mutex(pipes)
        // The first line says that all ports are open.
        _ = try exchange("")
    }

    deinit {
        pipes.withLock { pipes in
            try? pipes.input.close()
            pipes.process.waitUntilExit()
        }
    }

    /// Sets the results of DNS queries, and forgets all events.
    /// - Parameter names: For each name, the addresses or aliases of the first query, those of the second, and so on.
    ///   The last apply to all later queries.
    /// - Returns: The packets to addresses that are not allowed since the last report.
    @discardableResult
    func begin(names: [String: [[String]]]) throws -> [String] {
        struct Late: Decodable {
            let late: [String]
        }
        let text = String(decoding: try JSONEncoder().encode(["names": names]), as: UTF8.self)
        return try JSONDecoder().decode(Late.self, from: exchange(text)).late
    }

    /// The events since the last call.
    func report() throws -> Report {
        try JSONDecoder().decode(Report.self, from: exchange(#"{"report": true}"#))
    }

    private func exchange(_ line: String) throws -> Data {
        try pipes.withLock { pipes in
            if !line.isEmpty { try pipes.input.write(contentsOf: Data((line + "\n").utf8)) }
            while true {
                if let end = pipes.buffer.firstIndex(of: 0x0A) {
                    defer { pipes.buffer = Data(pipes.buffer[(end + 1)...]) }
                    return Data(pipes.buffer[..<end])
                }
                let data = pipes.output.availableData
                try #require(!data.isEmpty, "The servers have ended.")
                pipes.buffer += data
            }
        }
    }
}

extension String {
    /// The text in Base64 for a path of the servers.
    var inPath: String {
        Data(utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(
            of: "/",
            with: "_"
        )
    }

    /// The path at which the servers redirect to the text.
    func redirected(_ status: Int = 302, closing: Bool = false) -> String {
        "/to/\(status)/\(closing ? "close" : "keep")/\(inPath)"
    }
}
#endif
