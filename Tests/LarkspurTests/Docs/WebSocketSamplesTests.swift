#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import Larkspur

/// Runs the samples of `Docs/WebSockets.md`.
@Suite("Samples about WebSockets", .timeLimit(.minutes(5)))
struct WebSocketSamplesTests {
    let server: LoopbackServer
    let samples: WebSocketSamples

    init() throws {
        server = try LoopbackServer()
        samples = WebSocketSamples(manager: TestTransport.curl.makeManager(for: server))
    }

    /// Adds a route that returns every message.
    private func echo(_ path: String, protocols: [String] = []) {
        server.webSocket(path, protocols: protocols) { socket in
            for message in socket { try socket.send(message) }
        }
    }

    @Test("The loop receives every message until the server closes the connection")
    func chat() async throws {
        server.webSocket("/chat") { socket in
            if let message = socket.makeIterator().next() { try socket.send(message) }
            try socket.send(Data(count: 3))
        }
        try await samples.chat()
        #expect(samples.output.values == ["Hello", "3 bytes"])
    }

    @Test func bothDirections() async throws {
        echo("/chat")
        try await samples.bothDirections(["one", "two"])
        #expect(samples.output.values == [#"text("one")"#, #"text("two")"#])
    }

    @Test func json() async throws {
        server.webSocket("/notes") { socket in
            if let message = socket.makeIterator().next() { try socket.send(message) }
        }
        try await samples.json()
        #expect(samples.output.values == ["Ada Hello"])
    }

    @Test func pings() async throws {
        echo("/chat")
        try await samples.pings()
        #expect(samples.output.values.count == 1)
    }

    @Test("A refusal, an unusual close code and a lost connection are distinguished")
    func errors() async throws {
        server.webSocket("/chat", fault: .refusal)
        try await samples.errors()
        server.webSocket("/chat") { socket in try socket.close(code: 4000, reason: "no room") }
        try await samples.errors()
        server.webSocket("/chat", fault: .noCloseFrame)
        try await samples.errors()
        #expect(
            samples.output.values.prefix(3) == [
                "refused with the status 403", "closed by the server: no room",
                "text(\"\(LoopbackServer.WebSocketFault.message)\")",
            ]
        )
        #expect(samples.output.values.last?.hasPrefix("network: ") == true)
    }

    @Test("The sample reconnects after a lost connection, and ends after an orderly close")
    func reconnecting() async throws {
        let connections = Recorder<Void>()
        server.webSocket("/updates") { socket in
            connections.record(())
            if let message = socket.makeIterator().next() { try socket.send(message) }
            try socket.send("\(connections.values.count)")
            if connections.values.count == 1 { socket.ending = .disconnect }
        }
        samples.manager.clock = InstantClock()
        try await samples.reconnecting()
        #expect(
            samples.output.values == [
                #"text("subscribe tea")"#, #"text("1")"#, #"text("subscribe tea")"#, #"text("2")"#,
            ]
        )
    }
}
#endif
