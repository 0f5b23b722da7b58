#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The pings of a WebSocket that wait for their pongs, and the time of the engine's next one.
struct WebSocketPings {
    /// The pings, the oldest first; nil as the answer of the engine's own.
    private var waiting: [(content: Data, answer: WebSocketChannel.Answer?)] = []
    private var number: UInt64 = 0
    /// The time at which the engine sends a ping of its own.
    private(set) var next = LoopTime.distantFuture

    /// Whether a ping of the engine's own has no pong yet.
    var awaitsOwn: Bool { waiting.contains { $0.answer == nil } }

    /// Sets the time of the engine's next ping.
    /// - Parameter interval: The time between two of them in seconds; nil for none.
    mutating func schedule(every interval: TimeInterval?, from now: LoopTime) {
        next = interval.map { now.adding(max($0, 0.001)) } ?? .distantFuture
    }

    /// Adds a ping, and returns its content.
    mutating func add(_ answer: WebSocketChannel.Answer?) -> Data {
        number &+= 1
        let content = withUnsafeBytes(of: number.bigEndian) { Data($0) }
        waiting.append((content, answer))
        return content
    }

    /// Answers the ping of a pong and all before it (RFC 6455, section 5.5.3).
    mutating func receivePong(_ content: Data) {
        guard let index = waiting.firstIndex(where: { $0.content == content }) else { return }
        let answered = waiting[...index]
        waiting.removeSubrange(...index)
        for ping in answered { ping.answer?(.success(())) }
    }

    /// Ends all pings that wait.
    mutating func fail(with error: any Error) {
        let rest = waiting
        self = WebSocketPings()
        for ping in rest { ping.answer?(.failure(error)) }
    }
}
#endif
