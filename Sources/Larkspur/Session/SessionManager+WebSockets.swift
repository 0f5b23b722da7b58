#if canImport(FoundationNetworking)
import HTTPSyntax

/// WebSockets, which the transport `.curl` supports. On Linux only.
extension SessionManager {
    /// Creates a WebSocket (RFC 6455).
    ///
    ///     let socket = manager.webSocket("chat")
    ///     try await socket.open()
    ///     try await socket.send("Hello")
    ///     for try await message in socket.messages { print(message) }
    ///
    /// The session of the manager sends the handshake: a GET request with the headers, the authorization and the
    /// settings of the manager. The handshake passes through the ``interceptors``. They get its response when the
    /// connection is open (101) or refused. So they can refresh a token or retry after a 503, as for a request.
    /// ``timeouts``, ``completionGroup`` and the hooks that are called with a task do not apply to a WebSocket, and
    /// ``tasks`` does not contain it. Invalidating the session ends WebSockets as it ends tasks.
    ///
    /// With `reconnection`, a new connection is opened when a connection is lost. The delay before the new connection
    /// follows the same rules as for server-sent events; a received message counts as content. A connection is lost if
    /// it ends without a close frame, if the server does not respond to a ping, or if the server closes it with 1012
    /// (service restart) or 1013 (try again later). `messages` and `receive()` then continue with the new connection,
    /// and `send` waits for the new connection. If a connection is lost while a message is being sent, sending throws
    /// the error, and the message is never sent again. The WebSocket ends if the first connection cannot be opened, or
    /// if the server refuses a handshake, breaks the protocol, or closes the WebSocket with another code.
    /// - Parameters:
    ///   - url: The URL with the scheme ws, wss, http or https, or a reference that is resolved against ``baseURL``:
    ///     `"chat"` is below it, `"/chat"` is at the root of its host.
    ///   - parameters: Names and values that become the query. Default: none.
    ///   - headers: Fields of the handshake. They replace fields of ``headers`` with the same name. Default: none.
    ///   - options: The settings of the WebSocket. Default: those of `WebSocketOptions()`.
    ///   - reconnection: The rules for a new connection after a connection is lost. Default:
    ///     ``Reconnection/never``.
    ///   - greeting: Returns the first messages of each connection, such as subscriptions. Called when a connection is
    ///     open, on an arbitrary thread. If it throws an error, the WebSocket ends. If it throws a network error on a
    ///     connection after the first, a new connection is opened instead. Default: none.
    /// - Returns: The WebSocket. Its handshake begins with `resume()` or with the first method that needs the
    ///   connection: `open()`, sending, receiving, or a ping. If there can be no connection, all of these throw a
    ///   ``LarkspurError``: `invalidURL`, `invalidHeaderField` or `parameterEncodingFailed` if the request could not be
    ///   built, `sessionInvalidated` after an invalidation, `unsupported` if the transport has no WebSockets, or the
    ///   error of the configuration. The error of an interceptor is thrown in the same way.
    public func webSocket(
        _ url: any RequestTarget,
        parameters: Parameters? = nil,
        headers: HTTPHeaders? = nil,
        options: WebSocketOptions = .init(),
        reconnection: Reconnection = .never,
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
    /// A description of the end.
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
        withholding fields: Set<TextKey>,
        on socket: WebSocketTask
    ) throws(LarkspurError) -> WebSocketAttempt {
        try withSession { live throws(LarkspurError) in
            guard let session = live.session as? CurlURLSession else {
                throw LarkspurError(
                    .unsupported,
                    "The transport has no WebSockets, so that none is opened; the transport .curl has."
                )
            }
            return session.makeAttempt(request, withholding: fields, on: socket)
        }
    }
}
#endif
