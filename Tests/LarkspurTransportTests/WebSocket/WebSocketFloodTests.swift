#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import HTTPSyntax
import LarkspurTesting
import LarkspurTransport
import Testing
import TestSupport

/// Servers that write without reading.
@Suite("A WebSocket whose server does not read", .timeLimit(.minutes(5)))
struct WebSocketFloodTests {
    /// A server, with TLS or without, and a session that trusts it.
    private func serve(isSecure: Bool) throws -> (LoopbackServer, CurlURLSession) {
        guard isSecure else { return (try LoopbackServer(), CurlURLSession(configuration: .testing)) }
        let server = try LoopbackServer(tls: .selfSigned())
        var options = CurlURLSession.Options()
        options.tls.trustedRoots = .only([try TLSCertificate(try #require(server.certificate).der)])
        return (server, CurlURLSession(configuration: .testing, options: options))
    }

    /// Returns the content of the ping or pong with a number: 4 bytes, and others in a number that differs.
    private static func content(_ number: Int) -> Data {
        withUnsafeBytes(of: UInt32(number).bigEndian) { Data($0) } + Data(repeating: 0xAB, count: 90 + number % 32)
    }

    @Test("Of the pongs that a server does not read, only the newest waits", arguments: [false, true])
    func pings(isSecure: Bool) async throws {
        let (server, session) = try serve(isSecure: isSecure)
        let count = 200_000
        let hasRead = LoopbackServer.Gate()
        let pongs = Recorder<Int>()
        server.webSocket("/pings") { socket in
            var frames: [UInt8] = []
            for number in 0..<count {
                frames += WebSocketFrames.server(.ping, Array(Self.content(number)))
                guard frames.count >= 1 << 18 || number == count - 1 else { continue }
                try socket.send(raw: Data(frames))
                frames = []
            }
            try socket.send("all")
            hasRead.wait()
            while let event = try socket.receive() {
                if case .pong(let content) = event {
                    let number = content.prefix(4).reduce(0) { $0 << 8 | Int($1) }
                    if content != Self.content(number) { Issue.record("a pong with other content") }
                    pongs.record(number)
                }
                if event == .message(.text("end")) { return }
            }
        }
        let socket = session.webSocket(with: server.url("/pings"))
        try await socket.open()
        #expect(try await socket.receive() == .text("all"))
        // Behind the pongs.
        async let end: Void = socket.send("end")
        hasRead.open()
        try await end
        await #expect(throws: Never.self) { for try await message in socket.messages { Issue.record("\(message)") } }
        let numbers = pongs.values
        // 24 MB would be all of them. The system buffers the others, up to 10 MB.
        #expect(numbers.count < count * 3 / 4)
        #expect(numbers.first == 0 && numbers.last == count - 1)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test(
        "Two sides that each send a large message before they read do not deadlock",
        arguments: [false, true]
    )
    func largeMessages(isSecure: Bool) async throws {
        let (server, session) = try serve(isSecure: isSecure)
        let (first, second) = (Data(repeating: 1, count: 16 << 20), Data(repeating: 2, count: (16 << 20) - 3))
        server.webSocket("/exchange") { socket in
            try socket.send(first)
            try socket.send(Data([socket.receive() == .message(.data(second)) ? 1 : 0]))
        }
        let socket = session.webSocket(with: server.url("/exchange"))
        try await socket.open()
        // Returns when the server has read, which it does when it has written.
        try await socket.send(second)
        let hasAll = try await socket.receive() == .data(first)
        #expect(hasAll)
        #expect(try await socket.receive() == .data(Data([1])))
        try await socket.close()
    }

    @Test("A ping gets a pong after the client's close frame, and not after the server's")
    func pingsWhileClosing() async throws {
        let received = Recorder<[WebSocketEvent]>()
        let server = try RawServer { connection in
            let head = String(decoding: connection.readHead(), as: UTF8.self)
            let field = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("sec-websocket-key: ") }
            let accept = field.flatMap { WebSocketKey(String($0.dropFirst(19))) }?.accept ?? "none"
            connection.write(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Accept: \(accept)\r\n\r\n"
            )
            var bytes = Array(connection.read(atLeast: 8))
            connection.write(Data(WebSocketFrames.server(.ping, [1])))
            bytes += connection.read(atLeast: 7)
            connection.write(Data(WebSocketFrames.server(.close) + WebSocketFrames.server(.ping, [2])))
            connection.finish()
            bytes += connection.read(atLeast: .max)
            // A reader has no events after the close frame.
            var (first, second) = (WebSocketReader(role: .server), WebSocketReader(role: .server))
            received.record(first.read(Array(bytes.prefix(8))) + second.read(Array(bytes.dropFirst(8))))
        }
        let socket = CurlURLSession(configuration: .testing).webSocket(with: server.url)
        try await socket.open()
        try await socket.close()
        try await eventually { !received.values.isEmpty }
        #expect(received.values == [[.close(code: 1000, reason: ""), .pong(Data([1]))]])
    }
}
#endif
