#if canImport(FoundationNetworking)
import HTTPSyntax
import Synchronization

/// The connections of a WebSocket, one after the other. Each handshake passes through the manager's interceptors.
struct WebSocketCall: Sendable {
    /// The session manager. It has to live as long as another handshake may follow, because its release invalidates the
    /// session.
    let manager: SessionManager
    let request: URLRequest
    let reconnection: EventSource.Reconnection
    let greeting: (@Sendable () async throws -> [WebSocketTask.Message])?
    /// The observers of the WebSocket; nil if there are none.
    let observation: CallObservation?

    /// Opens one connection after the other until the WebSocket has ended. If no reconnection is allowed, returns when
    /// the first connection is open.
    func run(_ line: WebSocketLine) async {
        // A deadline around the code that opens the WebSocket must not limit its later connections.
        await Deadline.$current.withValue(nil) {
            let sockets = manager.sessions.sockets
            // An invalidation that cancels tasks calls this closure.
            let key = sockets.add { line.cancel() }
            await connect(line)
            sockets.remove(key)
        }
    }

    private func connect(_ line: WebSocketLine) async {
        var schedule = ReconnectionSchedule(reconnection, method: request.httpMethod)
        var hasOpened = false
        while true {
            let end: WebSocketEnd
            do {
                let attempt = try await Handshake(self, line).open()
                let greeting = try await greeting(on: attempt, line)
                let loss = await line.use(attempt, greeting: greeting, isLast: reconnection.use == .never)
                guard let loss else { return }
                hasOpened = true
                if loss.hasReceived { schedule.noteContent() }
                end = loss.end
            } catch {
                end = .failed(error)
            }
            guard hasOpened, let reason = end.reconnectionReason, let delay = schedule.delay(after: reason, retry: nil)
            else { return line.end(end) }
            // The sleep fails only if the WebSocket ends during the delay.
            guard (try? await manager.clock.sleep(for: delay.bounded, tolerance: nil)) != nil else { return }
        }
    }

    private func greeting(on attempt: WebSocketAttempt, _ line: WebSocketLine) async throws -> [WebSocketTask.Message] {
        do {
            return try await greeting?() ?? []
        } catch {
            line.abandon(attempt)
            throw error
        }
    }
}

/// One handshake on its way through the interceptors.
private struct Handshake: Sendable {
    private struct State {
        var facts = RequestContext.State()
        var isUnderWay = false
        /// The attempt whose connection is open.
        var opened: WebSocketAttempt?
        /// The last failure, and the `LarkspurError` that the interceptors received for it.
        var failure: (reason: any Error, error: LarkspurError)?
    }

    /// The state of a handshake, which its attempts share.
    private final class Progress: Sendable {
        let state = Mutex(State())
    }

    private let call: WebSocketCall
    private let line: WebSocketLine
    private let interceptors: [any RequestInterceptor]
    private let progress = Progress()

    init(_ call: WebSocketCall, _ line: WebSocketLine) {
        self.call = call
        self.line = line
        interceptors = call.manager.interceptors.chain(with: RequestInterceptors())
    }

    /// Sends the handshake, and returns the attempt whose connection is open.
    /// - Throws: `WebSocketError`, `URLError`, or the error of an interceptor.
    func open() async throws -> WebSocketAttempt {
        var context = RequestContext(
            clock: call.manager.clock,
            canReplayContent: true,
            collectsContent: true,
            withhold: { [progress] names in
                progress.state.withLock { $0.facts.withheldFields.formUnion(names.map { $0.inLowercase }) }
            },
            state: { [progress] in progress.state.withLock { $0.facts } }
        )
        context.sender = ObjectIdentifier(call.manager.sessions)
        // A connection belongs to one WebSocket: no equal request may share its response.
        context.isPersonal = true
        if let observation = call.observation {
            context.identity = observation.identity
            context.note = { observation.post($0, of: nil) }
        }
        do {
            let response = try await next(0, context)(call.request)
            let opened = progress.state.withLock { $0.opened }
            guard let opened else { throw WebSocketError.refused(response.httpResponse, response.data) }
            guard response.statusCode == 101 else {
                line.abandon(opened)
                throw WebSocketError.refused(response.httpResponse, response.data)
            }
            return opened
        } catch {
            if let opened = progress.state.withLock({ $0.opened }) { line.abandon(opened) }
            throw reason(of: error)
        }
    }

    /// Returns the part of the chain that begins with the interceptor at an index.
    private func next(_ index: Int, _ context: RequestContext) -> RequestContext.Next {
        guard index < interceptors.count else { return { try await attempt($0) } }
        let interceptor = interceptors[index]
        return { try await interceptor.intercept($0, context: context, next: next(index + 1, context)) }
    }

    /// Sends the handshake. Called once for each attempt.
    private func attempt(_ request: URLRequest) async throws(LarkspurError) -> InterceptedResponse {
        let defect = progress.state.withLock { state -> LarkspurError? in
            if state.opened != nil {
                return LarkspurError(.unsupported, "An interceptor sent the handshake again after the opening.")
            }
            if state.isUnderWay {
                return LarkspurError(.unsupported, "An interceptor began an attempt while another one was under way.")
            }
            state.isUnderWay = true
            state.facts.attempts += 1
            return nil
        }
        if let defect { throw defect }
        defer { progress.state.withLock { $0.isUnderWay = false } }
        try request.validate()
        let fields = progress.state.withLock { $0.facts.withheldFields }
        let attempt = try call.manager.sessions.makeAttempt(request, withholding: fields, line)
        call.observation?.post(.attemptStarted, of: nil, .request(request))
        let outcome = await attempt.open()
        let request = attempt.request ?? request
        switch outcome {
        case .open(let response):
            progress.state.withLock { $0.opened = attempt }
            call.observation?.post(.webSocketOpened, of: nil, .webSocket(request, response, reason: nil))
            return InterceptedResponse(request: request, response: response)
        case .refused(let response, let content):
            line.abandon(attempt)
            return InterceptedResponse(request: request, response: response, data: content)
        case .failed(let reason):
            line.abandon(attempt)
            let error = LarkspurError(transportError: reason)
                .filled(request: request, response: nil, responseData: nil)
            progress.state.withLock { $0.failure = (reason, error) }
            throw error
        }
    }

    /// Returns the original error of the connection, if the interceptors have thrown the `LarkspurError` for it;
    /// otherwise the error that they have thrown.
    private func reason(of error: any Error) -> any Error {
        if error is WebSocketError { return error }
        let error = LarkspurError(interception: error)
        guard let failure = progress.state.withLock({ $0.failure }), failure.error.code == error.code,
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
