#if canImport(FoundationNetworking)
/// The messages of a WebSocket that wait for consumers, or the consumers that wait for messages.
struct WebSocketInbox {
    typealias Consumer = CheckedContinuation<WebSocketTask.Message?, any Error>

    /// The number of bytes above which the connection pauses, and the number at which it continues.
    private static let upperMark = 1 << 20
    private static let lowerMark = 1 << 18
    /// The number of bytes that a message counts in addition to its content, so that empty messages are limited too.
    private static let messageOverhead = 64

    private var messages = Line<WebSocketTask.Message>()
    private var bufferedBytes = 0
    /// Whether the connection is paused, as too many messages wait.
    private(set) var isFull = false
    private var lastNumber = 0
    private var consumers: [(number: Int, continuation: Consumer)] = []

    /// Adds a message.
    /// - Returns: The consumer for the message; nil if the message waits.
    mutating func add(_ message: WebSocketTask.Message) -> Consumer? {
        if !consumers.isEmpty { return consumers.removeFirst().continuation }
        messages.append(message)
        bufferedBytes += message.size + Self.messageOverhead
        isFull = bufferedBytes >= Self.upperMark
        return nil
    }

    /// Takes the next message; nil if there is none.
    /// - Returns: The message, and whether the connection can continue now.
    mutating func take() -> (message: WebSocketTask.Message, goesOn: Bool)? {
        guard let message = messages.take() else { return nil }
        bufferedBytes -= message.size + Self.messageOverhead
        guard isFull, bufferedBytes <= Self.lowerMark else { return (message, false) }
        isFull = false
        return (message, true)
    }

    /// Returns a number for another consumer.
    mutating func makeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Adds a waiting consumer.
    mutating func wait(_ number: Int, _ consumer: Consumer) { consumers.append((number, consumer)) }

    /// Removes a waiting consumer and returns it; nil if it no longer waits.
    mutating func leave(_ number: Int) -> Consumer? {
        consumers.firstIndex { $0.number == number }.map { consumers.remove(at: $0).continuation }
    }

    /// Removes and returns all waiting consumers.
    mutating func takeConsumers() -> [Consumer] { exchange(&consumers, with: []).map(\.continuation) }
}
#endif
