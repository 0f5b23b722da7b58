#if os(Linux)
import Foundation
import Larkspur
import Synchronization
import TestSupport
import Testing

/// The server of Scripts/Network/server.py, at the other end of the path, and the name server beside it.
final class NetworkServer: Sendable {
    static let address = "192.0.2.1"
    static let port = 8080
    static let securePort = 8443

    /// The only server, which the script ends with its namespace.
    private static let shared = Result { try NetworkServer() }

    private let process: Mutex<Process>

    private init() throws { process = Mutex(try Self.start()) }

    /// The server, without any memory of other tests, and with a path that has no faults.
    static func fresh() async throws -> NetworkServer {
        try NetworkPath.set()
        let server = try shared.get()
        try await server.waitUntilOpen()
        _ = try await server.makeManager().post("forget").data
        return server
    }

    private static func start() throws -> Process {
        let namespace = try #require(ProcessInfo.processInfo.environment["LARKSPUR_SERVER_NAMESPACE"])
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Scripts/Network/server.py")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["ip", "netns", "exec", namespace, "python3", "-B", script.path, address, "\(port)", address]
            + ["\(securePort)", try #require(NetworkPath.folder)]
        // The folders of iproute2 are not in every user's path.
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["PATH": (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/sbin"]
        ) { $1 }
        // The server ends after the tests, and must not hold their output open until then.
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Kills the server, and starts it anew, without any memory of connections and uploads. The path is cut meanwhile,
    /// and after it, so that the client gets no packet of the end.
    func restart() async throws {
        try NetworkPath.set("cut=1")
        process.withLock { process in
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        let next = try Self.start()
        process.withLock { $0 = next }
        try await waitUntilOpen()
    }

    /// Waits until the port is open, by the kernel's table of the server's namespace: state 0A is LISTEN.
    private func waitUntilOpen() async throws {
        let path = "/proc/\(process.withLock { $0.processIdentifier })/net/tcp"
        let suffix = ":" + String(Self.port, radix: 16, uppercase: true)
        try await eventually {
            let table = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            return table.split(separator: "\n").contains { line in
                let words = line.split(separator: " ")
                return words.count > 3 && words[1].hasSuffix(suffix) && words[3] == "0A"
            }
        }
    }

    // MARK: Clients

    static func url(_ target: String, host: String = address) throws -> URL {
        try #require(URL(string: "http://\(host):\(port)\(target)"))
    }

    /// A manager for the server.
    /// - Parameters:
    ///   - host: A name for the name server, or the server's address.
    ///   - isSecure: Whether the requests go over TLS.
    func makeManager(
        host: String = address,
        isSecure: Bool = false,
        idle: Duration = .seconds(120),
        options: CurlURLSession.Options = .init()
    ) throws -> SessionManager {
        let configuration = URLSessionConfiguration.testing
        configuration.urlCache = nil
        var options = options
        if isSecure {
            let file = URL(filePath: try #require(NetworkPath.folder) + "/certificate.pem")
            options.tls.trustedRoots = .only(try TLSCertificate.certificates(contentsOf: file))
        }
        let url = try #require(URL(string: "https://\(Self.address):\(Self.securePort)/"))
        let manager = SessionManager(
            baseURL: isSecure ? url : try Self.url("/", host: host),
            configuration: configuration,
            transport: .curl(options)
        )
        manager.timeouts.idle = idle
        return manager
    }

    /// The SHA-256 of the content of `/file/LENGTH/SEED`, as the server has computed it.
    func digest(length: Int, seed: Int) async throws -> String {
        try await makeManager().get("digest/\(length)/\(seed)").string
    }

    /// The requests so far: each as method and target, and the range if there is one.
    func requests() async throws -> [String] {
        try await makeManager().get("requests").string.split(separator: "\n").map(String.init)
    }
}
#endif
