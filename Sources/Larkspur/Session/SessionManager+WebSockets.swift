#if canImport(FoundationNetworking)
/// WebSockets, which `CurlURLSession` has. On Linux only.
extension SessionManager {
    /// Creates a WebSocket (RFC 6455).
    ///
    ///     let socket = manager.webSocket("chat")
    ///     try await socket.open()
    ///     try await socket.send("Hello")
    ///     for try await message in socket.messages { print(message) }
    ///
    /// The handshake is a GET with the headers, the authorization and the settings of the manager, in its session. It
    /// goes through the ``interceptors``, which get its response when the connection is open (101) or refused: so a
    /// token is refreshed, or a 503 retried, as for a request. The hooks that are called with a task, ``timeouts`` and
    /// ``completionGroup`` have no part in it, and it is none of ``tasks``. An invalidation ends WebSockets as it ends
    /// tasks.
    ///
    /// With `reconnection`, a lost connection is followed by another one, after a delay by the same rules as for
    /// server-sent events. A connection is lost if it ends without a close frame, does not answer a ping, or is closed
    /// by the server with 1012 (service restart) or 1013 (try again later). Then `messages` and `receive()` go on with
    /// the next connection, and `send` waits for it. What was being sent at the loss throws the error and is never
    /// repeated. A connection has content if a message has come on it. The WebSocket ends if the server closes it with
    /// another code, breaks the protocol, or refuses a handshake, and if the first connection cannot be opened.
    /// - Parameters:
    ///   - url: The URL with the scheme ws, wss, http or https, or a reference that is resolved against ``baseURL``:
    ///     `"chat"` is below it, `"/chat"` is at the root of its host.
    ///   - parameters: Names and values that become the query. Default: none.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - options: The settings of the WebSocket. Default: those of `WebSocketTask.Options()`.
    ///   - reconnection: The rules by which a lost connection is followed by another one. Default:
    ///     ``EventSource/Reconnection/never``.
    ///   - greeting: Returns the messages that are sent on each connection before all others, such as subscriptions.
    ///     Called when a connection is open, on an arbitrary thread. Its error ends the WebSocket; on a later
    ///     connection than the first one, an error of the network is followed by another connection. Default: none.
    /// - Returns: The WebSocket, whose handshake begins with `resume()` or with the first method that needs the
    ///   connection: `open()`, sending, receiving, or a ping. If the request could not be built, the session makes no
    ///   more tasks, or its transport has no WebSockets, `open()` and everything else throws the ``LarkspurError``:
    ///   `invalidURL`, `invalidHeaderField`, `parameterEncodingFailed`, `sessionInvalidated`, `unsupported` or the
    ///   error of the configuration. The error of an interceptor is thrown in the same way.
    public func webSocket(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        options: WebSocketTask.Options = .init(),
        reconnection: EventSource.Reconnection = .never,
        greeting: (@Sendable () async throws -> [WebSocketTask.Message])? = nil
    ) -> WebSocketTask {
        do throws(LarkspurError) {
            var request = try requestResult(RequestDraft(.get, url, parameters, nil, headers)).get()
            request.url = request.url.map(\.ofHandshake)
            let observation = observing.value.map { CallObservation($0.entries, on: completionQueue) }
            let call = WebSocketCall(
                manager: self,
                request: request,
                reconnection: reconnection,
                greeting: greeting,
                observation: observation
            )
            observation?.post(.created, of: nil, .request(request))
            return WebSocketTask(options: options, observer: observation?.webSocketObserver(of: request)) {
                await call.run($0)
            }
        } catch {
            return WebSocketTask(failure: error)
        }
    }
}

extension CallObservation {
    /// Returns the closure that posts the events of a WebSocket.
    fileprivate func webSocketObserver(of request: URLRequest) -> WebSocketObserver {
        { [self] event in
            switch event {
            case .sent(let message): post(.webSocketSent, of: nil, .message(message))
            case .received(let message): post(.webSocketReceived, of: nil, .message(message))
            case .ended(let end): post(.webSocketClosed, of: nil, .webSocket(request, nil, reason: end.reason))
            }
        }
    }
}

extension CallEvent.Detail {
    fileprivate static func message(_ message: WebSocketTask.Message) -> Self {
        switch message {
        case .text(let text): .message(size: text.utf8.count, isText: true)
        case .data(let data): .message(size: data.count, isText: false)
        }
    }
}

extension WebSocketEnd {
    /// The end in words.
    fileprivate var reason: String {
        switch self {
        case .closed(let closure): closure?.code.map { "code \($0.rawValue)" } ?? "no code"
        case .failed(let error as WebSocketError): error.description
        case .failed(let error): LarkspurError(transportError: error).code.label
        }
    }
}

extension SessionStore {
    /// Creates the handshake of a WebSocket in the session.
    /// - Throws: `sessionInvalidated`, the error in the configuration, or `unsupported` if the transport has no
    ///   WebSockets.
    func makeAttempt(
        _ request: URLRequest,
        withholding fields: Set<String>,
        _ line: WebSocketLine
    ) throws(LarkspurError) -> WebSocketAttempt {
        try withSession { live throws(LarkspurError) in
            guard let session = live.session as? CurlURLSession else {
                throw LarkspurError(
                    .unsupported,
                    "The transport has no WebSockets, so that none is opened; the transport .curl has."
                )
            }
            return session.makeAttempt(request, withholding: fields, on: line)
        }
    }
}
#endif
