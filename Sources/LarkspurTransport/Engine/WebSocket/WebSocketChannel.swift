#if canImport(FoundationNetworking)
internal import HTTPSyntax
import Synchronization

/// The channel between the user of a WebSocket and the loop: orders in one direction, messages and the end in the
/// other. Messages that are not consumed pause the connection.
final class WebSocketChannel: Sendable {
    /// An order to the loop. Each is answered once, on any thread.
    enum Order: Sendable {
        case send(WebSocketMessage, Answer)
        case ping(Answer)
        case close(WebSocketTask.Closure, Answer)
        /// The buffered messages have been consumed, down to the lower mark.
        case consumed
        /// Reads on, after other connections have had their turn.
        case goOn
    }

    fileprivate typealias Waiter = CheckedContinuation<WebSocketTask.Message?, any Error>
    typealias Answer = @Sendable (Result<Void, any Error>) -> Void

    /// The end of the connection.
    enum End: Sendable {
        case closed(WebSocketTask.Closure?)
        case failed(any Error)
    }

    fileprivate enum Phase {
        case connecting
        case open
        case ended(End)
    }

    /// The consequence of a call of the user, which is carried out without the lock.
    fileprivate enum Action {
        case begin
        case post(Order)
        case fail(Order, End)
    }

    fileprivate struct State {
        var phase = Phase.connecting
        /// Whether the handshake has begun, or begins with the order at hand.
        var hasBegun = false
        var hasOpened = false
        /// The orders that wait until the connection is open.
        var orders: [Order] = []
        var subprotocol: String?
        var messages: [WebSocketTask.Message] = []
        var taken = 0
        var bufferedBytes = 0
        var isPaused = false
        var closure: WebSocketTask.Closure?
        var nextWaiter = 0
        var waiters: [(number: Int, continuation: Waiter)] = []
        var openWaiters: [CheckedContinuation<Void, any Error>] = []
        weak var task: TaskCore?
    }

    /// The numbers of bytes above which the connection is paused, and at which it goes on.
    private static let upperMark = 1 << 20
    fileprivate static let lowerMark = 1 << 18
    /// The number of bytes that a message counts besides its content, so that empty ones are bounded too.
    fileprivate static let messageOverhead = 64

    let handshake: WebSocketHandshake
    let options: WebSocketTask.Options
    private let state = Mutex(State())

    init(handshake: WebSocketHandshake, options: WebSocketTask.Options) {
        self.handshake = handshake
        self.options = options
    }

    func attach(_ task: TaskCore) { state.withLock { $0.task = task } }

    // MARK: On the loop's thread

    /// Notes that the connection is open; returns the orders that have waited for that.
    func open(_ agreement: WebSocketHandshake.Agreement) -> [Order] {
        let (orders, waiters) = state.withLock { state -> ([Order], [CheckedContinuation<Void, any Error>]) in
            guard case .connecting = state.phase else { return ([], []) }
            state.phase = .open
            state.hasOpened = true
            state.subprotocol = agreement.subprotocol
            defer {
                state.orders = []
                state.openWaiters = []
            }
            return (state.orders, state.openWaiters)
        }
        for waiter in waiters { waiter.resume() }
        return orders
    }

    /// Passes a message on; returns false if so many are buffered that the connection has to pause.
    func receive(_ message: WebSocketTask.Message) -> Bool {
        let (waiter, goesOn) = state.withLock { state in
            if !state.waiters.isEmpty { return (Optional(state.waiters.removeFirst().continuation), true) }
            state.messages.append(message)
            state.bufferedBytes += message.size + Self.messageOverhead
            state.isPaused = state.bufferedBytes >= Self.upperMark
            return (nil, !state.isPaused)
        }
        waiter?.resume(returning: message)
        return goesOn
    }

    func noteClosure(_ closure: WebSocketTask.Closure) { state.withLock { $0.closure = closure } }

    /// Notes the end, unless it is known. Messages that were received before it remain.
    func end(_ end: End) {
        let ended = state.withLock { state -> State? in
            if case .ended = state.phase { return nil }
            defer {
                state.phase = .ended(end)
                state.orders = []
                state.waiters = []
                state.openWaiters = []
            }
            return state
        }
        guard let ended else { return }
        for order in ended.orders { order.fail(error(after: end)) }
        for waiter in ended.openWaiters { waiter.resume(throwing: error(after: end)) }
        for waiter in ended.waiters { waiter.continuation.resume(with: Self.lastMessage(end)) }
    }

    // MARK: For the user

    var subprotocol: String? { state.withLock { $0.subprotocol } }

    var closure: WebSocketTask.Closure? { state.withLock { $0.closure } }

    /// Gives an order to the loop, or keeps it until the connection is open. The first one begins the handshake.
    func give(_ order: Order) {
        let (action, task) = state.withLock { state in (state.take(order), state.task) }
        carryOut(action, task)
    }

    private func carryOut(_ action: Action?, _ task: TaskCore?) {
        switch action {
        case .begin: task?.resumeIfNew()
        case .post(let order):
            guard let task else { return order.fail(error()) }
            task.session.loop.post(.webSocket(task, order))
        case .fail(let order, let end): order.fail(error(after: end))
        case nil: break
        }
    }

    /// Returns the error of an order that comes after the end.
    func error(after end: End? = nil) -> any Error {
        let known = state.withLock { state -> End? in
            if case .ended(let end) = state.phase { end } else { nil }
        }
        switch end ?? known {
        case .failed(let error): return error
        case .closed(let closure): return WebSocketError.ended(closure)
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

    /// Returns the next message; nil at an orderly end. The first call begins the handshake.
    func next() async throws -> WebSocketTask.Message? {
        try Task.checkCancellation()
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (known, action, task) = state.withLock { state in
                    let (known, action) = state.takeMessage(for: number, continuation)
                    return (known, action, state.task)
                }
                carryOut(action, task)
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0).continuation }
            }
            waiter?.resume(throwing: CancellationError())
        }
    }

    fileprivate static func lastMessage(_ end: End) -> Result<WebSocketTask.Message?, any Error> {
        switch end {
        case .failed(let error): .failure(error)
        case .closed(let closure?) where closure.code?.isOrderly == false: .failure(WebSocketError.closed(closure))
        case .closed: .success(nil)
        }
    }
}

extension WebSocketChannel.State {
    /// Notes that the connection is needed.
    private mutating func begin() -> WebSocketChannel.Action? {
        guard !hasBegun else { return nil }
        hasBegun = true
        return .begin
    }

    fileprivate mutating func take(_ order: WebSocketChannel.Order) -> WebSocketChannel.Action? {
        switch phase {
        case .connecting:
            orders.append(order)
            return begin()
        case .open: return .post(order)
        case .ended(let end): return .fail(order, end)
        }
    }

    /// Returns the next message or the end; adds a waiter if there is neither.
    fileprivate mutating func takeMessage(
        for number: Int,
        _ continuation: WebSocketChannel.Waiter
    ) -> (Result<WebSocketTask.Message?, any Error>?, WebSocketChannel.Action?) {
        if Task.isCancelled { return (.failure(CancellationError()), nil) }
        if let message = takeMessage() {
            guard isPaused, bufferedBytes <= WebSocketChannel.lowerMark else { return (.success(message), nil) }
            isPaused = false
            return (.success(message), .post(.consumed))
        }
        if case .ended(let end) = phase { return (WebSocketChannel.lastMessage(end), nil) }
        waiters.append((number, continuation))
        if case .connecting = phase { return (nil, begin()) }
        return (nil, nil)
    }

    private mutating func takeMessage() -> WebSocketTask.Message? {
        guard taken < messages.count else { return nil }
        let message = messages[taken]
        taken += 1
        bufferedBytes -= message.size + WebSocketChannel.messageOverhead
        if taken == messages.count {
            messages.removeAll(keepingCapacity: messages.capacity <= 64)
            taken = 0
        } else if taken > 64, taken * 2 > messages.count {
            messages.removeFirst(taken)
            taken = 0
        }
        return message
    }
}

extension WebSocketChannel.Order {
    func fail(_ error: any Error) {
        switch self {
        case .send(_, let answer), .ping(let answer): answer(.failure(error))
        // The connection is closed, which is all that was wanted.
        case .close(_, let answer): answer(.success(()))
        case .consumed, .goOn: break
        }
    }
}
#endif
