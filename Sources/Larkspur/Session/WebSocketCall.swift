#if canImport(FoundationNetworking)
import HTTPSyntax
import Synchronization

/// The connections of a WebSocket, one after the other. Each handshake passes through the manager's interceptors.
struct WebSocketCall: Sendable {
    /// The session manager. It has to live as long as another handshake may follow, because its release invalidates the
    /// session.
    let manager: SessionManager
    let request: URLRequest
    let reconnection: Reconnection
    let greeting: (@Sendable () async throws -> [WebSocketTask.Message])?
    /// The observers of the WebSocket; nil if there are none.
    let observation: CallObservation?

    /// Opens one connection after the other until the WebSocket has ended. If no reconnection is allowed, returns when
    /// the first connection is open.
    func run(_ socket: WebSocketTask) async {
        // A deadline around the code that opens the WebSocket must not limit its later connections.
        await Deadline.$current.withValue(nil) {
            let sockets = manager.sessions.sockets
            // An invalidation that cancels tasks calls this closure.
            let key = sockets.add { socket.channel.cancel() }
            await connect(socket)
            sockets.remove(key)
        }
    }

    private func connect(_ socket: WebSocketTask) async {
        var schedule = ReconnectionSchedule(reconnection, method: request.httpMethod)
        var hasOpened = false
        while true {
            let end: WebSocketEnd
            do {
                let attempt = try await Handshake(self, socket).open()
                let greeting = try await greeting(on: attempt, socket)
                let loss = await socket.channel.use(attempt, greeting: greeting, isLast: reconnection.use == .never)
                guard let loss else { return }
                hasOpened = true
                if loss.hasReceived { schedule.noteContent() }
                end = loss.end
            } catch {
                end = .failed(error)
            }
            guard hasOpened, let reason = end.reconnectionReason, let delay = schedule.delay(after: reason, retry: nil)
            else { return socket.channel.end(end) }
            // The sleep fails only if the WebSocket ends during the delay.
            guard (try? await manager.clock.sleep(for: delay.bounded, tolerance: nil)) != nil else { return }
        }
    }

    private func greeting(on attempt: WebSocketAttempt, _ socket: WebSocketTask) async throws -> [WebSocketTask.Message]
    {
        do {
            return try await greeting?() ?? []
        } catch {
            socket.channel.abandon(attempt)
            throw error
        }
    }
}

/// One handshake on its way through the interceptors.
private struct Handshake: Sendable {
    private struct State {
        /// The attempt whose connection is open.
        var opened: WebSocketAttempt?
        /// The last failure, and the `LarkspurError` that the interceptors received for it.
        var failure: (reason: any Error, error: LarkspurError)?
    }

    /// The state of a handshake, which its attempts share.
    private final class Attempts: Sendable {
        let state = Mutex(State())
    }

    private let call: WebSocketCall
    private let socket: WebSocketTask
    private let chain: InterceptorChain
    private let attempts = Attempts()

    init(_ call: WebSocketCall, _ socket: WebSocketTask) {
        self.call = call
        self.socket = socket
        chain = InterceptorChain(call.manager.interceptors.chain(with: RequestInterceptors()))
    }

    /// Sends the handshake, and returns the attempt whose connection is open.
    /// - Throws: `WebSocketError`, `URLError`, or the error of an interceptor.
    func open() async throws -> WebSocketAttempt {
        var context = chain.makeContext(clock: call.manager.clock, sender: ObjectIdentifier(call.manager.sessions))
        if let observation = call.observation {
            context.identity = observation.identity
            context.note = { observation.post($0, of: nil) }
        }
        do {
            // A connection belongs to one WebSocket: no equal request may share its response.
            let response = try await chain.send(call.request, context, isPersonal: { true }) { try await attempt($0) }
            let opened = attempts.state.withLock { $0.opened }
            guard let opened else { throw WebSocketError.refused(response.httpResponse, response.data) }
            guard response.statusCode == 101 else {
                socket.channel.abandon(opened)
                throw WebSocketError.refused(response.httpResponse, response.data)
            }
            return opened
        } catch {
            if let opened = attempts.state.withLock({ $0.opened }) { socket.channel.abandon(opened) }
            throw reason(of: error)
        }
    }

    /// Sends the handshake. Called once for each attempt.
    private func attempt(_ request: URLRequest) async throws(LarkspurError) -> InterceptedResponse {
        guard attempts.state.withLock({ $0.opened == nil }) else {
            throw LarkspurError(.unsupported, "An interceptor sent the handshake again after the opening.")
        }
        try request.validate()
        var sent = request
        call.manager.addCredentials(to: &sent)
        let attempt = try call.manager.sessions.makeAttempt(sent, withholding: chain.withheldFields, on: socket)
        call.observation?.post(.attemptStarted, of: nil, .request(sent))
        let outcome = await attempt.open()
        let request = attempt.request ?? sent
        switch outcome {
        case .open(let response):
            attempts.state.withLock { $0.opened = attempt }
            call.observation?.post(.webSocketOpened, of: nil, .webSocket(request, response, reason: nil))
            return InterceptedResponse(request: request, response: response)
        case .refused(let response, let content):
            socket.channel.abandon(attempt)
            return InterceptedResponse(request: request, response: response, data: content)
        case .failed(let reason):
            socket.channel.abandon(attempt)
            let error = LarkspurError(transportError: reason)
                .filled(request: request, response: nil, responseData: nil)
            attempts.state.withLock { $0.failure = (reason, error) }
            throw error
        }
    }

    /// Returns the original error of the connection, if the interceptors have thrown the `LarkspurError` for it;
    /// otherwise the error that they have thrown.
    private func reason(of error: any Error) -> any Error {
        if error is WebSocketError { return error }
        let error = LarkspurError(interception: error)
        guard let failure = attempts.state.withLock({ $0.failure }), failure.error.code == error.code,
            let underlying = error.underlyingError,
            (underlying as NSError).code == (failure.reason as NSError).code,
            (underlying as NSError).domain == (failure.reason as NSError).domain
        else { return error }
        return failure.reason
    }
}

extension WebSocketEnd {
    /// The error by which the rules decide whether another connection follows. Nil if no other connection may follow.
    /// After a close frame that allows another connection, the error is `connectionLost`.
    fileprivate var reconnectionReason: LarkspurError? {
        switch self {
        case .failed(let error): LarkspurError(transportError: error)
        case .closed(let closure):
            switch closure?.code {
            case .serviceRestart, .tryAgainLater:
                LarkspurError(.connectionLost, "The server closed the WebSocket, and can be connected to again.")
            default: nil
            }
        }
    }
}
#endif
