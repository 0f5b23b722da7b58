#if os(Linux)
import Foundation
import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
    /// The test needs the namespaces and the path between them that Tests/Interop/network.sh makes.
    static var needsFaultyNetwork: Self {
        .enabled(if: NetworkPath.folder != nil, "Tests/Interop/network.sh has not been run.")
    }
}

/// The path between the test and the server, a process that `network.sh` has started.
enum NetworkPath {
    /// The counts of packets since the settings before.
    struct Counts: Decodable, Sendable {
        let forwarded: Int
        let lost: Int
        let reordered: Int
        let duplicated: Int
        /// The packets with a reset that were not forwarded.
        let resets: Int
        /// The attempts of the client to open a connection.
        let opened: Int
        /// The packets that a cut has stopped.
        let cut: Int
    }

    /// The folder of the programs that `network.sh` has compiled.
    static var folder: String? { ProcessInfo.processInfo.environment["LARKSPUR_NETWORK_FAULTS"] }

    /// The number of runs of each test with random faults, each with another seed.
    static let rounds = ProcessInfo.processInfo.environment["LARKSPUR_NETWORK_ROUNDS"].flatMap { Int($0) } ?? 1

    /// Replaces the settings, by default with none: each packet is forwarded at once.
    /// - Returns: The counts until now.
    @discardableResult
    static func set(_ settings: String = "", round: Int = 0) throws -> Counts {
        try exchange("seed=\(TestSeed.value &+ UInt64(round)) \(settings)")
    }

    /// The counts since the last settings.
    static func counts() throws -> Counts { try exchange("") }

    private static func exchange(_ text: String) throws -> Counts {
        let control = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(control) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        address.sin_port = in_port_t(9).bigEndian
        let isConnected = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(control, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        try #require(isConnected && send(control, text, text.utf8.count, 0) == text.utf8.count)
        var response = [UInt8](repeating: 0, count: 512)
        var count = recv(control, &response, response.count, 0)
        while count < 0, errno == EINTR { count = recv(control, &response, response.count, 0) }
        try #require(count > 0)
        return try JSONDecoder().decode(Counts.self, from: Data(response.prefix(count)))
    }

    /// Waits until the client tries to open a connection over a path that is cut.
    static func waitForAttempt(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await eventually(in: 1..., { try counts().opened }, sourceLocation: sourceLocation)
    }
}
#endif
