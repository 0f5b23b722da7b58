import Synchronization

/// An observer that passes events to a sequence.
///
/// When the sequence ends, the observer releases it. Otherwise there would be a reference cycle: the sequence retains
/// the events that its consumer has not taken, even after its end; each event retains its task; the task retains the
/// observer; and the observer retains the sequence.
final class StreamObserver: CallObserver {
    let kinds: Set<CallEvent.Kind>
    private let delivered: Set<CallEvent.Kind>
    private let endsWithCall: Bool
    private let continuation: Mutex<AsyncStream<CallEvent>.Continuation?>

    /// Returns a sequence, and the observer that fills it.
    /// - Parameters:
    ///   - kinds: The kinds of events.
    ///   - limit: The maximum number of events that are buffered for the consumer.
    ///   - endsWithCall: Whether the sequence ends after `completed`. Default: false.
    ///   - didEnd: Called with the observer when the sequence has ended or its consumer has stopped, on an arbitrary
    ///     thread. Default: does nothing.
    static func make(
        _ kinds: Set<CallEvent.Kind>,
        limit: Int,
        endsWithCall: Bool = false,
        didEnd: @escaping @Sendable (StreamObserver) -> Void = { _ in }
    ) -> (AsyncStream<CallEvent>, StreamObserver) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CallEvent.self,
            bufferingPolicy: .bufferingNewest(limit)
        )
        let observer = StreamObserver(kinds, endsWithCall, continuation)
        // The reference is weak, because the observer owns the continuation.
        continuation.onTermination = { [weak observer] _ in
            guard let observer else { return }
            observer.end()
            didEnd(observer)
        }
        return (stream, observer)
    }

    private init(
        _ kinds: Set<CallEvent.Kind>,
        _ endsWithCall: Bool,
        _ continuation: AsyncStream<CallEvent>.Continuation
    ) {
        delivered = kinds
        // The event `completed` ends the sequence, even if the consumer does not get the event.
        self.kinds = endsWithCall ? kinds.union([.completed]) : kinds
        self.endsWithCall = endsWithCall
        self.continuation = Mutex(continuation)
    }

    var hasEnded: Bool { continuation.withLock { $0 == nil } }

    /// Ends and releases the sequence. Tasks may still retain the observer.
    func end() {
        // The sequence is finished and released outside the lock, because finishing and releasing it run other code.
        continuation.withLock { $0.take() }?.finish()
    }

    func observe(_ event: CallEvent) {
        if delivered.contains(event.kind) { continuation.withLock { $0 }?.yield(event) }
        if endsWithCall, event.kind == .completed { end() }
    }
}
