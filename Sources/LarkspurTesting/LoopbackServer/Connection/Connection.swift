internal import Foundation

/// One connection, which reads requests and responds to them in order, on a thread of its own.
final class Connection: Sendable {
    /// The error after the client has disconnected, or when the server stops.
    private struct Interruption: Error {}

    let id: Int
    let socket: Socket
    private let router: Router
    private let journal: Journal
    /// The closure that starts or ends watching the client. While it is watched, ``interrupt()`` is called when the
    /// client hangs up.
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
            // The client has disconnected or the server stops, so that no response is possible.
        }
        socket.closeAfterDraining()
    }

    /// Ends all waits of the connection. It may be called on any thread.
    func interrupt() {
        interruption.open()
    }

    /// Makes the connection end as soon as possible. It may be called on any thread.
    func shutDown() {
        interruption.open()
        socket.shutDown()
    }

    // MARK: Requests

    /// Serves one request. Returns whether the connection can be used again.
    private func serveOneRequest(_ parser: inout RequestParser) throws -> Bool {
        guard case .head(let head)? = try nextEvent(&parser) else { return false }
        let resolution = router.resolve(head)
        var request = LoopbackServer.Request(head: head, connection: id)
        request.parameters = resolution.parameters
        if resolution.requestBody != .refuse {
            if head.expectsContinue, resolution.requestBody == .read {
                try socket.send(ResponseHead(status: 100, reason: nil, fields: [:]).bytes)
            }
            guard try readBody(of: &request, &parser) else { return false }
        }
        journal.record(request)

        let plan = ResponsePlan(response(to: request, resolution), to: head)
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

    /// Returns the next event of the parser, or nil at the end of the stream.
    private func nextEvent(_ parser: inout RequestParser) throws -> RequestParser.Event? {
        while true {
            if let event = try parser.next() { return event }
            guard let bytes = try socket.receive() else { return nil }
            parser.append(bytes)
        }
    }

    // MARK: Responses

    private func response(to request: LoopbackServer.Request, _ resolution: Router.Resolution)
        -> LoopbackServer.Response
    {
        switch resolution.reply {
        case .response(let response): return response
        case .handler(let handler):
            do {
                return try handler(request)
            } catch {
                return .text("The handler threw an error: \(error)\n", status: 500)
            }
        }
    }

    private func answer(_ failure: RequestParser.Failure) {
        let response = LoopbackServer.Response.text(failure.reason + "\n", status: failure.status)
            .adding("Connection", "close")
        // The request could not be parsed, so a stand-in provides the values that the plan needs.
        let plan = ResponsePlan(response, to: RequestHead(method: "GET", target: "/"))
        // An error is ignored, because the client may have disconnected already.
        try? perform(plan.steps)
    }

    private func perform(_ steps: [LoopbackServer.Response.Step]) throws {
        for step in steps {
            switch step {
            case .bytes(let data): try socket.send(data)
            case .open(let gate): gate.open()
            case .wait(let gate): try wait(for: gate, timeout: nil)
            case .pause(let seconds): try wait(for: nil, timeout: seconds)
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

    private func wait(for gate: LoopbackServer.Gate?, timeout: TimeInterval?) throws {
        if gate?.isOpen == true { return }
        watchForHangUp(self, true)
        defer { watchForHangUp(self, false) }
        LoopbackServer.Gate.waitForFirst(of: [interruption] + [gate].compactMap { $0 }, timeout: timeout)
        if interruption.isOpen { throw Interruption() }
    }
}
