import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

@Suite("Events of WebSockets", .timeLimit(.minutes(5)))
struct WebSocketEventTests {
    let server: LoopbackServer
    let manager: SessionManager
    let events = Recorder<CallEvent>()

    init() throws {
        server = try LoopbackServer()
        manager = TestTransport.curl.makeManager(for: server)
        manager.observe { [events] in events.record($0) }
    }

    @Test("The connections and messages of a WebSocket are events")
    func messages() async throws {
        let socket = manager.webSocket("websocket/echo")
        try await socket.send("Hello")
        _ = try await socket.receive()
        try await socket.send(Data([1, 2, 3]))
        _ = try await socket.receive()
        try await socket.close()

        let seen = try await events.wait { $0.contains { $0.kind == .webSocketClosed } }
        let kinds = seen.map(\.kind)
        #expect(kinds.first == .created && kinds.contains(.attemptStarted) && kinds.last == .webSocketClosed)
        #expect(kinds.count { $0 == .webSocketOpened } == 1)
        #expect(seen.filter { $0.kind == .webSocketSent }.compactMap(\.byteCount) == [5, 3])
        let received = seen.filter { $0.kind == .webSocketReceived }
        #expect(received.compactMap(\.byteCount) == [5, 3])
        #expect(received.compactMap(\.isText) == [true, false])
        #expect(seen.last?.reason == "code 1000")
        #expect(Set(seen.map(\.callID)).count == 1)
        #expect(seen.allSatisfy { $0.task == nil })
        #expect(seen.first { $0.kind == .webSocketOpened }?.httpResponse?.statusCode == 101)
    }

    @Test("A WebSocket whose connection is refused has an end, but no opening")
    func refusal() async throws {
        let socket = manager.webSocket("nothing")
        await #expect(throws: (any Error).self) { try await socket.open() }

        let seen = try await events.wait { $0.contains { $0.kind == .webSocketClosed } }
        #expect(seen.map(\.kind) == [.created, .attemptStarted, .webSocketClosed])
    }
}
