#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// A WebSocket connection (RFC 6455), made by ``CurlURLSession/webSocket(with:options:)-(URLRequest,_)``.
///
///     let socket = session.webSocket(with: URL(string: "wss://chat.example/room")!)
///     socket.resume()
///     try await socket.send("hello")
///     for try await message in socket.messages { print(message) }
///
/// The handshake is a request of the session: its TLS configuration, proxy, cookies, credentials and redirects apply,
/// and the session's delegate is asked as for a data task. Once open, the connection does not count as one of the
/// host's connections, has no timeout without bytes, and keeps the session from ending until it is closed.
///
/// All methods may be called on any thread. The closure of a connection answers everything that waits for it.
public final class WebSocketTask: Sendable {
    private let channel: WebSocketChannel
    /// The task of the only handshake; nil if a connector makes the connections.
    private let task: URLSessionDataTask?
    private let latest: LatestHandshake

    init(channel: WebSocketChannel, task: URLSessionDataTask) {
        self.channel = channel
        self.task = task
        latest = LatestHandshake(task)
    }

    /// Creates a WebSocket with connections that a closure makes.
    /// - Parameters:
    ///   - options: The settings of the WebSocket.
    ///   - observer: Sees the messages and the ends of connections. Default: none.
    ///   - connect: Makes connections until the WebSocket has ended or its last connection is open. Called once, when
    ///     the connection is needed, in a Swift task that is cancelled when the WebSocket ends.
    package init(
        options: Options,
        observer: WebSocketObserver? = nil,
        connect: @escaping @Sendable (WebSocketLine) async -> Void
    ) {
        let latest = LatestHandshake()
        self.latest = latest
        task = nil
        channel = WebSocketChannel(options: options, observer: observer) {
            await connect(WebSocketLine(channel: $0, latest: latest))
        }
    }

    /// Creates a WebSocket that has ended with an error, because it could not be made.
    package init(failure: any Error) {
        channel = WebSocketChannel(options: Options())
        task = nil
        latest = LatestHandshake()
        channel.end(.failed(failure))
    }

    /// The data task that makes the handshake, which the session's delegate sees. It is completed when the connection
    /// is closed. If the WebSocket has several handshakes, one after the other, it is the latest one. Nil before the
    /// first one of these, and if its request could not be made.
    public var handshakeTask: URLSessionDataTask? { latest.task }

    /// The server's response to the latest handshake; nil before it has come.
    public var response: HTTPURLResponse? { latest.task?.response as? HTTPURLResponse }

    /// The subprotocol that the server has chosen; nil if it has chosen none, or before the connection is open.
    public var subprotocol: String? { channel.subprotocol }

    /// The close frame of the server; nil before it has come.
    public var closure: Closure? { channel.closure }

    // MARK: The connection

    /// Begins the handshake, as do all methods that need the connection; further calls do nothing.
    public func resume() {
        if let task { task.resume() } else { channel.begin() }
    }

    /// Begins the handshake and waits until the connection is open.
    ///
    /// - Throws: ``WebSocketError`` with the kind `refused` and the response, if the server does not agree; `URLError`,
    ///   if the connection fails. The cancellation of the Swift task cancels the connection.
    public func open() async throws {
        resume()
        try await withTaskCancellationHandler {
            try await channel.waitUntilOpen()
        } onCancel: {
            cancel()
        }
    }

    /// Closes the connection: sends a close frame after all messages so far, and waits until the server has answered it
    /// and closed the connection, for ``Options/closeTimeout`` at most.
    ///
    /// A connection that is being made is closed as soon as it is open, and a task that was not resumed is cancelled.
    /// In the delay before another connection, the method ends everything at once.
    /// - Parameters:
    ///   - code: The reason; nil for none. Default: `normalClosure`.
    ///   - reason: The reason in words, of which the first 123 bytes of UTF-8 are sent. Default: none.
    /// - Throws: ``WebSocketError`` with the kind `invalidArgument`, if no close frame may have the code.
    public func close(_ code: CloseCode? = .normalClosure, reason: String = "") async throws {
        if let code, !(UInt16(exactly: code.rawValue).map(WebSocketCloseCode.isAllowedInFrame) ?? false) {
            throw WebSocketError(
                .invalidArgument,
                "A close frame cannot have the code \(code). Codes are 1000 to 1003, 1007 to 1014, and 3000 to 4999."
            )
        }
        if task.map({ $0.state == .suspended }) ?? !channel.hasBegun { return cancel() }
        try await ask { .close(Closure(code: code, reason: reason), $0) }
    }

    /// Closes the connection at once, without a close frame. What waits for it ends with the code `cancelled`.
    public func cancel() {
        if let task { task.cancel() } else { channel.cancel() }
    }

    // MARK: Messages

    /// The messages as they arrive. Several loops share them: each message goes to one of them.
    public var messages: Messages { Messages(channel: channel) }

    /// Waits for the next message.
    ///
    /// - Throws: ``WebSocketError``, also with the kind `ended` if the server has closed the connection in an orderly
    ///   way; `URLError`, if the connection has failed; `CancellationError`, if the Swift task is cancelled.
    public func receive() async throws -> Message {
        guard let message = try await channel.next() else { throw WebSocketError.ended(closure) }
        return message
    }

    /// Sends a message, and returns when the connection has taken all of its bytes. Messages are sent in the order of
    /// the calls. Before the connection is open, the method waits for that.
    ///
    /// - Throws: ``WebSocketError`` or `URLError`, if the connection has ended or ends before.
    public func send(_ message: Message) async throws { try await ask { .send(WebSocketMessage(message), $0) } }

    /// Sends a text message, and returns when the connection has taken all of its bytes.
    ///
    /// - Throws: ``WebSocketError`` or `URLError`, if the connection has ended or ends before.
    public func send(_ text: String) async throws { try await send(.text(text)) }

    /// Sends a binary message, and returns when the connection has taken all of its bytes.
    ///
    /// - Throws: ``WebSocketError`` or `URLError`, if the connection has ended or ends before.
    public func send(_ data: Data) async throws { try await send(.data(data)) }

    /// Sends a ping and waits for the server's pong.
    ///
    /// - Returns: The time from the call to the pong.
    /// - Throws: ``WebSocketError`` or `URLError`, if the connection has ended or ends before.
    @discardableResult public func ping() async throws -> Duration {
        let clock = ContinuousClock()
        let start = clock.now
        try await ask { .ping($0) }
        return clock.now - start
    }

    private func ask(_ order: (@escaping WebSocketChannel.Answer) -> WebSocketChannel.Order) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            channel.give(order { continuation.resume(with: $0) })
        }
    }
}
#endif
