#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// A WebSocket (RFC 6455), created by ``CurlURLSession/webSocket(with:options:)-(URLRequest,_)``.
///
///     let socket = session.webSocket(with: URL(string: "wss://chat.example/room")!)
///     socket.resume()
///     try await socket.send("hello")
///     for try await message in socket.messages { print(message) }
///
/// The handshake is a request of the session. The session's TLS configuration, proxy, cookies, credentials and
/// redirects apply, and its delegate is asked as for a data task. An open connection does not count towards the limit
/// of connections to a host, and has no limit of the time without a byte. The session does not end before it is closed.
///
/// All methods may be called on any thread. When the connection is closed, all methods that wait return or throw.
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

    /// Creates a WebSocket whose connections a closure makes.
    /// - Parameters:
    ///   - options: The settings of the WebSocket.
    ///   - observer: Learns of messages and of the ends of connections. Default: none.
    ///   - connect: Makes connections until the WebSocket has ended or its last connection is open. Called once, when a
    ///     connection is needed, in a Swift task. The end of the WebSocket cancels that task.
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

    /// Creates a WebSocket that has failed because it could not be made.
    package init(failure: any Error) {
        channel = WebSocketChannel(options: Options())
        task = nil
        latest = LatestHandshake()
        channel.end(.failed(failure))
    }

    /// The data task of the handshake, which the session's delegate sees. It is completed when the connection is
    /// closed. If the WebSocket makes several handshakes, it is the latest one. Nil before the first handshake, and if
    /// its request could not be made.
    public var handshakeTask: URLSessionDataTask? { latest.task }

    /// The server's response to the latest handshake; nil before it has arrived.
    public var response: HTTPURLResponse? { latest.task?.response as? HTTPURLResponse }

    /// The subprotocol that the server has chosen; nil if it has chosen none, or before the connection is open.
    public var subprotocol: String? { channel.subprotocol }

    /// The server's close frame; nil before it has arrived.
    public var closure: Closure? { channel.closure }

    // MARK: The connection

    /// Begins the handshake. Further calls have no effect. All methods that need the connection also begin it.
    public func resume() {
        if let task { task.resume() } else { channel.begin() }
    }

    /// Begins the handshake and waits until the connection is open.
    ///
    /// - Throws: ``WebSocketError`` with the kind `refused` and the response if the server refuses the handshake;
    ///   `URLError` if the connection fails. Cancelling the Swift task cancels the connection.
    public func open() async throws {
        resume()
        try await withTaskCancellationHandler {
            try await channel.waitUntilOpen()
        } onCancel: {
            cancel()
        }
    }

    /// Closes the connection. Sends a close frame after all earlier messages, and waits until the server has sent its
    /// close frame and closed the connection, for ``Options/closeTimeout`` at most.
    ///
    /// If the connection is still being made, it is closed as soon as it is open. A task that was not resumed is
    /// cancelled. During the delay before another connection, the WebSocket ends immediately.
    /// - Parameters:
    ///   - code: The reason; nil for none. Default: `normalClosure`.
    ///   - reason: The reason in words. The first 123 bytes of UTF-8 are sent. Default: none.
    /// - Throws: ``WebSocketError`` with the kind `invalidArgument` if the code must not be sent.
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

    /// Closes the connection immediately, without a close frame. Methods that wait throw an error with the code
    /// `cancelled`.
    public func cancel() {
        if let task { task.cancel() } else { channel.cancel() }
    }

    // MARK: Messages

    /// The messages as they arrive. If several loops read them, each message goes to one loop.
    public var messages: Messages { Messages(channel: channel) }

    /// Waits for the next message.
    ///
    /// - Throws: ``WebSocketError``, also with the kind `ended` if the server has closed the connection in an orderly
    ///   way; `URLError` if the connection has failed; `CancellationError` if the Swift task is cancelled.
    public func receive() async throws -> Message {
        guard let message = try await channel.next() else { throw WebSocketError.ended(closure) }
        return message
    }

    /// Sends a message, and returns when the connection has taken all of its bytes. Messages are sent in the order of
    /// the calls. If the connection is not open yet, the method waits for it.
    ///
    /// - Throws: ``WebSocketError`` or `URLError` if the connection ends before.
    public func send(_ message: Message) async throws { try await ask { .send(WebSocketMessage(message), $0) } }

    /// Sends a text message, and returns when the connection has taken all of its bytes.
    ///
    /// - Throws: ``WebSocketError`` or `URLError` if the connection ends before.
    public func send(_ text: String) async throws { try await send(.text(text)) }

    /// Sends a binary message, and returns when the connection has taken all of its bytes.
    ///
    /// - Throws: ``WebSocketError`` or `URLError` if the connection ends before.
    public func send(_ data: Data) async throws { try await send(.data(data)) }

    /// Sends a ping and waits for the server's pong.
    ///
    /// - Returns: The time from the call to the pong.
    /// - Throws: ``WebSocketError`` or `URLError` if the connection ends before.
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
