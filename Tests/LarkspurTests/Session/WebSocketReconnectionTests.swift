#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import Testing

@testable import Larkspur

@Suite("Reconnection of WebSockets", .timeLimit(.minutes(5)))
struct WebSocketReconnectionTests {
    let server: LoopbackServer
    let manager: SessionManager

    init() throws {
        server = try LoopbackServer()
        manager = TestTransport.curl.makeManager(for: server)
    }

    /// Adds a route whose handler gets the number of the connection, from 1.
    private func route(_ handler: @escaping @Sendable (Int, LoopbackServer.WebSocket) throws -> Void) {
        let count = Recorder<Void>()
        server.webSocket("/feed") { socket in
            let number = count.values.count + 1
            count.record(())
            try handler(number, socket)
        }
    }

    /// A route that loses each connection at the first message, except for the last one, which returns messages.
    private func lose(_ losses: Int = 1) {
        route { number, socket in
            for message in socket {
                if number <= losses {
                    socket.ending = .disconnect
                    return
                }
                try socket.send(message)
            }
        }
    }

    private var connections: Int { server.requests(to: "/feed").count }

    @Test("Messages continue over several connections, until the server closes one properly")
    func messages() async throws {
        let clock = InstantClock()
        manager.clock = clock
        let attempts = Recorder<Int>()
        manager.interceptors.call = [
            .custom { request, context, next in
                let response = try await next(request)
                attempts.record(context.attempts)
                return response
            }
        ]
        route { number, socket in
            try socket.send("\(number)a")
            try socket.send("\(number)b")
            if number < 3 { socket.ending = number == 1 ? .disconnect : .reset }
        }
        var texts: [String] = []
        for try await case .text(let text) in manager.webSocket("feed", reconnection: .automatic).messages {
            texts.append(text)
        }
        // A reset may overtake messages.
        #expect(texts.filter { !$0.hasPrefix("2") } == ["1a", "1b", "3a", "3b"])
        #expect(connections == 3)
        #expect(clock.sleeps.count == 2)
        // Each connection has a chain of its own.
        #expect(attempts.values == [1, 1, 1])
    }

    @Test(
        "The server's close code decides about a reconnection",
        arguments: [(1000, 1), (1001, 1), (1011, 1), (4000, 1), (1012, 2), (1013, 2)]
    )
    func closeCode(code: UInt16, expected: Int) async throws {
        manager.clock = InstantClock()
        route { number, socket in
            if number == 1 { try socket.close(code: code) }
        }
        let socket = manager.webSocket("feed", reconnection: .automatic)
        do {
            for try await message in socket.messages { Issue.record("\(message)") }
            #expect(code != 1011 && code != 4000)
        } catch let error as WebSocketError {
            #expect(error.closeFrame?.code?.rawValue == Int(code) && expected == 1)
        }
        #expect(connections == expected)
        #expect(socket.closeFrame?.code?.rawValue == (expected == 1 ? Int(code) : 1000))
    }

    @Test("A protocol violation, a loss without rules, and a failed first connection end the WebSocket")
    func noReconnection() async throws {
        let clock = InstantClock()
        manager.clock = clock
        var options = WebSocketOptions()
        options.maximumMessageSize = 10
        route { _, socket in
            try socket.send(String(repeating: "x", count: 11))
            for _ in socket {}
        }
        let violated = manager.webSocket("feed", options: options, reconnection: .automatic)
        await #expect {
            try await violated.receive()
        } throws: {
            ($0 as? WebSocketError)?.kind == .violation
        }
        #expect(connections == 1)

        route { _, socket in socket.ending = .disconnect }
        await #expect(throws: URLError.self) { try await manager.webSocket("feed").receive() }
        #expect(connections == 2)

        server.route("/feed", .fault(.closeBeforeHeader))
        let failed = manager.webSocket("feed", reconnection: .automatic)
        await #expect { try await failed.open() } throws: { ($0 as? URLError)?.code == .networkConnectionLost }
        #expect(connections == 3)
        #expect(clock.sleeps.isEmpty)
    }

    @Test("Each connection begins with the greeting, and a waiting message follows")
    func waitingSend() async throws {
        let clock = TestClock()
        manager.clock = clock
        let received = Recorder<String>()
        route { number, socket in
            for case .text(let text) in socket {
                received.record("\(number) \(text)")
                guard text != "lose" else {
                    socket.ending = .disconnect
                    return
                }
            }
        }
        let greetings = Recorder<Void>()
        let socket = manager.webSocket("feed", reconnection: .automatic) {
            greetings.record(())
            return [.text("token \(greetings.values.count)"), .text("subscribe")]
        }
        try await socket.send("hello")
        try await socket.send("lose")
        try await clock.waitForSleeps()
        let waiting = Task { try await socket.send("waiting") }
        let open = Task { try await socket.open() }
        #expect(connections == 1)
        clock.advance(by: .seconds(60))
        try await waiting.value
        try await open.value
        try await socket.send("last")
        #expect(
            try await received.wait(for: 8) == [
                "1 token 1", "1 subscribe", "1 hello", "1 lose", "2 token 2", "2 subscribe", "2 waiting", "2 last",
            ]
        )
        try await socket.close()
        try await server.waitForOpenConnections(0)
        #expect(connections == 2)
    }

    @Test("A greeting that fails ends the WebSocket with its error, and closes the connection")
    func failingGreeting() async throws {
        struct Failure: Error {}
        lose()
        let socket = manager.webSocket("feed", reconnection: .automatic) { throw Failure() }
        await #expect(throws: Failure.self) { try await socket.open() }
        try await server.waitForOpenConnections(0)
        #expect(connections == 1)
    }

    @Test("Operations under way at the loss throw the error, and are not repeated")
    func underWay() async throws {
        manager.clock = InstantClock()
        let received = Recorder<LoopbackServer.WebSocket.Event>()
        route { number, socket in
            socket.answersPings = number > 1
            while let event = try socket.receive() {
                received.record(event)
                if number == 1, case .ping = event {
                    socket.ending = .disconnect
                    return
                }
            }
        }
        let socket = manager.webSocket("feed", reconnection: .automatic)
        await #expect { try await socket.ping() } throws: { ($0 as? URLError)?.code == .networkConnectionLost }
        try await socket.ping()
        #expect(connections == 2)
        #expect(try await received.wait(for: 2).count == 2)
        try await socket.close()
    }

    @Test("Closing during a delay ends everything at once", arguments: ["close", "cancel", "invalidate"])
    func endDuringDelay(_ end: String) async throws {
        let clock = TestClock()
        manager.clock = clock
        lose()
        let socket = manager.webSocket("feed", reconnection: .automatic)
        try await socket.send("lose")
        try await clock.waitForSleeps()
        let isOver: @Sendable (any Error) -> Bool = { error in
            end == "close" ? (error as? WebSocketError)?.kind == .ended : (error as? URLError)?.code == .cancelled
        }
        let message = Task { try await socket.receive() }
        let sending = Task { try await socket.send("waiting") }
        let pinging = Task { try await socket.ping() }
        switch end {
        case "close": try await socket.close()
        case "cancel": socket.cancel()
        default: manager.invalidate(cancelingTasks: true)
        }
        await #expect { _ = try await message.value } throws: { isOver($0) }
        await #expect { try await sending.value } throws: { isOver($0) }
        await #expect { _ = try await pinging.value } throws: { isOver($0) }
        await #expect { try await socket.send("too late") } throws: { isOver($0) }
        try await eventually(0) { clock.sleeperCount }
        clock.advance(by: .seconds(1000))
        #expect(connections == 1)
    }

    @Test("Connections without messages count, also failed ones, and the last error ends the WebSocket")
    func maximumAttempts() async throws {
        let clock = InstantClock()
        manager.clock = clock
        var rules = Reconnection.automatic
        rules.maximumAttempts = 4
        rules.initialDelay = .seconds(1)
        rules.jitter = 0
        route { [server] number, socket in
            socket.ending = .disconnect
            if number == 2 { server.route("/feed", .fault(.closeBeforeHeader)) }
        }
        let socket = manager.webSocket("feed", reconnection: rules)
        await #expect { try await socket.receive() } throws: { ($0 as? URLError)?.code == .networkConnectionLost }
        #expect(connections == 4)
        #expect(clock.sleeps == [.seconds(1), .seconds(2), .seconds(4)])
    }

    @Test("A message resets the count of connections")
    func content() async throws {
        let clock = InstantClock()
        manager.clock = clock
        var rules = Reconnection.automatic
        rules.maximumAttempts = 2
        rules.initialDelay = .seconds(1)
        rules.jitter = 0
        route { number, socket in
            try socket.send("\(number)")
            if number < 5 { socket.ending = .disconnect }
        }
        var count = 0
        for try await _ in manager.webSocket("feed", reconnection: rules).messages { count += 1 }
        #expect(count == 5)
        #expect(clock.sleeps == Array(repeating: .seconds(1), count: 4))
    }

    @Test("A handshake that is refused ends the WebSocket")
    func refusedLater() async throws {
        manager.clock = InstantClock()
        route { [server] _, socket in
            server.route("/feed", .status(403))
            socket.ending = .disconnect
        }
        let socket = manager.webSocket("feed", reconnection: .automatic)
        await #expect { try await socket.receive() } throws: { ($0 as? WebSocketError)?.response?.statusCode == 403 }
        #expect(connections == 2)
    }

    @Test("Unread messages delay the next connection too")
    func backPressure() async throws {
        manager.clock = InstantClock()
        let sent = Recorder<Int>()
        let size = 1 << 20
        route { number, socket in
            for count in 1...32 {
                try socket.send(Data(repeating: UInt8(number), count: size))
                if number == 2 { sent.record(count) }
                if number == 1, count == 2 {
                    socket.ending = .disconnect
                    return
                }
            }
        }
        let socket = manager.webSocket("feed", reconnection: .automatic)
        try await socket.open()
        _ = try await socket.receive()
        _ = try await socket.receive()
        // The second connection is open, and its messages do not fit into what the engine and the system buffer.
        try await server.waitForRequests(2, to: "/feed")
        try await sent.wait()
        for _ in 0..<20 { _ = try await manager.get("get").string }
        #expect(sent.values.count < 32)
        var count = 0
        for try await case .data(let data) in socket.messages {
            #expect(data.first == 2)
            count += 1
        }
        #expect(count == 32)
    }

    @Test("A WebSocket that may reconnect retains its manager until it ends")
    func lifetime() async throws {
        let clock = TestClock()
        lose()
        weak var released: SessionManager?
        let socket: WebSocketTask
        do {
            let manager = TestTransport.curl.makeManager(for: server)
            manager.clock = clock
            released = manager
            socket = manager.webSocket("feed", reconnection: .automatic)
        }
        try await socket.send("lose")
        try await clock.waitForSleeps()
        #expect(released != nil)
        clock.advance(by: .seconds(60))
        try await socket.send("hello")
        #expect(try await socket.receive() == .text("hello"))
        try await socket.close()
        try await eventually { released == nil }
    }

    @Test("An unused WebSocket, and one for a single connection, release their manager")
    func release() async throws {
        lose(0)
        weak var released: SessionManager?
        var socket: WebSocketTask?
        do {
            let manager = TestTransport.curl.makeManager(for: server)
            released = manager
            _ = manager.webSocket("feed", reconnection: .automatic)
            socket = manager.webSocket("feed")
            try await socket?.send("hello")
        }
        try await eventually { released == nil }
        #expect(try await socket?.receive() == .text("hello"))
        try await socket?.close()
        socket = nil
        try await server.waitForOpenConnections(0)
    }

    @Test("Every waiting operation returns, however the WebSocket and its connections end")
    func races() async throws {
        manager.clock = InstantClock()
        route { number, socket in
            let message = socket.makeIterator().next()
            if let message { try socket.send(message) }
            socket.ending = [.disconnect, .reset, .close][number % 3]
            if number.isMultiple(of: 2) { try? socket.close(code: 1012) }
        }
        var rules = Reconnection.automatic
        rules.maximumAttempts = 3
        for round in 0..<60 {
            let manager = manager.copy()
            let socket = manager.webSocket("feed", reconnection: rules) { [.text("greeting")] }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { _ = try? await socket.send("a") }
                    group.addTask { _ = try? await socket.receive() }
                    group.addTask { _ = try? await socket.ping() }
                    group.addTask { _ = try? await socket.open() }
                }
                group.addTask {
                    for _ in 0..<(round * 7 % 40) { await Task.yield() }
                    switch round % 3 {
                    case 0: _ = try? await socket.close()
                    case 1: socket.cancel()
                    default: manager.invalidate(cancelingTasks: true)
                    }
                }
                await group.waitForAll()
            }
            socket.cancel()
            await #expect(throws: (any Error).self) { try await socket.send("too late") }
        }
        try await server.waitForOpenConnections(0)
    }
}
#endif
