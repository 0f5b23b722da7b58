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
    /// is none of ``tasks``, and interceptors, hooks, ``timeouts`` and ``completionGroup`` have no part in it. An
    /// invalidation ends WebSockets as it ends tasks.
    /// - Parameters:
    ///   - url: The URL with the scheme ws, wss, http or https, or a reference that is resolved against ``baseURL``:
    ///     `"chat"` is below it, `"/chat"` is at the root of its host.
    ///   - parameters: Names and values that become the query. Default: none.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - options: The settings of the WebSocket. Default: those of `WebSocketTask.Options()`.
    /// - Returns: The WebSocket, whose handshake begins with `resume()` or with the first method that needs the
    ///   connection: `open()`, sending, receiving, or a ping. If the request could not be built, the session makes no
    ///   more tasks, or its transport has no WebSockets, `open()` and everything else throws the ``LarkspurError``:
    ///   `invalidURL`, `invalidHeaderField`, `parameterEncodingFailed`, `sessionInvalidated`, `unsupported` or the
    ///   error of the configuration.
    public func webSocket(
        _ url: String,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        options: WebSocketTask.Options = .init()
    ) -> WebSocketTask {
        do throws(LarkspurError) {
            let request = try requestResult(.get, url, parameters, nil, headers).get()
            return try sessions.makeWebSocket(request, options)
        } catch {
            return WebSocketTask(failure: error)
        }
    }
}

extension SessionStore {
    /// Creates a WebSocket in the session.
    /// - Throws: `sessionInvalidated`, the error in the configuration, or `unsupported` if the transport has none.
    fileprivate func makeWebSocket(
        _ request: URLRequest,
        _ options: WebSocketTask.Options
    ) throws(LarkspurError) -> WebSocketTask {
        try withSession { live throws(LarkspurError) in
            guard let session = live.session as? CurlURLSession else {
                throw LarkspurError(
                    .unsupported,
                    "The transport has no WebSockets, so that none is opened; the transport .curl has."
                )
            }
            return session.webSocket(with: request, options: options)
        }
    }
}
#endif
