#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import LarkspurTransport
import Testing
import TestSupport

@Suite("WebSockets with a connector", .timeLimit(.minutes(5)))
struct WebSocketConnectorTests {
    private let session = CurlURLSession(configuration: .testing)

    /// A server that opens a WebSocket and sends some frames together with the response.
    private func makeServer(
        _ frames: [UInt8],
        then serve: @escaping @Sendable (RawServer.Connection) -> Void
    ) throws -> RawServer {
        try RawServer { connection in
            let head = String(decoding: connection.readHead(), as: UTF8.self)
            let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("sec-websocket-key:") }
            let key = line.flatMap { WebSocketKey($0.dropFirst(18).trimmingCharacters(in: .whitespaces)) }
            let response =
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: \(key?.accept ?? "")\r\n\r\n"
            connection.write(Data(response.utf8) + Data(frames))
            serve(connection)
        }
    }

    private static func text(_ text: String) -> [UInt8] { WebSocketFrames.server(.text, Array(text.utf8)) }

    @Test("Frames that arrive with the response are delivered in order when the connection is used")
    func early() async throws {
        let first = Self.text("one") + Self.text("two")
        let server = try makeServer(first) { connection in
            // The greeting of the client, with its mask.
            connection.read(atLeast: 8)
            connection.write(Data(Self.text("three") + WebSocketFrames.server(.close, [3, 232])))
            connection.read(atLeast: 8)
        }
        defer { server.stop() }
        let outcomes = Recorder<Int?>()
        let socket = WebSocketTask(options: .init()) { [session] this in
            let attempt = session.makeAttempt(URLRequest(url: server.url), withholding: [], on: this)
            if case .open(let response) = await attempt.open() { outcomes.record(response?.statusCode) }
            // A round through the loop, in which nothing is read.
            await withCheckedContinuation { continuation in session.flush { continuation.resume() } }
            _ = await this.channel.use(attempt, greeting: [.text("hi")], isLast: true)
        }
        var texts: [String] = []
        for try await case .text(let text) in socket.messages { texts.append(text) }
        #expect(texts == ["one", "two", "three"])
        #expect(outcomes.values == [101])
        #expect(socket.closeFrame?.code == .normalClosure)
    }

    @Test("An unused connection sends and delivers nothing, and the next connection is used")
    func abandoned() async throws {
        let received = Recorder<Int>()
        let server = try makeServer(Self.text("never")) { connection in
            received.record(connection.read(atLeast: 1).count)
        }
        defer { server.stop() }
        let other = try makeServer(Self.text("second") + WebSocketFrames.server(.close, [3, 232])) { connection in
            connection.read(atLeast: 8)
        }
        defer { other.stop() }
        let socket = WebSocketTask(options: .init()) { [session] this in
            let unused = session.makeAttempt(URLRequest(url: server.url), withholding: [], on: this)
            _ = await unused.open()
            this.channel.abandon(unused)
            let attempt = session.makeAttempt(URLRequest(url: other.url), withholding: [], on: this)
            _ = await attempt.open()
            _ = await this.channel.use(attempt, greeting: [], isLast: true)
        }
        let sending = Task { try? await socket.send("hello") }
        var texts: [String] = []
        for try await case .text(let text) in socket.messages { texts.append(text) }
        #expect(texts == ["second"])
        #expect(try await received.first() == 0)
        await sending.value
    }

    @Test("A WebSocket that is closed before its use never begins")
    func unused() async throws {
        let begins = Recorder<Void>()
        let socket = WebSocketTask(options: .init()) { _ in begins.record(()) }
        try await socket.close()
        await #expect { try await socket.open() } throws: { ($0 as? URLError)?.code == .cancelled }
        await #expect { try await socket.send("a") } throws: { ($0 as? URLError)?.code == .cancelled }
        #expect(begins.values.isEmpty)
    }
}
#endif
