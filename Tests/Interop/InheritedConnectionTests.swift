#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Testing

/// Connections over TLS, which no child process may inherit.
@Suite("Connections and child processes", .needsServers, .timeLimit(.minutes(5)))
struct InheritedConnectionTests {
    let servers: Servers

    init() throws { servers = try Servers() }

    @Test(
        "An idle connection over TLS is closed in child processes",
        arguments: [Servers.Port.h2, .http1, .tls12]
    )
    func closedOnExec(_ port: Servers.Port) async throws {
        let session = servers.makeSession()
        defer { session.invalidateAndCancel() }
        let local = try #require(try await session.reply(to: servers.url(port, "/small")).last.localPort)
        let descriptors = try Self.descriptors(ofLocalPort: local)
        #expect(descriptors.count == 1)
        #expect(descriptors.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
    }

    /// This process's sockets with a port of this host.
    private static func descriptors(ofLocalPort port: Int) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init).filter {
            descriptor in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            }
            var type: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size)
            return code == 0 && address.sin_family == sa_family_t(AF_INET)
                && type == Int32(SOCK_STREAM.rawValue) && Int(UInt16(bigEndian: address.sin_port)) == port
        }
    }
}
#endif
