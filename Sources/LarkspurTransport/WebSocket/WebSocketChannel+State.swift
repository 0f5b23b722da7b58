#if canImport(FoundationNetworking)
internal import HTTPSyntax

extension WebSocketChannel {
    enum Phase {
        case connecting
        case open
        case ended(End)
    }

    /// The effect of a user's call. It is performed without the lock.
    enum Action {
        case begin
        case post(Order)
        case fail(Order, End)
        case end
    }

    /// The result of an attempt to use a connection.
    enum Use {
        case begins
        /// The connection was lost, or the channel has ended.
        case isOver
        /// The connection was lost, but was to be closed anyway.
        case ends
    }

    struct State {
        var phase = Phase.connecting
        /// Whether the first handshake has begun, or begins with the current order.
        var hasBegun = false
        var hasOpened = false
        /// Whether the user closes the WebSocket. Then no further connection is made.
        var isClosing = false
        /// The orders that wait for an open connection.
        var orders: [Order] = []
        var subprotocol: String?
        var inbox = WebSocketInbox()
        var closure: WebSocketTask.Closure?
        var openWaiters: [CheckedContinuation<Void, any Error>] = []
        /// The task of the current connection.
        weak var task: (any HandshakeTask)?
        /// The maker of the connections, until it begins; nil for a channel with one connection.
        var connector: Connector?
        var connections = Connections()
    }

    /// The state of a channel whose connections a connector makes.
    struct Connections {
        /// The Swift task of the connector.
        var work: Task<Void, Never>?
        /// The current attempt, or the attempt whose connection is open.
        var attempt: WebSocketAttempt?
        /// The end of that connection, if it has ended before it was used.
        var end: End?
        /// Whether that connection has received a message.
        var hasReceived = false
        /// The orders to perform before all others on that connection.
        var greeting: [Order] = []
        /// Whether the channel ends with that connection.
        var isLast = false
        /// The connector's wait for the loss of that connection.
        var waiter: CheckedContinuation<Loss?, Never>?
        /// The end of the previous connection, for orders that arrive too late for it.
        var lastEnd: End?
        /// Whether a connection was lost before. Then there is nothing to close between two attempts.
        var haveLosses = false
    }
}

/// The changes of the state, and their effects.
extension WebSocketChannel.State {
    /// Records that a connection is needed.
    mutating func begin() -> WebSocketChannel.Action? {
        guard case .connecting = phase, !hasBegun else { return nil }
        hasBegun = true
        return .begin
    }

    mutating func take(_ order: WebSocketChannel.Order) -> WebSocketChannel.Action? {
        if case .close = order { isClosing = true }
        switch phase {
        case .connecting:
            orders.append(order)
            if isClosing, connections.haveLosses, connections.attempt == nil { return .end }
            return begin()
        case .open: return .post(order)
        case .ended(let end): return .fail(order, end)
        }
    }

    /// Returns the next message, or the end; adds a waiter if there is neither.
    mutating func takeMessage(
        for number: Int,
        _ consumer: WebSocketInbox.Consumer
    ) -> (Result<WebSocketTask.Message?, any Error>?, WebSocketChannel.Action?) {
        if Task.isCancelled { return (.failure(CancellationError()), nil) }
        if let (message, goesOn) = inbox.take() {
            if goesOn, case .open = phase { return (.success(message), .post(.consumed)) }
            return (.success(message), nil)
        }
        if case .ended(let end) = phase { return (WebSocketChannel.lastMessage(end), nil) }
        inbox.wait(number, consumer)
        return (nil, begin())
    }

    /// Records the loss of a connection.
    /// - Returns: Whether the channel ends with it, the waiting connector, and whether the connection has received a
    ///   message.
    mutating func lose(
        _ attempt: WebSocketAttempt?,
        _ end: WebSocketEnd
    ) -> (isFinal: Bool, waiter: CheckedContinuation<WebSocketLoss?, Never>?, hasReceived: Bool) {
        guard connections.attempt === attempt else { return (false, nil, false) }
        guard attempt != nil else { return (true, nil, false) }
        if case .open = phase, connections.isLast { return (true, nil, false) }
        // The connection is used, or about to be used, but the user has already closed it.
        if isClosing, connections.waiter != nil { return (true, nil, false) }
        connections.lastEnd = end
        connections.end = end
        guard let waiter = connections.waiter.take() else { return (false, nil, false) }
        connections.haveLosses = true
        phase = .connecting
        task = nil
        connections.attempt = nil
        connections.greeting = []
        return (false, waiter, connections.hasReceived)
    }

    /// Records that the connection of an attempt is used.
    /// - Returns: The loss of that connection if it was already lost, and the effect for the caller.
    mutating func use(
        _ attempt: WebSocketAttempt,
        _ greeting: [WebSocketChannel.Order],
        isLast: Bool,
        _ waiter: CheckedContinuation<WebSocketLoss?, Never>
    ) -> (WebSocketLoss?, WebSocketChannel.Use) {
        guard case .connecting = phase, connections.attempt === attempt else { return (nil, .isOver) }
        if let end = connections.end {
            connections.attempt = nil
            connections.haveLosses = true
            return (WebSocketLoss(end: end, hasReceived: false), isClosing ? .ends : .isOver)
        }
        task = attempt.task
        connections.isLast = isLast
        connections.waiter = waiter
        connections.greeting = greeting
        return (nil, .begins)
    }
}

extension WebSocketChannel.Order {
    func fail(_ error: any Error) {
        switch self {
        case .send(_, let answer), .ping(let answer): answer(.failure(error))
        // The connection is already closed, as the order requires.
        case .close(_, let answer): answer(.success(()))
        case .use, .consumed, .goOn: break
        }
    }
}

/// The end of a WebSocket or of one of its connections.
package enum WebSocketEnd: Sendable {
    /// The server's close frame; nil if the connection was closed without one.
    case closed(WebSocketTask.Closure?)
    /// A failure of the network or of the server.
    case failed(any Error)
}

/// The end of a connection after which another one may follow.
package struct WebSocketLoss: Sendable {
    package let end: WebSocketEnd
    /// Whether the connection has received a message.
    package let hasReceived: Bool
}
#endif
