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
/// redirects apply, and its delegate is called as for a data task. An open connection does not count towards the limit
/// of connections to a host. It does not time out if no bytes are transferred. The session ends only after the
/// connection has been closed.
///
/// All methods may be called on any thread. When the connection has been closed, all pending calls return or throw.
public final class WebSocketTask: Sendable {
    /// The channel to the connection or the connections, for the code that establishes them.
    package let channel: WebSocketChannel
    /// The task of the only handshake; nil if a connector establishes the connections.
    private let task: URLSessionDataTask?
    let latest: LatestHandshake

    init(channel: WebSocketChannel, task: URLSessionDataTask) {
        self.channel = channel
        self.task = task
        latest = LatestHandshake(task)
    }

    private init(channel: WebSocketChannel, latest: LatestHandshake) {
        self.channel = channel
        self.latest = latest
        task = nil
    }

    /// Creates a WebSocket for which a closure establishes the connections.
    /// - Parameters:
    ///   - options: The settings of the WebSocket.
    ///   - observer: Receives messages and the ends of connections. Default: none.
    ///   - connect: Establishes connections until the WebSocket has ended or its last connection is open. Called once,
    ///     in a Swift task, when a connection is needed. The end of the WebSocket cancels this Swift task. The closure
    ///     receives another object for the same WebSocket. If the closure retained this object, the object would never
    ///     be released.
    package init(
        options: WebSocketOptions,
        observer: WebSocketObserver? = nil,
        connect: @escaping @Sendable (WebSocketTask) async -> Void
    ) {
        let latest = LatestHandshake()
        self.latest = latest
        task = nil
        channel = WebSocketChannel(options: options, observer: observer) {
            await connect(WebSocketTask(channel: $0, latest: latest))
        }
    }

    /// Creates a WebSocket that has already failed, because its request could not be created.
    package init(failure: any Error) {
        channel = WebSocketChannel(options: WebSocketOptions())
        task = nil
        latest = LatestHandshake()
        channel.end(.failed(failure))
    }

    /// The data task of the handshake. The session's delegate receives this task. The task is completed when the
    /// connection has been closed. If the WebSocket has had several handshakes, this is the task of the latest
    /// handshake. Nil before the first handshake, and if its request could not be created.
    public var handshakeTask: URLSessionDataTask? { latest.task }

    /// The server's response to the latest handshake; nil before the response has arrived.
    public var response: HTTPURLResponse? { latest.task?.response as? HTTPURLResponse }

    /// The subprotocol that the server has chosen. Nil if the server has chosen none, and while the connection is not
    /// open yet.
    public var subprotocol: String? { channel.subprotocol }

    /// The server's close frame; nil before the frame has arrived.
    public var closeFrame: CloseFrame? { channel.closeFrame }

    // MARK: The connection

    /// Begins the handshake. Further calls have no effect. All methods that need the connection also begin the
    /// handshake.
    public func resume() {
        if let task { task.resume() } else { channel.begin() }
    }

    /// Begins the handshake and waits until the connection is open.
    ///
    /// - Throws: ``WebSocketError`` with the kind `refused` and the response if the server refuses the handshake.
    ///   `URLError` if the connection fails. Cancelling the Swift task cancels the connection.
    public func open() async throws {
        resume()
        try await withTaskCancellationHandler {
            try await channel.waitUntilOpen()
        } onCancel: {
            cancel()
        }
    }

    /// Closes the connection. Sends a close frame after all earlier messages. Then waits until the server has sent its
    /// close frame and closed the connection, but no longer than ``WebSocketOptions/closeTimeout``.
    ///
    /// If the connection is not open yet, it is closed as soon as it is open. If the task was not resumed, it is
    /// cancelled. If the WebSocket is waiting before it opens another connection, it ends immediately.
    /// - Parameters:
    ///   - code: The reason; nil for none. Default: `normalClosure`.
    ///   - reason: The reason in words. At most 123 bytes of its UTF-8 are sent. Default: none.
    /// - Throws: ``WebSocketError`` with the kind `invalidArgument` if the code must not be sent.
    public func close(_ code: CloseCode? = .normalClosure, reason: String = "") async throws {
        if let code, !(UInt16(exactly: code.rawValue).map(WebSocketCloseCode.isAllowedInFrame) ?? false) {
            throw WebSocketError(
                .invalidArgument,
                "A close frame cannot have the code \(code). Codes are 1000 to 1003, 1007 to 1014, and 3000 to 4999."
            )
        }
        if task.map({ $0.state == .suspended }) ?? !channel.hasBegun { return cancel() }
        try await ask { .close(CloseFrame(code: code, reason: reason), $0) }
    }

    /// Closes the connection immediately, without a close frame. Pending calls throw an error with the code
    /// `cancelled`.
    public func cancel() {
        if let task { task.cancel() } else { channel.cancel() }
    }

    // MARK: Messages

    /// The messages as they arrive. If several loops read the messages, each message is passed to only one loop.
    public var messages: Messages { Messages(channel: channel) }

    /// Waits for the next message.
    ///
    /// - Throws: ``WebSocketError``, with the kind `ended` if the server has closed the connection without an error.
    ///   `URLError` if the connection has failed. `CancellationError` if the Swift task is cancelled.
    public func receive() async throws -> Message {
        guard let message = try await channel.next() else { throw WebSocketError.ended(closeFrame) }
        return message
    }

    /// Sends a message. Returns when the connection has accepted all bytes of the message. Messages are sent in the
    /// order of the calls. If the connection is not open yet, the method waits until it is open.
    ///
    /// - Throws: ``WebSocketError`` or `URLError` if the connection ends before.
    public func send(_ message: Message) async throws { try await ask { .send(WebSocketMessage(message), $0) } }

    /// Sends a text message. Returns when the connection has accepted all of its bytes.
    ///
    /// - Throws: ``WebSocketError`` or `URLError` if the connection ends before.
    public func send(_ text: String) async throws { try await send(.text(text)) }

    /// Sends a binary message. Returns when the connection has accepted all of its bytes.
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

    private func ask(_ order: (@escaping WebSocketChannel.Completion) -> WebSocketChannel.Order) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            channel.give(order { continuation.resume(with: $0) })
        }
    }
}
#endif
