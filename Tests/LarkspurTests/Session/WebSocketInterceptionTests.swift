#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import Larkspur

/// Tokens of which the server accepts `new`.
private struct Tokens: RequestAuthenticator {
    let renew: @Sendable (String) async throws -> String

    func apply(_ credential: String, to request: inout URLRequest) {
        request.setValue("Bearer \(credential)", forHTTPHeaderField: "Authorization")
    }

    func refresh(_ credential: String, after refusal: InterceptedResponse?) async throws -> String {
        try await renew(credential)
    }
}

@Suite("Interceptors of WebSockets", .timeLimit(.minutes(5)))
struct WebSocketInterceptionTests {
    let server: LoopbackServer
    let manager: SessionManager

    init() throws {
        server = try LoopbackServer()
        manager = TestTransport.curl.makeManager(for: server)
    }

    /// Adds a route that returns every message.
    private func echo(_ path: String) {
        server.webSocket(path) { socket in
            for message in socket { try socket.send(message) }
        }
    }

    private func expectEcho(_ socket: WebSocketTask) async throws {
        try await socket.send("hello")
        #expect(try await socket.receive() == .text("hello"))
        try await socket.close()
        try await server.waitForOpenConnections(0)
    }

    @Test("A handshake that is refused for an old token is repeated with a new token")
    func refresh() async throws {
        server.route("/chat", .status(401))
        let tokens = Tokens { [server] old in
            #expect(old == "old")
            server.webSocket("/chat") { socket in
                for message in socket { try socket.send(message) }
            }
            return "new"
        }
        let baseURL = try #require(manager.baseURL)
        manager.interceptors.call = [AuthenticationInterceptor("old", authenticator: tokens, for: baseURL)]
        let host = try #require(baseURL.host)
        let port = try #require(baseURL.port)
        // The scheme ws has the origin of http.
        try await expectEcho(manager.webSocket("ws://\(host):\(port)/chat"))
        #expect(server.requests(to: "/chat").map { $0.headers["Authorization"] } == ["Bearer old", "Bearer new"])
    }

    @Test("An interceptor's invalid field fails the handshake, and nothing is sent")
    func invalidField() async throws {
        manager.interceptors.call = [.adapting { $0.setValue("value", forHTTPHeaderField: "Bad Name") }]
        let error = await #expect(throws: LarkspurError.self) { try await manager.webSocket("chat").open() }
        #expect(error?.code == .invalidHeaderField)
        #expect(server.requests.isEmpty)
    }

    @Test(
        "A handshake that fails temporarily is repeated",
        arguments: [LoopbackServer.Response.status(503), .fault(.closeBeforeHeader)]
    )
    func retry(_ failure: LoopbackServer.Response) async throws {
        let clock = InstantClock()
        manager.clock = clock
        manager.interceptors.call = [.retry()]
        server.route("/chat") { [server] _ in
            server.webSocket("/chat") { socket in
                for message in socket { try socket.send(message) }
            }
            return failure
        }
        try await expectEcho(manager.webSocket("chat"))
        #expect(server.requests(to: "/chat").count == 2)
        #expect(clock.sleeps.count == 1)
    }

    @Test("Interceptors see the request and the response of each handshake, and may change the request")
    func chain() async throws {
        echo("/chat")
        let log = Recorder<String>()
        func logger(_ name: String) -> ClosureInterceptor {
            ClosureInterceptor { request, context, next in
                log.record("\(name) \(request.url?.scheme ?? "") \(context.attempts)")
                var request = request
                request.setValue(name, forHTTPHeaderField: "X-\(name)")
                let response = try await next(request)
                log.record("\(name) \(response.statusCode ?? 0) \(context.attempts)")
                return response
            }
        }
        manager.interceptors.call = [logger("call")]
        manager.interceptors.attempt = [logger("attempt"), .traceContext()]
        let socket = manager.webSocket("chat")
        #expect(socket.handshakeTask == nil)
        try await socket.open()
        #expect(log.values == ["call http 0", "attempt http 0", "attempt 101 1", "call 101 1"])
        #expect(socket.handshakeTask != nil && socket.response?.statusCode == 101)
        let request = try #require(server.requests.first)
        #expect(request.headers["X-call"] == "call" && request.headers["X-attempt"] == "attempt")
        #expect(request.headers["traceparent"] != nil)
        try await socket.close()
    }

    @Test("A response without a connection refuses the WebSocket", arguments: [101, 200, 404])
    func substitute(status: Int) async throws {
        echo("/chat")
        let url = server.url("/chat")
        manager.interceptors.call = [
            .custom { request, _, _ in
                let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil)
                return InterceptedResponse(request: request, response: response, data: Data("own".utf8))
            }
        ]
        let socket = manager.webSocket("chat")
        await #expect {
            try await socket.open()
        } throws: { error in
            let error = error as? WebSocketError
            return error?.kind == .refused && error?.response?.statusCode == status
                && error?.content == Data("own".utf8)
        }
        await #expect(throws: WebSocketError.self) { try await socket.send("too late") }
        #expect(server.requests.isEmpty)
    }

    @Test("Repeating a handshake after the opening is an error, and closes the connection")
    func repeated() async throws {
        echo("/chat")
        manager.interceptors.call = [
            .custom { request, _, next in
                _ = try await next(request)
                return try await next(request)
            }
        ]
        let socket = manager.webSocket("chat")
        await #expect { try await socket.open() } throws: { ($0 as? LarkspurError)?.code == .unsupported }
        #expect(server.requests.count == 1)
        try await server.waitForOpenConnections(0)
    }

    @Test("An interceptor that fails after the opening closes the connection with its error")
    func lateFailure() async throws {
        struct Failure: Error {}
        echo("/chat")
        manager.interceptors.attempt = [
            .custom { request, _, next in
                _ = try await next(request)
                throw Failure()
            }
        ]
        let socket = manager.webSocket("chat")
        await #expect {
            try await socket.receive()
        } throws: {
            let error = $0 as? LarkspurError
            return error?.code == .interceptionFailed && error?.underlyingError is Failure
        }
        try await server.waitForOpenConnections(0)
    }

    @Test("Messages that arrive while an interceptor has the response are delivered later, in order")
    func early() async throws {
        server.webSocket("/chat") { socket in
            try socket.send("one")
            try socket.send("two")
            for message in socket { try socket.send(message) }
        }
        let isOpen = Recorder<Void>()
        let gate = LoopbackServer.Gate()
        manager.interceptors.call = [
            .custom { request, _, next in
                let response = try await next(request)
                isOpen.record(())
                await gate.wait()
                return response
            }
        ]
        let socket = manager.webSocket("chat")
        async let sent: Void = socket.send("three")
        try await isOpen.wait()
        gate.open()
        try await sent
        for text in ["one", "two", "three"] { #expect(try await socket.receive() == .text(text)) }
        try await socket.close()
    }

    @Test("After a redirect to another origin, fields that an interceptor withholds are not sent")
    func redirect() async throws {
        let other = try LoopbackServer()
        defer { other.stop() }
        server.route("/chat", .redirect(to: other.url("/websocket/echo").absoluteString))
        manager.interceptors.call = [
            .custom { request, context, next in
                context.withholdFromOtherOrigins(["X-Key"])
                var request = request
                request.setValue("secret", forHTTPHeaderField: "X-Key")
                return try await next(request)
            }
        ]
        let socket = manager.webSocket("chat", headers: ["X-Open": "yes"])
        try await socket.open()
        #expect(server.requests.first?.headers["X-Key"] == "secret")
        #expect(other.requests.first?.headers["X-Key"] == nil)
        #expect(other.requests.first?.headers["X-Open"] == "yes")
        try await socket.close()
    }

    @Test("Equal handshakes never share a connection")
    func coalescing() async throws {
        echo("/chat")
        manager.interceptors.call = [.coalescing()]
        let sockets = (0..<4).map { _ in manager.webSocket("chat") }
        for socket in sockets { socket.resume() }
        for socket in sockets { try await socket.open() }
        #expect(server.requests.count == 4)
        for socket in sockets { try await socket.close() }
    }

    @Test("Cancelling a WebSocket while an interceptor works ends it at once, and sends nothing")
    func cancellation() async throws {
        echo("/chat")
        let begins = Recorder<Void>()
        let ends = Recorder<Bool>()
        let gate = LoopbackServer.Gate()
        manager.interceptors.call = [
            .custom { request, _, next in
                begins.record(())
                await gate.wait()
                ends.record(Task.isCancelled)
                return try await next(request)
            }
        ]
        let socket = manager.webSocket("chat")
        let waiting = Task { try await socket.send("never") }
        try await begins.wait()
        socket.cancel()
        await #expect { try await waiting.value } throws: { ($0 as? URLError)?.code == .cancelled }
        #expect(try await ends.first())
        await #expect { try await socket.receive() } throws: { ($0 as? URLError)?.code == .cancelled }
        #expect(server.requests.isEmpty)
    }
}
#endif
