#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("Sockets in child processes", .timeLimit(.minutes(5)))
struct InheritedSocketTests {
    @Test("A child process inherits no open connections")
    func children() async throws {
        let server = try LoopbackServer()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("s").path
        let local = try LoopbackServer(unixSocket: path)
        let gate = LoopbackServer.Gate()
        defer { gate.open() }
        for server in [server, local] { server.route("/held", .text("held").held(until: gate)) }
        var options = CurlURLSession.Options()
        let session = CurlURLSession(configuration: .testing)
        options.proxy = .server(ProxyServer(kind: .http, host: "127.0.0.1", port: Int(server.port)), exceptions: [])
        let proxied = CurlURLSession(configuration: .testing, options: options)
        defer {
            session.invalidateAndCancel()
            proxied.invalidateAndCancel()
        }
        // One that is kept, and three that are under way.
        _ = try await session.outcome(of: server.url("/get"))
        session.dataTask(with: server.url("/held")).resume()
        session.dataTask(with: try #require(URL(unixSocket: path, resource: "/held"))).resume()
        proxied.dataTask(with: server.url("/held")).resume()
        try await server.waitForRequests(3)
        try await local.waitForRequests(1)

        let own = try Self.sockets(of: "self").filter { Self.isClient($0.key, of: Int(server.port), path) }
        #expect(own.count >= 3)
        let inherited = Set(try Self.socketsOfChild())
        #expect(own.values.filter(inherited.contains).isEmpty)
    }

    /// The names of a process's sockets, such as "socket:[4711]", by their descriptors.
    private static func sockets(of process: String) throws -> [Int32: String] {
        let folder = "/proc/\(process)/fd"
        var sockets: [Int32: String] = [:]
        for entry in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(entry)")
            if let number = Int32(entry), let target, target.hasPrefix("socket:") { sockets[number] = target }
        }
        return sockets
    }

    /// Whether a socket of this process is connected to one of the servers.
    private static func isClient(_ socket: Int32, of port: Int, _ path: String) -> Bool {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &address) { bytes in
            guard let start = bytes.baseAddress,
                getpeername(socket, start.assumingMemoryBound(to: sockaddr.self), &length) == 0
            else { return false }
            switch Int32(start.load(as: sa_family_t.self)) {
            case AF_INET: return Int(UInt16(bigEndian: start.load(fromByteOffset: 2, as: UInt16.self))) == port
            case AF_UNIX: return String(decoding: bytes[2..<Int(length)].prefix { $0 != 0 }, as: UTF8.self) == path
            default: return false
            }
        }
    }

    /// The sockets that a child has, without the help of Foundation, which closes descriptors in its children.
    private static func socketsOfChild() throws -> [String] {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        var child = pid_t()
        let words: [String] = ["ls", "-l", "/proc/self/fd"]
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        try #require(posix_spawn(&child, "/bin/ls", &actions, nil, arguments, environ) == 0)
        _ = close(ends[1])
        let output = (try? FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readToEnd()) ?? Data()
        var status: Int32 = 0
        waitpid(child, &status, 0)
        return String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
            .filter { $0.hasPrefix("socket:") }
    }
}
#endif
