#if canImport(FoundationNetworking)
/// The messages of a WebSocket that wait for consumers, and the consumers that wait for messages.
struct WebSocketInbox {
    /// A closure that receives a message, or nil after the last message.
    typealias Consumer = @Sendable (Result<WebSocketTask.Message?, any Error>) -> Void

    /// If the number of buffered bytes exceeds the upper mark, the connection pauses. It continues when the number has
    /// fallen to the lower mark.
    private static let upperMark = 1 << 20
    private static let lowerMark = 1 << 18
    /// The number of bytes that is added to the size of each message. It also limits the number of empty messages.
    private static let messageOverhead = 64

    private var messages = Line<WebSocketTask.Message>()
    private var bufferedBytes = 0
    /// Whether the connection is paused, because too many messages wait.
    private(set) var isFull = false
    private var lastNumber = 0
    private var consumers: [(number: Int, consumer: Consumer)] = []

    /// Adds a message.
    /// - Returns: The consumer for the message; nil if the message has to wait.
    mutating func add(_ message: WebSocketTask.Message) -> Consumer? {
        if !consumers.isEmpty { return consumers.removeFirst().consumer }
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

    /// Returns an unused number for a new consumer.
    mutating func makeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Adds a waiting consumer.
    mutating func wait(_ number: Int, _ consumer: @escaping Consumer) { consumers.append((number, consumer)) }

    /// Removes and returns a waiting consumer. Nil if the consumer no longer waits.
    mutating func leave(_ number: Int) -> Consumer? {
        consumers.firstIndex { $0.number == number }.map { consumers.remove(at: $0).consumer }
    }

    /// Removes and returns all waiting consumers.
    mutating func takeConsumers() -> [Consumer] { exchange(&consumers, with: []).map(\.consumer) }
}
#endif
