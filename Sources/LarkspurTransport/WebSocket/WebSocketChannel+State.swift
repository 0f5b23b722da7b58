#if canImport(FoundationNetworking)
internal import HTTPSyntax

extension WebSocketChannel {
    enum Phase {
        case connecting
        case open
        case ended(WebSocketEnd)
    }

    /// The action that a user's call requires. It is performed outside the lock.
    enum Action {
        case begin
        case post(Order)
        case fail(Order, WebSocketEnd)
        case end
    }

    /// The result of an attempt to use a connection.
    enum Use {
        case begins
        /// The connection was lost, or the channel has ended.
        case isOver
        /// The connection was lost, but the user had already closed the WebSocket.
        case ends
    }

    struct State {
        var phase = Phase.connecting
        /// Whether the first handshake has begun or begins with the current order.
        var hasBegun = false
        var hasOpened = false
        /// The close frame of the user; nil until the user closes the WebSocket.
        var ownCloseFrame: WebSocketTask.CloseFrame?
        /// The orders that wait for an open connection.
        var orders: [Order] = []
        /// The number of these orders that an earlier connection has returned without beginning them. They are the
        /// first in the list.
        var returnedCount = 0
        var subprotocol: String?
        var inbox = WebSocketInbox()
        var closeFrame: WebSocketTask.CloseFrame?
        var maximumMessageSize: Int
        var openWaiters: [CheckedContinuation<Void, any Error>] = []
        /// The task of the current connection.
        weak var task: (any HandshakeTask)?
        var connections = Connections()
    }

    /// The state of a channel whose connections are established by a connector.
    struct Connections {
        /// The closure that establishes the connections. Nil after it was called, and for a channel with one
        /// connection.
        var connector: Connector?
        /// The Swift task of the connector.
        var work: Task<Void, Never>?
        /// The current attempt, or the attempt whose connection is open.
        var attempt: WebSocketAttempt?
        /// The end of the attempt's connection, if this connection has ended before it was used.
        var end: WebSocketEnd?
        /// Whether the attempt's connection has received a message.
        var hasReceived = false
        /// The orders to perform on the attempt's connection before all other orders.
        var greeting: [Order] = []
        /// Whether the channel ends when the attempt's connection ends.
        var isLast = false
        /// The continuation of the connector, which waits for the loss of the attempt's connection.
        var waiter: CheckedContinuation<WebSocketLoss?, Never>?
        /// The end of the last connection, for orders that arrive after this end.
        var lastEnd: WebSocketEnd?
        /// Whether a connection was lost before. If so, a close between two attempts ends the WebSocket immediately.
        var haveLosses = false
    }
}

/// The changes of the state, and their effects.
extension WebSocketChannel.State {
    /// Whether the user has closed the WebSocket. If so, no further connection is established.
    var isClosing: Bool { ownCloseFrame != nil }

    /// Records that a connection is needed.
    mutating func begin() -> WebSocketChannel.Action? {
        guard case .connecting = phase, !hasBegun else { return nil }
        hasBegun = true
        return .begin
    }

    mutating func take(_ order: WebSocketChannel.Order) -> WebSocketChannel.Action? {
        if case .close(let frame, _) = order { ownCloseFrame = ownCloseFrame ?? frame }
        switch phase {
        case .connecting:
            orders.append(order)
            if isClosing, connections.haveLosses, connections.attempt == nil { return .end }
            return begin()
        case .open: return .post(order)
        case .ended(let end): return .fail(order, end)
        }
    }

    /// Queues again an order whose connection was closed before the order began. If another connection follows, the
    /// order waits for it, ahead of the orders that were given after the old connection was lost.
    /// - Returns: False if no other connection follows. The order then fails.
    mutating func takeBack(_ order: WebSocketChannel.Order, of attempt: WebSocketAttempt?) -> Bool {
        guard attempt != nil, !isClosing, connections.haveLosses, case .connecting = phase else { return false }
        orders.insert(order, at: returnedCount)
        returnedCount += 1
        return true
    }

    /// Removes and returns the orders that wait for an open connection.
    mutating func takeOrders() -> [WebSocketChannel.Order] {
        defer { (orders, returnedCount) = ([], 0) }
        return orders
    }

    /// Returns the next message or the end. If there is neither, the consumer waits.
    mutating func takeMessage(
        for number: Int,
        _ consumer: @escaping WebSocketInbox.Consumer
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
    /// - Returns: Whether the channel ends too, the waiting connector, and whether the connection has received a
    ///   message.
    mutating func lose(
        _ attempt: WebSocketAttempt?,
        _ end: WebSocketEnd
    ) -> (isFinal: Bool, waiter: CheckedContinuation<WebSocketLoss?, Never>?, hasReceived: Bool) {
        guard connections.attempt === attempt else { return (false, nil, false) }
        guard attempt != nil else { return (true, nil, false) }
        if case .open = phase, connections.isLast { return (true, nil, false) }
        // The connection is in use, but the user has already closed the WebSocket. So no other connection follows.
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
    /// - Returns: The loss of the connection if it was already lost, and the result for the caller.
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
    /// The server's close frame; nil if the connection was closed without a close frame.
    case closed(WebSocketTask.CloseFrame?)
    /// A failure of the network or of the server.
    case failed(any Error)
}

/// The end of a connection after which another connection may follow.
package struct WebSocketLoss: Sendable {
    package let end: WebSocketEnd
    /// Whether the connection has received a message.
    package let hasReceived: Bool
}
#endif
