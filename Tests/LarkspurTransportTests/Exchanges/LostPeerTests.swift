#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import LarkspurTransport
import Testing

/// Servers that confirm nothing any more, as if their machine were gone. The packets reach the socket, whose filter
/// drops them.
@Suite("Servers that confirm nothing", .timeLimit(.minutes(5)))
struct LostPeerTests {
    /// The point at which the server's machine disappears.
    enum Point: String, CaseIterable, Sendable {
        /// Before the second request on the connection. The bytes of the request are not confirmed.
        case beforeRequest
        /// After the second request. Only probes are sent then.
        case afterRequest
    }

    private static let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private func makeSession(_ time: Duration = .seconds(1)) -> CurlURLSession {
        var options = CurlURLSession.Options()
        options.proxy = .direct
        options.deadPeerTime = time
        return CurlURLSession(configuration: .testing, options: options)
    }

    @Test("A task whose server disappears fails, and its request is not sent again", arguments: Point.allCases)
    func lost(_ point: Point) async throws {
        let (requests, steps) = (Recorder<Void>(), Recorder<Void>())
        let (vanishing, ending) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try RawServer { connection in
            guard !connection.readRequest().isEmpty else { return }
            requests.record(())
            connection.write(Self.response)
            vanishing.wait()
            if point == .afterRequest, !connection.readRequest().isEmpty { requests.record(()) }
            connection.vanish()
            steps.record(())
            ending.wait()
            connection.reset()
        }
        defer { ending.signal() }
        let session = makeSession()
        defer { session.invalidateAndCancel() }
        #expect(try await session.outcome(of: server.url).text == "ok")
        vanishing.signal()
        if point == .beforeRequest { try await steps.wait() }
        let outcome = try await session.outcome(of: server.url)
        #expect(outcome.code == .networkConnectionLost)
        let sentence = outcome.error?.localizedDescription ?? ""
        #expect(
            sentence.contains("The connection to the server 127.0.0.1:\(server.port) was lost")
                && sentence.contains("has confirmed nothing for 1.0 seconds"),
            "\(sentence)"
        )
        #expect(requests.values.count == (point == .beforeRequest ? 1 : 2))
    }

    @Test("A server that only takes longer than the time of the option is not lost")
    func slow() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackServer.Gate()
        server.route("/held", .text("held").held(until: gate))
        let session = makeSession()
        defer { session.invalidateAndCancel() }
        async let outcome = session.outcome(of: server.url("/held"))
        try await server.waitForRequests(1)
        try await passTime(3.5, by: server)
        gate.open()
        #expect(try await outcome.text == "held")
    }

    @Test("A server that confirms every packet but reads nothing is not lost")
    func full() async throws {
        let reading = DispatchSemaphore(value: 0)
        let server = try RawServer { connection in
            connection.readHead()
            reading.wait()
            connection.write(Self.response)
            connection.read(atLeast: .max)
        }
        let session = makeSession()
        defer { session.invalidateAndCancel() }
        let request = URLRequest(server.url, "PUT", body: Data(count: 32 << 20))
        async let outcome = session.outcome(of: request)
        try await passTime(3.5, by: LoopbackServer())
        reading.signal()
        #expect(try await outcome.status == 200)
    }

    @Test("The connection of a WebSocket is lost in the same way")
    func webSocket() async throws {
        let ending = DispatchSemaphore(value: 0)
        let server = try LoopbackServer()
        defer { ending.signal() }
        server.webSocket("/socket") { socket in
            try socket.send("hello")
            ending.wait()
        }
        let session = makeSession()
        defer { session.invalidateAndCancel() }
        let socket = session.webSocket(with: server.url("/socket"))
        defer { socket.cancel() }
        #expect(try await socket.receive() == .text("hello"))
        try server.vanish()
        let error = await #expect(throws: URLError.self) { try await socket.receive() }
        #expect(error?.code == .networkConnectionLost)
        #expect(error?.localizedDescription.contains("has confirmed nothing") == true)
    }
}

extension LoopbackServer {
    /// Drops all packets that arrive from now on at the open connections of the server.
    fileprivate func vanish() throws {
        let entries = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
        let connections = entries.filter { descriptor in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            var isListening: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            }
            return result == 0 && address.sin_family == sa_family_t(AF_INET)
                && UInt16(bigEndian: address.sin_port) == UInt16(port)
                && getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0 && isListening == 0
        }
        #expect(connections.count == 1)
        for connection in connections { RawServer.vanish(connection) }
    }
}
#endif
