#if canImport(FoundationNetworking)
import Larkspur
import LarkspurTesting

/// A program that chats over a WebSocket, and goes on when its server, an embedded one, has restarted.
///
///     swift run WebSocketChat
///
/// The status is 1 if a message gets no answer.
@main
enum WebSocketChat {
    static func main() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.webSocket("/room", handler: Room().serve)

        var rules = Reconnection.automatic
        rules.initialDelay = .milliseconds(300)
        let manager = SessionManager(baseURL: server.baseURL)
        // The greeting tells each connection who is there.
        let socket = manager.webSocket("room", reconnection: rules) { [.text("Ada")] }

        // A message counts as delivered when the room has answered it; until then it is sent again on each connection.
        // The room may have got it before, and then answers it twice.
        var lines = ["Hello!", "Are you there?", "I heard that you restart.", "Good bye."]
        for try await case .text(let text) in socket.messages {
            let isAnswer = lines.first.map { text == "Ada: \($0)" } ?? false
            guard isAnswer || text == "Welcome, Ada." else { continue }
            print(text)
            if isAnswer { lines.removeFirst() }
            guard let line = lines.first else { break }
            do {
                try await socket.send(line)
            } catch {
                print("(not sent: \(error.localizedDescription))")
            }
        }
        try await socket.close()

        let connections = server.requests(to: "/room").count
        print("\(connections) connections, and every message has its answer.")
        if !lines.isEmpty || connections != 2 { exit(1) }
    }
}

/// A room in which each message is answered by itself and its author's name. It restarts after two messages.
struct Room: Sendable {
    private let restarts = LoopbackServer.Gate()

    func serve(_ socket: LoopbackServer.WebSocket) throws {
        var name = ""
        var count = 0
        for case .text(let text) in socket {
            if name.isEmpty {
                name = text
                try socket.send("Welcome, \(name).")
                continue
            }
            try socket.send("\(name): \(text)")
            count += 1
            if count == 2, !restarts.isOpen {
                restarts.open()
                try socket.close(code: 1012, reason: "The room restarts.")
                return
            }
        }
    }
}
#else
@main
enum WebSocketChat {
    static func main() { print("On this platform, URLSession has the WebSockets.") }
}
#endif
