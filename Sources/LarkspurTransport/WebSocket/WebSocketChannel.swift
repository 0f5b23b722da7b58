#if canImport(FoundationNetworking)
internal import HTTPSyntax
import Synchronization

/// The channel between the user of a WebSocket and the loop. It passes orders to the loop, and messages and the end to
/// the user. If too many messages are not consumed, the connection pauses.
///
/// A channel without a connector has one connection. A connector establishes several connections, one after the other.
package final class WebSocketChannel: Sendable {
    /// An order to the loop. Its completion is called once, on any thread.
    enum Order: Sendable {
        case send(WebSocketMessage, Completion)
        case ping(Completion)
        case close(WebSocketTask.CloseFrame, Completion)
        /// Uses the connection of an attempt. The connection has not sent or received any message yet.
        case use
        /// The consumer has consumed enough messages for the connection to continue.
        case consumed
        /// Continues to read after other connections have had their turn.
        case goOn
    }

    typealias Completion = @Sendable (Result<Void, any Error>) -> Void
    /// A closure that establishes the connections of a channel until the channel has ended. The end of the channel
    /// cancels the Swift task of the connector.
    typealias Connector = @Sendable (WebSocketChannel) async -> Void

    let options: WebSocketOptions
    private let observer: WebSocketObserver?
    private let state: Mutex<State>

    /// Creates a channel.
    /// - Parameters:
    ///   - options: The settings of the WebSocket.
    ///   - observer: Receives messages and the ends of connections. Default: none.
    ///   - connector: Establishes the connections. Default: nil, for a channel with a single connection.
    ///   - hasBegun: Whether orders and consumers only wait until the task is resumed. If false, the first order or
    ///     consumer begins the handshake. Default: false.
    init(
        options: WebSocketOptions,
        observer: WebSocketObserver? = nil,
        hasBegun: Bool = false,
        connector: Connector? = nil
    ) {
        self.options = options
        self.observer = observer
        var state = State(maximumMessageSize: options.maximumMessageSize)
        state.hasBegun = hasBegun
        state.connections.connector = connector
        self.state = Mutex(state)
    }

    /// Records the task of the only connection.
    func attach(_ task: any HandshakeTask) { state.withLock { $0.task = task } }

    // MARK: On the loop's thread

    /// Records that a connection is open and used. Returns the orders that have waited for the connection. `isPaused`
    /// is true if too many earlier messages are buffered. Reading then has to pause.
    func open(_ agreement: WebSocketHandshake.Agreement, of attempt: WebSocketAttempt?) -> ([Order], isPaused: Bool) {
        let opened = state.withLock { state -> State? in
            guard case .connecting = state.phase, state.connections.attempt === attempt else { return nil }
            state.phase = .open
            state.hasOpened = true
            state.subprotocol = agreement.subprotocol
            state.closeFrame = nil
            defer {
                _ = state.takeOrders()
                state.openWaiters = []
                state.connections.greeting = []
                if state.connections.isLast { state.connections.waiter = nil }
            }
            return state
        }
        guard let opened else { return ([], false) }
        opened.task?.reportOpening(agreement.subprotocol)
        for waiter in opened.openWaiters { waiter.resume() }
        if opened.connections.isLast { opened.connections.waiter?.resume(returning: nil) }
        return (opened.connections.greeting + opened.orders, opened.inbox.isFull)
    }

    /// Passes a message to the user. Returns false if too many messages are buffered. The connection then has to pause.
    func receive(_ message: WebSocketTask.Message, of attempt: WebSocketAttempt?) -> Bool {
        let (consumer, isFull) = state.withLock { state -> (WebSocketInbox.Consumer?, Bool) in
            guard case .open = state.phase, state.connections.attempt === attempt else { return (nil, false) }
            state.connections.hasReceived = true
            return (state.inbox.add(message), state.inbox.isFull)
        }
        observer?(.received(message))
        consumer?(.success(message))
        return !isFull
    }

    func noteCloseFrame(_ frame: WebSocketTask.CloseFrame, of attempt: WebSocketAttempt?) {
        let task = state.withLock { state -> (any HandshakeTask)? in
            guard state.connections.attempt === attempt else { return nil }
            state.closeFrame = frame
            return state.task
        }
        task?.reportClosing(frame)
    }

    /// Records the end of a connection. If no other connection follows, the channel ends too.
    func end(_ end: WebSocketEnd, of attempt: WebSocketAttempt?) {
        let loss = state.withLock { $0.lose(attempt, end) }
        if loss.isFinal {
            self.end(end)
        } else if loss.waiter != nil {
            observer?(.ended(end))
        }
        loss.waiter?.resume(returning: WebSocketLoss(end: end, hasReceived: loss.hasReceived))
    }

    /// Records the end of the channel, unless it has already ended. Messages that arrived before the end can still be
    /// read.
    package func end(_ end: WebSocketEnd) {
        let ended = state.withLock { state -> (State, [WebSocketInbox.Consumer])? in
            if case .ended = state.phase { return nil }
            let consumers = state.inbox.takeConsumers()
            defer {
                state.phase = .ended(end)
                _ = state.takeOrders()
                state.openWaiters = []
                state.connections.connector = nil
                state.connections = Connections()
            }
            return (state, consumers)
        }
        guard let (ended, consumers) = ended else { return }
        observer?(.ended(end))
        for order in ended.orders { order.fail(error(after: end)) }
        for waiter in ended.openWaiters { waiter.resume(throwing: error(after: end)) }
        for consumer in consumers { consumer(Self.lastMessage(end)) }
        ended.connections.waiter?.resume(returning: nil)
        ended.connections.work?.cancel()
    }

    // MARK: For the connector

    /// Records the beginning of an attempt. Returns false if the channel has ended.
    func begin(_ attempt: WebSocketAttempt) -> Bool {
        state.withLock { state in
            guard case .connecting = state.phase else { return false }
            state.connections.attempt = attempt
            state.connections.end = nil
            state.connections.hasReceived = false
            return true
        }
    }

    /// Discards an attempt whose connection is not used, and closes the connection.
    package func abandon(_ attempt: WebSocketAttempt) {
        attempt.cancel()
        let isClosed = state.withLock { state in
            guard state.connections.attempt === attempt else { return false }
            state.connections.attempt = nil
            return state.isClosing && state.connections.haveLosses
        }
        if isClosed { end(.closed(nil)) }
    }

    /// Uses the open connection of an attempt.
    /// - Parameters:
    ///   - greeting: The messages to send before all other messages.
    ///   - isLast: Whether the channel ends when the connection ends.
    /// - Returns: The loss of the connection. Nil if the channel has ended, or if this is the last connection.
    package func use(
        _ attempt: WebSocketAttempt,
        greeting: [WebSocketTask.Message],
        isLast: Bool
    ) async -> WebSocketLoss? {
        await withCheckedContinuation { continuation in
            let greeting = greeting.map { observed(.send(WebSocketMessage($0)) { _ in }) }
            let (loss, use) = state.withLock { $0.use(attempt, greeting, isLast: isLast, continuation) }
            switch use {
            case .begins: return attempt.post(.use)
            case .isOver: break
            case .ends: if let loss { end(loss.end) }
            }
            continuation.resume(returning: loss)
        }
    }

    // MARK: For the user

    var subprotocol: String? { state.withLock { $0.subprotocol } }

    var closeFrame: WebSocketTask.CloseFrame? { state.withLock { $0.closeFrame } }

    /// The close frame of the user; nil until the user closes the WebSocket.
    var ownCloseFrame: WebSocketTask.CloseFrame? { state.withLock { $0.ownCloseFrame } }

    /// The maximum size of a received message, in bytes. A change applies only to connections that are opened later.
    var maximumMessageSize: Int {
        get { state.withLock { $0.maximumMessageSize } }
        set { state.withLock { $0.maximumMessageSize = newValue } }
    }

    /// The failure with which the channel has ended; nil if it has not ended, or has been closed.
    var failure: (any Error)? {
        state.withLock { if case .ended(.failed(let error)) = $0.phase { error } else { nil } }
    }

    /// Whether a connection has been needed.
    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// Begins to establish the first connection, unless this has already begun.
    func begin() {
        if state.withLock({ $0.begin() }) != nil { beginNow() }
    }

    private func beginNow() {
        let (connector, task) = state.withLock { state in (state.connections.connector.take(), state.task) }
        guard let connector else {
            task?.resumeIfNew()
            return
        }
        let work = Task { await connector(self) }
        let hasEnded = state.withLock { state in
            if case .ended = state.phase { return true }
            state.connections.work = work
            return false
        }
        if hasEnded { work.cancel() }
    }

    /// Ends the channel, and closes its connection immediately.
    package func cancel() {
        let attempt = state.withLock { $0.connections.attempt }
        end(.failed(URLError.engine(.cancelled, "The WebSocket was cancelled.", url: nil)))
        attempt?.cancel()
    }

    /// Posts an order to the loop. If no connection is open, stores the order until one is open. The first order begins
    /// the handshake.
    func give(_ order: Order) {
        let order = observed(order)
        let (action, task) = state.withLock { state in (state.take(order), state.task) }
        carryOut(action, task)
    }

    /// Takes back an order that a connection has not begun. The connection was closed before it began the order. If
    /// another connection follows, the order waits for it. Otherwise, the order fails.
    func takeBack(_ order: Order, of attempt: WebSocketAttempt?, orFail error: WebSocketError? = nil) {
        switch order {
        case .send, .ping: if state.withLock({ $0.takeBack(order, of: attempt) }) { return }
        case .close, .use, .consumed, .goOn: break
        }
        order.fail(error ?? self.error())
    }

    /// Returns an order that also notifies the observer when its message was sent.
    private func observed(_ order: Order) -> Order {
        guard let observer, case .send(let message, let answer) = order else { return order }
        return .send(message) { result in
            if case .success = result { observer(.sent(WebSocketTask.Message(message))) }
            answer(result)
        }
    }

    private func carryOut(_ action: Action?, _ task: (any HandshakeTask)?) {
        switch action {
        case .begin: beginNow()
        case .post(let order):
            guard let task else { return order.fail(error()) }
            task.post(order)
        case .fail(let order, let end): order.fail(error(after: end))
        case .end: end(.closed(nil))
        case nil: break
        }
    }

    /// Returns the error of an order that arrives after the end.
    func error(after end: WebSocketEnd? = nil) -> any Error {
        let known = state.withLock { state -> WebSocketEnd? in
            if case .ended(let end) = state.phase { end } else { state.connections.lastEnd }
        }
        switch end ?? known {
        case .failed(let error): return error
        case .closed(let frame): return WebSocketError.ended(frame)
        case nil: return WebSocketError.ended(nil)
        }
    }

    func waitUntilOpen() async throws {
        try await withCheckedThrowingContinuation { continuation in
            let known = state.withLock { state -> Result<Void, any Error>? in
                switch state.phase {
                case .connecting:
                    state.openWaiters.append(continuation)
                    return nil
                case .open: return .success(())
                case .ended(.failed(let error)) where !state.hasOpened: return .failure(error)
                case .ended: return .success(())
                }
            }
            if let known { continuation.resume(with: known) }
        }
    }

    /// Returns the next message. Returns nil after a close with the code 1000, with the code 1001, or without a code.
    /// The first call begins the handshake.
    func next() async throws -> WebSocketTask.Message? {
        try Task.checkCancellation()
        let number = state.withLock { $0.inbox.makeNumber() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                take(number) { continuation.resume(with: $0) }
            }
        } onCancel: {
            state.withLock { $0.inbox.leave(number) }?(.failure(CancellationError()))
        }
    }

    /// Passes the next message to a consumer, which may be called before this method returns.
    func next(_ consumer: @escaping WebSocketInbox.Consumer) {
        take(state.withLock { $0.inbox.makeNumber() }, consumer)
    }

    private func take(_ number: Int, _ consumer: @escaping WebSocketInbox.Consumer) {
        let (known, action, task) = state.withLock { state in
            let (known, action) = state.takeMessage(for: number, consumer)
            return (known, action, state.task)
        }
        carryOut(action, task)
        if let known { consumer(known) }
    }

    static func lastMessage(_ end: WebSocketEnd) -> Result<WebSocketTask.Message?, any Error> {
        switch end {
        case .failed(let error): .failure(error)
        case .closed(let frame?) where frame.code?.isOrderly == false: .failure(WebSocketError.closed(frame))
        case .closed: .success(nil)
        }
    }
}
#endif
