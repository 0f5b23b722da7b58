internal import Foundation

/// One connection. It reads requests and responds to them in order, on a separate thread.
final class Connection: Sendable {
    /// The error after the client has disconnected, or when the server stops.
    private struct Interruption: Error {}

    let id: Int
    let socket: Socket
    private let router: Router
    private let journal: Journal
    /// Starts or ends watching the client. If a watched client disconnects, ``interrupt()`` is called.
    private let watchForHangUp: @Sendable (Connection, Bool) -> Void
    private let interruption = LoopbackServer.Gate()

    init(
        id: Int,
        socket: Socket,
        router: Router,
        journal: Journal,
        watchForHangUp: @escaping @Sendable (Connection, Bool) -> Void
    ) {
        self.id = id
        self.socket = socket
        self.router = router
        self.journal = journal
        self.watchForHangUp = watchForHangUp
    }

    /// Serves the connection until it is closed.
    func serve() {
        var parser = RequestParser()
        do {
            while try serveOneRequest(&parser) {}
        } catch let failure as RequestParser.Failure {
            answer(failure)
        } catch {
            // The client has disconnected or the server stops. No response is possible.
        }
        socket.closeAfterDraining()
    }

    /// Ends all waits of the connection. May be called on any thread.
    func interrupt() {
        interruption.open()
    }

    /// Makes the connection end as soon as possible. May be called on any thread.
    func shutDown() {
        interruption.open()
        socket.shutDown()
    }

    // MARK: Requests

    /// Serves one request. Returns whether the connection can be used again.
    private func serveOneRequest(_ parser: inout RequestParser) throws -> Bool {
        guard case .head(let head)? = try nextEvent(&parser) else { return false }
        let resolution = router.resolve(head)
        var request = LoopbackServer.Request(head: head, connection: id, isSecure: socket.isSecure)
        request.parameters = resolution.parameters
        if resolution.requestBody != .refuse {
            if head.expectsContinue, resolution.requestBody == .read {
                try socket.send(SentHead(status: 100, reason: nil, fields: [:]).bytes)
            }
            guard try readBody(of: &request, &parser) else { return false }
        }
        journal.record(request)

        let response: LoopbackServer.Response
        switch resolution.reply {
        case .response(let given): response = given
        case .handler(let handler): response = Self.response(of: handler, to: request)
        case .webSocket(let route):
            switch route.opening(request) {
            case .refusal(let refusal): response = refusal
            case .acceptance(let head, let subprotocol):
                try serveWebSocket(route, head, request, subprotocol, received: parser.takeRest())
                return false
            }
        }
        let plan = ResponsePlan(response, to: head)
        try perform(plan.steps)
        switch plan.ending {
        case .keepAlive: return true
        case .close: return false
        case .reset:
            socket.reset()
            return false
        }
    }

    private func readBody(of request: inout LoopbackServer.Request, _ parser: inout RequestParser) throws -> Bool {
        while let event = try nextEvent(&parser) {
            switch event {
            case .head: break
            case .body(let data): request.body.append(data)
            case .end(let trailers):
                request.trailers = trailers
                return true
            }
        }
        return false
    }

    /// Returns the next event of the parser; nil at the end of the stream.
    private func nextEvent(_ parser: inout RequestParser) throws -> RequestParser.Event? {
        while true {
            if let event = try parser.next() { return event }
            guard let bytes = try socket.receive() else { return nil }
            parser.append(bytes)
        }
    }

    // MARK: Responses

    private static func response(
        of handler: Route.Handler,
        to request: LoopbackServer.Request
    ) -> LoopbackServer.Response {
        do {
            return try handler(request)
        } catch {
            return .text("The handler threw an error: \(error)\n", status: 500)
        }
    }

    private func answer(_ failure: RequestParser.Failure) {
        let response = LoopbackServer.Response.text(failure.reason + "\n", status: failure.status)
            .adding("Connection", "close")
        // The request could not be parsed. The plan gets a substitute that has the values that it needs.
        let plan = ResponsePlan(response, to: ReceivedHead(method: "GET", target: "/"))
        // An error is ignored, because the client may have disconnected.
        try? perform(plan.steps)
    }

    // MARK: WebSocket

    /// Serves the connection as a WebSocket until the handler of the route has returned.
    private func serveWebSocket(
        _ route: WebSocketRoute,
        _ head: SentHead,
        _ request: LoopbackServer.Request,
        _ subprotocol: String?,
        received: [UInt8]
    ) throws {
        try socket.send(head.bytes)
        let webSocket = LoopbackServer.WebSocket(
            request: request,
            subprotocol: subprotocol,
            maximumMessageSize: route.maximumMessageSize,
            socket: socket,
            received: received
        )
        do {
            try route.handler(webSocket)
        } catch {
            // Closing fails if the server has already sent its close frame, or the client has disconnected.
            if webSocket.ending == .close {
                try? webSocket.close(code: 1_011, reason: "The handler threw an error: \(error)")
            }
        }
        webSocket.finish()
        // For the other endings, the connection is closed as after a response.
        if webSocket.ending == .reset { socket.reset() }
    }

    // MARK: Steps

    private func perform(_ steps: [LoopbackServer.Response.Step]) throws {
        for step in steps {
            switch step {
            case .bytes(let data): try socket.send(data)
            case .open(let gate): gate.open()
            case .wait(let gate): try wait(for: gate, timeout: nil)
            case .pause(let duration): try wait(for: nil, timeout: duration)
            case .repeated(let steps, let times):
                var count = 0
                while times.map({ count < $0 }) ?? true {
                    if interruption.isOpen { throw Interruption() }
                    try perform(steps)
                    count &+= 1
                }
            }
        }
    }

    private func wait(for gate: LoopbackServer.Gate?, timeout: Duration?) throws {
        if gate?.isOpen == true { return }
        watchForHangUp(self, true)
        defer { watchForHangUp(self, false) }
        LoopbackServer.Gate.waitForFirst(of: [interruption] + [gate].compactMap { $0 }, timeout: timeout)
        if interruption.isOpen { throw Interruption() }
    }
}
