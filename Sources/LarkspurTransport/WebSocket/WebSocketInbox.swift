#if canImport(FoundationNetworking)
/// The messages of a WebSocket that wait for their consumers, or the consumers that wait for messages.
struct WebSocketInbox {
    typealias Consumer = CheckedContinuation<WebSocketTask.Message?, any Error>

    /// The numbers of bytes above which the connection is paused, and at which it continues.
    private static let upperMark = 1 << 20
    private static let lowerMark = 1 << 18
    /// The number of bytes that a message counts besides its content, so that empty ones are bounded too.
    private static let messageOverhead = 64

    private var messages = Line<WebSocketTask.Message>()
    private var bufferedBytes = 0
    /// Whether the connection is paused, as so many messages wait.
    private(set) var isFull = false
    private var lastNumber = 0
    private var consumers: [(number: Int, continuation: Consumer)] = []

    /// Adds a message.
    /// - Returns: The consumer that gets it; nil if it waits.
    mutating func add(_ message: WebSocketTask.Message) -> Consumer? {
        if !consumers.isEmpty { return consumers.removeFirst().continuation }
        messages.append(message)
        bufferedBytes += message.size + Self.messageOverhead
        isFull = bufferedBytes >= Self.upperMark
        return nil
    }

    /// Takes the next message; nil if there is none.
    /// - Returns: The message, and whether the connection may continue from now on.
    mutating func take() -> (message: WebSocketTask.Message, goesOn: Bool)? {
        guard let message = messages.take() else { return nil }
        bufferedBytes -= message.size + Self.messageOverhead
        guard isFull, bufferedBytes <= Self.lowerMark else { return (message, false) }
        isFull = false
        return (message, true)
    }

    /// Returns the number of another consumer.
    mutating func makeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Makes a consumer wait.
    mutating func wait(_ number: Int, _ consumer: Consumer) { consumers.append((number, consumer)) }

    /// Takes out a consumer that waits; nil if it waits no longer.
    mutating func leave(_ number: Int) -> Consumer? {
        consumers.firstIndex { $0.number == number }.map { consumers.remove(at: $0).continuation }
    }

    /// Takes out all consumers that wait.
    mutating func takeConsumers() -> [Consumer] { exchange(&consumers, with: []).map(\.continuation) }
}
#endif
