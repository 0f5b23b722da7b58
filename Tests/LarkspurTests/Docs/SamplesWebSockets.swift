#if canImport(FoundationNetworking)
import Larkspur

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
        nonisolated struct Note: Codable, Sendable {
            var author: String
            var text: String
        }

        let socket = manager.webSocket("notes")
        try await socket.open()
        try await socket.send(json: Note(author: "Ada", text: "Hello"))
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
            print("closed by the server:", error.closeFrame?.reason ?? "")
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
}
#endif
