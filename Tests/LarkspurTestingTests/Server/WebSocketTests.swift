import Foundation
import HTTPSyntax
import Synchronization
import Testing

@testable import LarkspurTesting

@Suite("The server's WebSockets", .timeLimit(.minutes(2)))
struct WebSocketTests {
    typealias WebSocket = LoopbackServer.WebSocket

    @Test("The echo returns messages of any size, answers pings, and closes with the client's code")
    func echo() throws {
        let server = try LoopbackServer()
        let socket = try RawWebSocket(server, "/websocket/echo", protocols: ["chat"])
        #expect(socket.agreement.subprotocol == "chat")
        let messages: [WebSocketMessage] = [
            .text("Grüße"), .binary(Data([0, 255])), .text(""), .binary(Data(repeating: 7, count: 100_000)),
        ]
        for message in messages {
            try socket.send(message)
            #expect(try socket.next() == .message(message))
        }
        try socket.ping(Data([1, 2]))
        #expect(try socket.next() == .pong(Data([1, 2])))
        try socket.close(code: 3_001, reason: "done")
        #expect(try socket.next() == .close(code: 3_001, reason: ""))
        #expect(try socket.next() == nil)
        #expect(server.requests(to: "/websocket/echo").map(\.method) == ["GET"])
        socket.client.disconnect()
        try server.waitForOpenConnections(0)
    }

    @Test("A handler gets the client's messages, and its return closes the connection")
    func handler() throws {
        let server = try LoopbackServer()
        let received = Mutex<[WebSocket.Message]>([])
        server.webSocket("/rooms/{room}", protocols: ["b", "a"]) { socket in
            try socket.send("Welcome to \(socket.request.parameters["room"] ?? "") by \(socket.subprotocol ?? "none")")
            for message in socket {
                received.withLock { $0.append(message) }
                if message == .text("bye") { return }
            }
        }
        let socket = try RawWebSocket(server, "/rooms/7", protocols: ["x", "a", "b"])
        #expect(socket.agreement == .init(subprotocol: "a", compression: nil))
        #expect(try socket.next() == .message(.text("Welcome to 7 by a")))
        try socket.send(.binary(Data([1])))
        try socket.send(.text("bye"))
        #expect(try socket.next() == .close(code: 1_000, reason: ""))
        #expect(received.withLock { $0 } == [.data(Data([1])), .text("bye")])
        try socket.close()
        #expect(try socket.next() == nil)
        let other = try RawWebSocket(server, "/rooms/8", protocols: ["x"])
        #expect(other.agreement.subprotocol == nil)
    }

    @Test("A handler sends fragments, pings and a close frame, and receives the client's frames")
    func frames() throws {
        let server = try LoopbackServer()
        let events = Mutex<[WebSocket.Event]>([])
        let isDone = LoopbackServer.Gate()
        server.webSocket("/") { socket in
            defer { isDone.open() }
            try socket.send("Hello", fragmentSize: 2)
            try socket.send(Data([1, 2, 3]))
            try socket.ping(Data([9]))
            try socket.close(code: 4_000, reason: "enough")
            #expect(throws: WebSocket.Failure.self) { try socket.send("late") }
            while let event = try socket.receive() { events.withLock { $0.append(event) } }
        }
        let socket = try RawWebSocket(server, "/")
        #expect(try socket.next() == .message(.text("Hello")))
        #expect(try socket.next() == .message(.binary(Data([1, 2, 3]))))
        #expect(try socket.next() == .ping(Data([9])))
        try socket.pong(Data([9]))
        #expect(try socket.next() == .close(code: 4_000, reason: "enough"))
        try socket.close(code: 4_000)
        #expect(try socket.next() == nil)
        #expect(isDone.wait())
        #expect(events.withLock { $0 } == [.pong(Data([9])), .close(code: 4_000, reason: "")])
    }

    @Test("Invalid arguments of a frame are refused, and the connection stays open")
    func arguments() throws {
        let server = try LoopbackServer()
        server.webSocket("/") { socket in
            for code in [0, 999, 1_005, 2_000, 5_000] as [UInt16] {
                #expect(throws: WebSocket.Failure.self) { try socket.close(code: code) }
            }
            #expect(throws: WebSocket.Failure.self) { try socket.ping(Data(count: 126)) }
            #expect(throws: WebSocket.Failure.self) { try socket.pong(Data(count: 126)) }
            try socket.send("still here")
        }
        let socket = try RawWebSocket(server, "/")
        #expect(try socket.next() == .message(.text("still here")))
    }

    @Test("A handler's error becomes a close frame with the code 1011")
    func handlerError() throws {
        struct Trouble: Error {}
        let server = try LoopbackServer()
        server.webSocket("/") { _ in throw Trouble() }
        let socket = try RawWebSocket(server, "/")
        #expect(try socket.next() == .close(code: 1_011, reason: "The handler threw an error: Trouble()"))
    }

    @Test(
        "A client that violates the protocol gets a close frame, and the handler an error",
        arguments: [
            ([0x81, 0x01, 0x41], 1_002), ([0x81, 0x81, 0, 0, 0, 0, 0xFF], 1_007),
            ([0x82, 0x80 | 126, 0, 201, 0, 0, 0, 0], 1_009), ([0xC1, 0x80], 1_002),
        ] as [([UInt8], UInt16)]
    )
    func violations(bytes: [UInt8], code: UInt16) throws {
        let server = try LoopbackServer()
        let failures = Mutex<[UInt16?]>([])
        let isDone = LoopbackServer.Gate()
        server.webSocket("/", maximumMessageSize: 200) { socket in
            do {
                while try socket.receive() != nil {}
            } catch let failure as WebSocket.Failure {
                failures.withLock { $0.append(failure.closeCode) }
            }
            isDone.open()
        }
        let socket = try RawWebSocket(server, "/")
        try socket.client.send(Data(bytes))
        guard case .close(code, _) = try socket.next() else {
            Issue.record("There is no close frame with the code \(code).")
            return
        }
        #expect(isDone.wait())
        #expect(failures.withLock { $0 } == [code])
    }

    @Test("A handler may switch off the responses to pings and close frames")
    func silence() throws {
        let server = try LoopbackServer()
        server.webSocket("/") { socket in
            socket.answersPings = false
            socket.answersClose = false
            socket.ending = .disconnect
            while let event = try socket.receive() {
                if case .close(let code, _) = event { try socket.send("\(code ?? 0)") }
            }
        }
        let socket = try RawWebSocket(server, "/")
        try socket.ping(Data([1]))
        try socket.close(code: 1_001)
        #expect(try socket.next() == .message(.text("1001")))
        #expect(try socket.next() == nil)
    }

    @Test("A handler may disconnect without a close frame, or reset the connection")
    func endings() throws {
        let server = try LoopbackServer()
        server.webSocket("/disconnect") { $0.ending = .disconnect }
        server.webSocket("/reset") { $0.ending = .reset }
        #expect(try RawWebSocket(server, "/disconnect").next() == nil)
        let socket = try RawWebSocket(server, "/reset")
        #expect(throws: RawClient.Failure.self) { try socket.next() }
    }

    @Test("Messages can be sent from other threads, but not after the handler has returned")
    func otherThreads() throws {
        let server = try LoopbackServer()
        let sockets = Mutex<[WebSocket]>([])
        let isOpen = LoopbackServer.Gate()
        server.webSocket("/") { socket in
            sockets.withLock { $0.append(socket) }
            isOpen.open()
            for _ in socket {}
        }
        let client = try RawWebSocket(server, "/")
        try #require(isOpen.wait())
        let socket = try #require(sockets.withLock { $0.first })
        try socket.send("from the test")
        #expect(try client.next() == .message(.text("from the test")))
        try client.close()
        #expect(try client.next() == .close(code: 1_000, reason: ""))
        client.client.disconnect()
        try server.waitForOpenConnections(0)
        #expect(throws: WebSocket.Failure.self) { try socket.send("late") }
        #expect(throws: WebSocket.Failure.self) { try socket.send(raw: Data([1])) }
        #expect(try socket.receive() == nil)
        socket.waitUntilDisconnected()
    }

    @Test("Frames that arrive together with the opening request are received")
    func earlyFrames() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        let handshake = WebSocketHandshake()
        let fields = handshake.requestFields.map { "\($0.name): \($0.value)\r\n" }.joined()
        var bytes: [UInt8] = []
        var writer = WebSocketWriter(role: .client)
        try writer.write(.text("early"), into: &bytes)
        try client.send(Data("GET /websocket/echo HTTP/1.1\r\nHost: test\r\n\(fields)\r\n".utf8) + Data(bytes))
        #expect(try client.response().status == 101)
        #expect(try client.read(count: 7) == Data([0x81, 5]) + Data("early".utf8))
    }

    @Test("An invalid opening request is refused, and the connection can be used again")
    func refusals() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.get("/websocket/echo")
        let response = try client.response()
        #expect(response.status == 426)
        #expect(response.fields["Sec-WebSocket-Version"] == "13")
        let fields = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        try client.get("/websocket/echo", headers: fields + "Sec-WebSocket-Key: short\r\n")
        #expect(try client.response().status == 400)
        try client.get("/websocket/echo", method: "POST", headers: "Content-Length: 0\r\n")
        #expect(try client.response().status == 405)
        #expect(server.acceptedConnectionCount == 1)
        #expect(server.requests.count == 3)
    }

    @Test("A server closes with the code in the path", arguments: [1_000, 1_012, 3_000, 4_999] as [UInt16])
    func closeRoute(code: UInt16) throws {
        let server = try LoopbackServer()
        let socket = try RawWebSocket(server, "/websocket/close/\(code)?reason=maintenance")
        #expect(try socket.next() == .close(code: code, reason: "maintenance"))
    }

    @Test(
        "Stopping the server ends its WebSockets, whatever they do",
        arguments: ["/wait", "/websocket/echo", "/endless", "/silent"]
    )
    func stop(path: String) throws {
        let server = try LoopbackServer()
        server.webSocket("/wait") { socket in socket.waitUntilDisconnected() }
        server.webSocket("/endless", fault: .endlessEmptyFragments)
        server.webSocket("/silent", fault: .silence)
        let sockets = try (0..<3).map { _ in try RawWebSocket(server, path) }
        server.stop()
        #expect(server.openConnectionCount == 0)
        _ = sockets
    }
}

@Suite("The server's WebSocket faults", .timeLimit(.minutes(2)))
struct WebSocketFaultTests {
    typealias Fault = LoopbackServer.WebSocketFault

    @Test(
        "A fault of the opening is refused with a sentence about the fault",
        arguments: [
            (Fault.refusal, "403"), (.wrongAccept, "Sec-WebSocket-Accept"), (.unofferedExtension, "x-unoffered"),
            (.invalidExtension, "99"), (.unofferedSubprotocol, "x-unoffered"),
        ]
    )
    func openings(fault: Fault, word: String) throws {
        #expect(fault.outcome == .refusal)
        let server = try LoopbackServer()
        let failure = try #require(throws: WebSocketHandshake.Failure.self) { try RawWebSocket(server, fault.path) }
        #expect(failure.sentence.contains(word))
        if fault == .refusal {
            let response = try server.answer(fault.path)
            #expect(response.status == 403 && response.text == Fault.refusalBody)
        }
    }

    @Test(
        "A fault sends invalid frames, and the server answers the client's close frame",
        arguments: [
            (Fault.httpAfterOpening, 1_002), (.maskedFrame, 1_002), (.reservedBits, 1_002), (.reservedOpcode, 1_002),
            (.invalidText, 1_007), (.unexpectedContinuation, 1_002), (.fragmentedPing, 1_002),
            (.invalidCloseCode, 1_002), (.oversizedFrame, 1_009),
        ] as [(Fault, UInt16)]
    )
    func frames(fault: Fault, code: UInt16) throws {
        #expect(fault.outcome == .failure)
        let server = try LoopbackServer()
        server.webSocket("/own", fault: fault)
        for path in [fault.path, "/own"] {
            let socket = try RawWebSocket(server, path)
            guard case .failure(let failure) = try socket.next() else {
                Issue.record("\(fault) is no failure.")
                return
            }
            #expect(failure.closeCode == code)
            try socket.close(code: code)
            // The close frame is the last one, behind what may follow the fault.
            let rest = try socket.client.readToEnd()
            #expect(rest.suffix(4) == Data([0x88, 2, UInt8(code >> 8), UInt8(code & 0xFF)]))
        }
    }

    @Test("A fault ends the connection without a close frame", arguments: [Fault.truncatedFrame, .noCloseFrame])
    func ends(fault: Fault) throws {
        #expect(fault.outcome == .failure)
        let server = try LoopbackServer()
        let socket = try RawWebSocket(server, fault.path)
        if fault == .noCloseFrame { #expect(try socket.next() == .message(.text(Fault.message))) }
        let rest = try socket.client.readToEnd()
        #expect(rest == (fault == .noCloseFrame ? Data() : Data([0x81, 100]) + Data("Hello".utf8)))
    }

    @Test("A fault resets the connection within a message")
    func reset() throws {
        let server = try LoopbackServer()
        let socket = try RawWebSocket(server, Fault.resetInMessage.path)
        #expect(throws: RawClient.Failure.self) { while try socket.next() != nil {} }
    }

    @Test("A fault sends fragments without an end", arguments: [Fault.endlessFragments, .endlessEmptyFragments])
    func fragments(fault: Fault) throws {
        #expect(fault.outcome == (fault == .endlessFragments ? .failure : .endless))
        let server = try LoopbackServer()
        let socket = try RawWebSocket(server, fault.path)
        let bytes = try socket.client.read(count: 1 << 20)
        #expect(bytes.prefix(7) == Data([0x01, 5]) + Data("Hello".utf8))
        var reader = WebSocketReader(role: .client)
        #expect(reader.read([UInt8](bytes)) == [])
        #expect(!reader.hasEnded)
        socket.client.disconnect()
        try server.waitForOpenConnections(0)
    }

    @Test(
        "A fault leaves the close frame, or every frame, unanswered until the client disconnects",
        arguments: [Fault.unansweredClose, .silence]
    )
    func silence(fault: Fault) throws {
        #expect(fault.outcome == .endless)
        let server = try LoopbackServer()
        let socket = try RawWebSocket(server, fault.path)
        try socket.ping(Data([1]))
        if fault == .unansweredClose { #expect(try socket.next() == .pong(Data([1]))) }
        try socket.close()
        #expect(server.openConnectionCount == 1)
        socket.client.endSending()
        // All that comes before the end.
        #expect(try socket.client.readToEnd().isEmpty)
        socket.client.disconnect()
        try server.waitForOpenConnections(0)
    }

    @Test("Every fault has its own path")
    func paths() {
        let paths = Set(BuiltInRoutes().all.map(\.path))
        #expect(Fault.allCases.allSatisfy { paths.contains($0.path) })
    }
}
