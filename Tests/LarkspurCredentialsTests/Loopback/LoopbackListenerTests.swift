import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurCredentials

/// One test at a time, because the client blocks its thread, and the listener needs another one of the pool.
@Suite("The listener for a browser", .serialized, .timeLimit(.minutes(5)))
struct LoopbackListenerTests {
    @Test(
        "Only the target of a whole GET is read",
        arguments: [
            ("GET /a?b HTTP/1.1\r\n\r\n", "/a?b"), ("GET /a HTTP/1.0\r\nHost: x\r\n\r\nmore", "/a"),
            ("POST /a HTTP/1.1\r\n\r\n", ""), ("GET  /a HTTP/1.1\r\n\r\n", ""), ("GET /a\r\n\r\n", ""),
            ("get /a HTTP/1.1\r\n\r\n", ""), ("GET /a HTTP/2\r\n\r\n", ""), ("\r\n\r\n", ""),
        ]
    )
    func targets(_ head: String, _ target: String) {
        let read = LoopbackConnection.target(inHead: Array(head.utf8))
        #expect(read != nil && (read ?? nil) == (target.isEmpty ? nil : target))
        #expect(LoopbackConnection.target(inHead: Array(head.utf8.prefix { $0 != 10 })) == nil)
    }

    /// Opens a connection to a listener.
    private func connect(to port: UInt16) throws -> LoopbackClient { try LoopbackClient(port: port) }

    @Test("Silent connections, fragments and many connections do not delay the request")
    func connections() async throws {
        let listener = try LoopbackListener()
        // Before the first one is accepted.
        let silent = try (0..<40).map { _ in try connect(to: listener.port) }
        let task = Task { try await listener.request { $0 == "/right" ? $0 : nil } }
        let wrong = try connect(to: listener.port)
        wrong.send("GET /wrong HTTP/1.1\r\n\r\n and more that is ignored")
        #expect(try wrong.receiveAll().hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        let right = try connect(to: listener.port)
        right.send("GET /ri")
        let other = try connect(to: listener.port)
        other.send("PUT /right HTTP/1.1\r\n\r\n")
        #expect(try other.receiveAll().hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        right.send("ght HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try right.receiveAll().hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(try await task.value == "/right")
        withExtendedLifetime(silent) {}
    }

    @Test("A head that arrives in single bytes is read at its last byte")
    func singleBytes() throws {
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        defer { for descriptor in pair { close(descriptor) } }
        var connection = LoopbackConnection(pair[0])
        let head = Array("GET /a HTTP/1.0\r\nHost: evil.test\r\n\r\n".utf8)
        var events: [LoopbackConnection.Event] = []
        for byte in head {
            #expect([byte].withUnsafeBytes { write(pair[1], $0.baseAddress, 1) } == 1)
            events.append(connection.receive())
        }
        #expect(events == Array(repeating: .incomplete, count: head.count - 1) + [.request("/a")])
    }

    @Test("A request that does not end is cut off")
    func longHead() async throws {
        let listener = try LoopbackListener()
        let task = Task { try await listener.request { $0 } }
        let long = try connect(to: listener.port)
        long.send("GET /" + String(repeating: "a", count: 70_000))
        #expect(try long.receiveAll().isEmpty)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("A listener without a caller closes its port with its last reference, and a cancelled one at once")
    func release() async throws {
        var listener: LoopbackListener? = try LoopbackListener()
        let port = try #require(listener?.port)
        listener = nil
        #expect(throws: POSIXError.self) { try connect(to: port) }

        let other = try LoopbackListener()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await other.request { $0 }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(throws: POSIXError.self) { try connect(to: other.port) }
    }
}

/// A connection to a port of 127.0.0.1.
private final class LoopbackClient {
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Receives until the listener has ended the stream. A reset counts as its end.
    func receiveAll() throws -> String {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count <= 0 { return String(decoding: text, as: UTF8.self) }
            text += buffer[..<count]
        }
    }
}
