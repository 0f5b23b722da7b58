#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The pings of a WebSocket that have no pong yet, and the time of the engine's next ping.
struct WebSocketPings {
    /// The pings, the oldest first. The completion is nil for the engine's own pings.
    private var waiting: [(content: Data, answer: WebSocketChannel.Completion?)] = []
    private var number: UInt64 = 0
    /// The time of the engine's next ping.
    private(set) var next = LoopTime.distantFuture

    /// Whether one of the engine's own pings has no pong yet.
    var awaitsOwn: Bool { waiting.contains { $0.answer == nil } }

    /// Sets the time of the engine's next ping.
    /// - Parameter interval: The time between two pings; nil for no pings.
    mutating func schedule(every interval: Duration?, from now: LoopTime) {
        next = interval.map { now.adding(max($0, .milliseconds(1))) } ?? .distantFuture
    }

    /// Adds a ping, and returns its content.
    mutating func add(_ answer: WebSocketChannel.Completion?) -> Data {
        number &+= 1
        let content = withUnsafeBytes(of: number.bigEndian) { Data($0) }
        waiting.append((content, answer))
        return content
    }

    /// Completes the ping of this pong, and all earlier pings (RFC 6455, section 5.5.3).
    mutating func receivePong(_ content: Data) {
        guard let index = waiting.firstIndex(where: { $0.content == content }) else { return }
        let answered = waiting[...index]
        waiting.removeSubrange(...index)
        for ping in answered { ping.answer?(.success(())) }
    }

    /// Fails all pings that have no pong yet.
    mutating func fail(with error: any Error) {
        let rest = waiting
        self = WebSocketPings()
        for ping in rest { ping.answer?(.failure(error)) }
    }
}
#endif
