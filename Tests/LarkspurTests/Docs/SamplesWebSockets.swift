#if canImport(FoundationNetworking)
import Larkspur
import LarkspurTesting
import Testing

/// The samples of `Docs/WebSockets.md`, each between two markers; what they print is recorded.
struct WebSocketSamples: Sendable {
    let manager: SessionManager
    let output = Recorder<String>()

    private func print(_ items: Any...) {
        output.record(items.map { "\($0)" }.joined(separator: " "))
    }

    func chat() async throws {
        // sample: a WebSocket
        let socket = manager.webSocket("chat")
        try await socket.open()
        try await socket.send("Hello")
        for try await message in socket.messages {
            switch message {
            case .text(let text): print(text)
            case .data(let data): print(data.count, "bytes")
            }
        }
        // end
    }

    func closing() async throws {
        let socket = manager.webSocket("chat")
        try await socket.open()
        // sample: closing a WebSocket
        try await socket.close(.goingAway, reason: "The user has left.")
        if let closure = socket.closure {
            print("the server's code:", closure.code?.rawValue ?? 0)
        }
        // end
    }

    func bothDirections(_ lines: [String]) async throws {
        // sample: both directions of a WebSocket
        let socket = manager.webSocket("chat")
        try await socket.open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await message in socket.messages { print(message) }
            }
            group.addTask {
                for line in lines { try await socket.send(line) }
                try await socket.close()
            }
            try await group.waitForAll()
        }
        // end
    }

    func json() async throws {
        // sample: JSON in WebSocket messages
        struct Note: Codable, Sendable {
            var author: String
            var text: String
        }

        let socket = manager.webSocket("notes")
        try await socket.open()
        try await socket.send(Note(author: "Ada", text: "Hello"))
        for try await note in socket.messages(as: Note.self) {
            print(note.author, note.text)
        }
        // end
    }

    func pings() async throws {
        // sample: pings of a WebSocket
        var options = WebSocketOptions()
        options.pingInterval = .seconds(20)
        let socket = manager.webSocket("chat", options: options)
        try await socket.open()

        let roundTrip = try await socket.ping()
        print("the server answered after \(roundTrip)")
        // end
        try await socket.close()
    }

    func errors() async throws {
        // sample: errors of a WebSocket
        let socket = manager.webSocket("chat")
        do {
            try await socket.open()
            for try await message in socket.messages { print(message) }
        } catch let error as WebSocketError where error.kind == .refused {
            print("refused with the status", error.response?.statusCode ?? 0)
        } catch let error as WebSocketError where error.kind == .closed {
            print("closed by the server:", error.closure?.reason ?? "")
        } catch let error as URLError {
            print("network:", error.localizedDescription)
        }
        // end
    }

    func reconnecting() async throws {
        // sample: reconnection of a WebSocket
        let socket = manager.webSocket("updates", reconnection: .automatic) {
            [.text("subscribe tea")]
        }
        for try await message in socket.messages { print(message) }
        // end
    }

    func intercepted(by login: some RequestInterceptor) async throws {
        // sample: interceptors of a WebSocket
        manager.interceptors.call = [login, .retry()]
        let socket = manager.webSocket("chat")
        try await socket.open()
        // end
        try await socket.close()
    }

    func subprotocols() async throws {
        // sample: subprotocols of a WebSocket
        var options = WebSocketOptions()
        options.protocols = ["chat.v2", "chat.v1"]
        let socket = manager.webSocket("chat", options: options)
        try await socket.open()
        print(socket.subprotocol ?? "no subprotocol")
        // end
        try await socket.close()
    }

    func fields() async throws {
        // sample: request of a WebSocket
        let socket = manager.webSocket(
            "chat",
            parameters: ["room": "tea"],
            headers: ["Origin": "https://chat.example.com"]
        )
        try await socket.open()
        // end
        try await socket.close()
    }
}

@Suite("Samples of tests with WebSockets", .timeLimit(.minutes(5)))
struct WebSocketTestingSamples {
    // sample: test with a WebSocket
    @Test func lostConnection() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.webSocket("/chat") { socket in
            try socket.send("Welcome")
            socket.ending = .disconnect
        }
        let manager = SessionManager(baseURL: server.baseURL)

        let socket = manager.webSocket("chat")
        try await socket.open()
        #expect(try await socket.receive() == .text("Welcome"))

        await #expect(throws: URLError.self) { try await socket.receive() }
    }
    // end
}
#endif
