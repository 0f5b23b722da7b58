#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import HTTPSyntax
import LarkspurTesting
import LarkspurTransport
import Testing
import TestSupport

@Suite("A WebSocket of the engine")
struct WebSocketTaskTests {
    private let server: LoopbackServer
    private let session = CurlURLSession(configuration: .testing)

    init() throws { server = try LoopbackServer() }

    private func socket(_ path: String, _ change: (inout WebSocketOptions) -> Void = { _ in }) -> WebSocketTask {
        var options = WebSocketOptions()
        change(&options)
        var components = URLComponents(url: server.url(path), resolvingAgainstBaseURL: false)
        components?.scheme = "ws"
        return session.webSocket(with: components?.url ?? server.url(path), options: options)
    }

    @Test("Messages of every size and kind are echoed unchanged, in order")
    func echo() async throws {
        let socket = socket("/websocket/echo")
        try await socket.open()
        let messages: [WebSocketTask.Message] =
            [.text(""), .data(Data()), .text("grüße 👋"), .data(Data([0, 255]))]
            + [125, 126, 127, 65_535, 65_536, 300_000].flatMap { size -> [WebSocketTask.Message] in
                [.text(String(repeating: "x", count: size)), .data(Data(repeating: 7, count: size))]
            }
        async let sending: Void = {
            for message in messages { try await socket.send(message) }
        }()
        for message in messages { #expect(try await socket.receive() == message) }
        try await sending
        try await socket.close(.normalClosure, reason: "done")
        #expect(socket.closeFrame?.code == .normalClosure)
        #expect(socket.response?.statusCode == 101)
        try await server.waitForOpenConnections(0)
    }

    @Test("Orders that are given before the connection opens are performed in order")
    func early() async throws {
        let socket = socket("/websocket/echo")
        async let sent: Void = socket.send("first")
        socket.resume()
        try await sent
        #expect(try await socket.receive() == .text("first"))
        #expect(try await socket.ping() > .zero)
        try await socket.close()
    }

    @Test("The loop over messages ends at the server's orderly close, and throws for another code")
    func ends() async throws {
        for (code, isOrderly) in [(1000, true), (1001, true), (1011, false), (4000, false)] {
            let socket = socket("/websocket/close/\(code)?reason=because")
            socket.resume()
            do {
                for try await message in socket.messages { Issue.record("\(message)") }
                #expect(isOrderly)
            } catch let error as WebSocketError {
                #expect(!isOrderly && error.kind == .closed && error.localizedDescription.contains("because"))
            }
            #expect(socket.closeFrame?.code?.rawValue == code)
            await #expect(throws: WebSocketError.self) { try await socket.send("too late") }
            try await socket.close()
        }
    }

    @Test("The server chooses a subprotocol")
    func subprotocol() async throws {
        server.webSocket("/chat", protocols: ["chat.v2"]) { socket in try socket.send(socket.subprotocol ?? "none") }
        let socket = socket("/chat") { $0.protocols = ["chat.v1", "chat.v2"] }
        try await socket.open()
        #expect(socket.subprotocol == "chat.v2")
        #expect(try await socket.receive() == .text("chat.v2"))
    }

    @Test("A refused handshake is an error with the response and its content")
    func refused() async throws {
        let socket = socket(LoopbackServer.WebSocketFault.refusal.path)
        do {
            try await socket.open()
            Issue.record("It was opened.")
        } catch let error as WebSocketError {
            #expect(error.kind == .refused && error.response?.statusCode == 403)
            #expect(error.content == Data(LoopbackServer.WebSocketFault.refusalBody.utf8))
        }
        try await server.waitForOpenConnections(0)
        // The handle of the handshake serves no other request.
        #expect(try await session.outcome(of: server.url("/get")).status == 200)
    }

    @Test("A 101 over a version other than HTTP/1.1 does not open a connection", arguments: ["HTTP/1.0", "HTTP/2"])
    func version(_ version: String) async throws {
        server.route("/old") { request in
            let fields = request.headers.map { (name: $0.name, value: $0.value) }
            let accepted = try WebSocketRequest(method: request.method, fields: fields).responseFields()
            let head = accepted.map { "\($0.name): \($0.value)\r\n" }.joined()
            return .raw([.text("\(version) 101 Switching Protocols\r\n\(head)\r\n"), .bytes(Data([0x81, 1, 0x41]))])
        }
        let socket = socket("/old")
        let error = try await #require(throws: WebSocketError.self) { try await socket.open() }
        #expect(error.kind == .refused && error.localizedDescription.contains(version))
        #expect(error.response?.statusCode == 101)
    }

    @Test("The kind of an error is printed by its name")
    func kinds() {
        let kinds: [WebSocketError.Kind] = [.refused, .violation, .closed, .invalidArgument, .ended]
        #expect(kinds.map { "\($0)" } == ["refused", "violation", "closed", "invalidArgument", "ended"])
    }

    @Test(
        "After each fault of a server, the WebSocket fails or can be closed",
        arguments: LoopbackServer.WebSocketFault.allCases
    )
    func fault(_ fault: LoopbackServer.WebSocketFault) async throws {
        let socket = socket(fault.path) {
            $0.maximumMessageSize = 1 << 20
            $0.closeTimeout = .milliseconds(200)
            if fault == .silence { $0.pingInterval = .milliseconds(100) }
        }
        switch fault.outcome {
        case .refusal: await #expect(throws: (any Error).self) { try await socket.open() }
        case .failure:
            try await socket.open()
            await #expect(throws: (any Error).self) { for try await _ in socket.messages {} }
        case .endless:
            try await socket.open()
            if fault == .silence {
                await #expect(throws: URLError.self) { for try await _ in socket.messages {} }
            } else {
                try await socket.close()
            }
        }
        socket.cancel()
        try await server.waitForOpenConnections(0)
    }

    @Test("Cancelling a WebSocket ends all waiting calls")
    func cancelled() async throws {
        let socket = socket(LoopbackServer.WebSocketFault.silence.path)
        try await socket.open()
        let message = Task { try await socket.receive() }
        let pong = Task { try await socket.ping() }
        try await server.waitForRequests(1)
        socket.cancel()
        await #expect(throws: URLError.self) { _ = try await message.value }
        await #expect(throws: URLError.self) { _ = try await pong.value }
        await #expect(throws: URLError.self) { try await socket.send("too late") }
        try await server.waitForOpenConnections(0)
    }

    @Test("Unconsumed messages make the server wait")
    func backPressure() async throws {
        let total = 64 << 20
        let sent = Recorder<Int>()
        server.webSocket("/flood") { socket in
            for count in 1...64 {
                try socket.send(Data(repeating: 1, count: total / 64))
                sent.record(count)
            }
        }
        let socket = socket("/flood")
        try await socket.open()
        guard case .data = try await socket.receive() else {
            Issue.record("no data")
            return
        }
        // While these are answered, the engine has time to read more than it should.
        for _ in 0..<100 { #expect(try await session.outcome(of: server.url("/get")).status == 200) }
        // The rest does not fit into what the engine and the system buffer.
        #expect(sent.values.count < 64)
        var bytes = total / 64
        for try await case .data(let data) in socket.messages { bytes += data.count }
        #expect(bytes == total)
    }

    @Test("The handshake follows redirects, sends cookies and handles a challenge")
    func session() async throws {
        server.route("/moved", .redirect(to: "/websocket/echo"))
        let moved = socket("/moved")
        try await moved.open()
        try await moved.send("there")
        #expect(try await moved.receive() == .text("there"))
        try await moved.close()
    }

    @Test("A URL with another scheme is an error, and so is a subprotocol that is not a token")
    func invalid() async throws {
        let other = session.webSocket(with: try #require(URL(string: "ftp://127.0.0.1/")))
        await #expect(throws: URLError.self) { try await other.open() }
        let socket = socket("/websocket/echo") { $0.protocols = ["a b"] }
        await #expect(throws: WebSocketError.self) { try await socket.open() }
        await #expect(throws: WebSocketError.self) { try await socket.close(.init(rawValue: 1005)) }
        #expect(server.requests.isEmpty)
    }

    @Test("Open WebSockets do not count as connections for requests, and delay the session's end")
    func many() async {
        // In a process of its own, as they need more descriptors than the others leave.
        await #expect(processExitsWith: .success) {
            raiseDescriptorLimit()
            let server = try LoopbackServer()
            let configuration = URLSessionConfiguration.testing { $0.httpMaximumConnectionsPerHost = 1 }
            let log = DelegateLog()
            let session = CurlURLSession(configuration: configuration, delegate: log, delegateQueue: nil)
            var sockets: [WebSocketTask] = []
            // More than two multi handles take.
            for _ in 0..<300 {
                let socket = session.webSocket(with: server.url("/websocket/echo"))
                try await socket.open()
                sockets.append(socket)
            }
            try #require(try await session.outcome(of: server.url("/get")).status == 200)
            for (index, socket) in sockets.enumerated() { try await socket.send("\(index)") }
            for (index, socket) in sockets.enumerated() {
                try #require(try await socket.receive() == .text("\(index)"))
            }
            session.finishTasksAndInvalidate()
            for socket in sockets {
                try #require(log.invalidations == 0)
                try await socket.close()
            }
            try await eventually(1) { log.invalidations }
            try await server.waitForOpenConnections(0)
        }
    }
}
#endif
