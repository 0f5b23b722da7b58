#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("WebSockets of a session manager", .timeLimit(.minutes(5)))
struct WebSocketTests {
    let server: LoopbackServer
    let manager: SessionManager

    init() throws {
        server = try LoopbackServer()
        manager = TestTransport.curl.makeManager(for: server)
    }

    @Test("The request has the manager's headers and the call's headers, and a URL relative to the base URL")
    func request() async throws {
        manager.headers["X-Both"] = "manager"
        manager.headers["X-Manager"] = "yes"
        let socket = manager.webSocket("websocket/echo", parameters: ["a": "b c"], headers: ["X-Both": "call"])
        try await socket.send("hello")
        #expect(try await socket.receive() == .text("hello"))
        let request = try #require(server.requests.first)
        #expect(request.headers["X-Both"] == "call" && request.headers["X-Manager"] == "yes")
        #expect(request.query("a") == "b c")
        #expect(manager.tasks.isEmpty)
        try await socket.close()
    }

    @Test("A refusal is an error with its response, also if the server requires missing credentials")
    func refused() async throws {
        server.route("/secret", .status(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""]))
        server.route("/moved", .redirect(to: "/secret"))
        for path in ["secret", "moved"] {
            do {
                try await manager.webSocket(path).open()
                Issue.record("It was opened.")
            } catch let error as WebSocketError {
                #expect(error.kind == .refused && error.response?.statusCode == 401)
            }
        }
    }

    @Test("If the request cannot be built, or the transport has no WebSockets, every later operation fails")
    func impossible() async throws {
        let invalid = manager.webSocket("http://[::1")
        await #expect { try await invalid.open() } throws: { ($0 as? LarkspurError)?.code == .invalidURL }
        await #expect { try await invalid.send("a") } throws: { ($0 as? LarkspurError)?.code == .invalidURL }
        try await invalid.close()
        let foundation = TestTransport.foundation.makeManager(for: server).webSocket("websocket/echo")
        await #expect { try await foundation.open() } throws: { ($0 as? LarkspurError)?.code == .unsupported }
        manager.invalidate(cancelingTasks: false)
        let late = manager.webSocket("websocket/echo")
        await #expect { try await late.open() } throws: { ($0 as? LarkspurError)?.code == .sessionInvalidated }
        #expect(server.requests.isEmpty)
    }

    @Test("An invalidation that cancels ends WebSockets")
    func invalidation() async throws {
        let socket = manager.webSocket("websocket/echo")
        try await socket.open()
        manager.invalidate(cancelingTasks: true)
        await #expect(throws: URLError.self) { try await socket.receive() }
        try await server.waitForOpenConnections(0)
    }

    @Test("Values are sent and received as JSON, and an invalid value ends the loop, but not a later loop")
    func json() async throws {
        struct Note: Codable, Sendable, Equatable { var text: String }
        let socket = manager.webSocket("websocket/echo")
        try await socket.send(json: Note(text: "one"))
        try await socket.send("no JSON")
        try await socket.send(Data(#"{"text": "two"}"#.utf8))
        var notes: [Note] = []
        await #expect(throws: DecodingError.self) {
            for try await note in socket.messages(as: Note.self) { notes.append(note) }
        }
        for try await note in socket.messages(as: Note.self) {
            notes.append(note)
            break
        }
        #expect(notes == [Note(text: "one"), Note(text: "two")])
        try await socket.close()
    }
}
#endif
