#if canImport(FoundationNetworking)
internal import HTTPSyntax

extension WebSocketChannel {
    enum Phase {
        case connecting
        case open
        case ended(End)
    }

    /// The consequence of a call of the user, which is carried out without the lock.
    enum Action {
        case begin
        case post(Order)
        case fail(Order, End)
        case end
    }

    /// The consequence of the attempt to use a connection.
    enum Use {
        case begins
        /// The connection was lost, or the channel has ended.
        case isOver
        /// The connection was lost, and was to be closed.
        case ends
    }

    struct State {
        var phase = Phase.connecting
        /// Whether the first handshake has begun, or begins with the order at hand.
        var hasBegun = false
        var hasOpened = false
        /// Whether the user closes the WebSocket, so that no other connection follows.
        var isClosing = false
        /// The orders that wait until a connection is open.
        var orders: [Order] = []
        var subprotocol: String?
        var inbox = WebSocketInbox()
        var closure: WebSocketTask.Closure?
        var openWaiters: [CheckedContinuation<Void, any Error>] = []
        /// The task of the only connection, or of the one that is open.
        weak var task: (any HandshakeTask)?
        /// The maker of the connections, until it begins; nil if there is one connection.
        var connector: Connector?
        var connections = Connections()
    }

    /// The state of the connections that a connector makes.
    struct Connections {
        /// The Swift task of the connector.
        var work: Task<Void, Never>?
        /// The attempt under way, or the one whose connection is open.
        var attempt: WebSocketAttempt?
        /// The end of that connection, if it came before its use.
        var end: End?
        /// Whether a message arrived on it.
        var hasReceived = false
        /// The orders before all others on it.
        var greeting: [Order] = []
        /// Whether the channel ends with it.
        var isLast = false
        /// The connector that waits for its loss.
        var waiter: CheckedContinuation<Loss?, Never>?
        /// The end of the last connection, for orders that reach it too late.
        var lastEnd: End?
        /// Whether one was lost, so that between two attempts there is nothing to close.
        var haveLosses = false
    }
}

/// The changes of the state, and what follows from them.
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

    /// Returns the next message or the end; adds a waiter if there is neither.
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
    /// - Returns: Whether the channel ends with it, the connector that waits for it, and whether a message arrived.
    mutating func lose(
        _ attempt: WebSocketAttempt?,
        _ end: WebSocketEnd
    ) -> (isFinal: Bool, waiter: CheckedContinuation<WebSocketLoss?, Never>?, hasReceived: Bool) {
        guard connections.attempt === attempt else { return (false, nil, false) }
        guard attempt != nil else { return (true, nil, false) }
        if case .open = phase, connections.isLast { return (true, nil, false) }
        // A connection that is in use, or about to be, was to be closed.
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
    /// - Returns: The loss of that connection, if it is known, and the consequence for the caller.
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
        // The connection is closed, which is all that was wanted.
        case .close(_, let answer): answer(.success(()))
        case .use, .consumed, .goOn: break
        }
    }
}

/// The end of a WebSocket or of one of its connections.
package enum WebSocketEnd: Sendable {
    /// A close frame of the server's, or the end of a closing without one.
    case closed(WebSocketTask.Closure?)
    /// A failure of the network, or of the server.
    case failed(any Error)
}

/// The end of a connection that may be followed by another one.
package struct WebSocketLoss: Sendable {
    package let end: WebSocketEnd
    /// Whether a message arrived on the connection.
    package let hasReceived: Bool
}
#endif
