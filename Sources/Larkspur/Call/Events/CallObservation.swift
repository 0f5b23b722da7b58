import Synchronization

/// The observers of one call, and the events that have not been delivered to them yet.
///
/// Events are delivered on the completion queue, one after the other and in the order in which they were posted. One
/// thread at a time delivers, and also delivers the events that are posted in the meantime.
final class CallObservation: Sendable {
    /// An observer of the call.
    fileprivate struct Listener {
        let entry: ObserverEntry
        /// The number of the first event that the observer gets. An observer that is added late gets no earlier events.
        var first = 0
    }

    /// An event that has not been delivered yet.
    fileprivate struct Posted {
        let number: Int
        var event: CallEvent
    }

    fileprivate struct State {
        var listeners: [Listener]
        var pending: [Posted] = []
        var postedCount = 0
        var isDelivering = false
        var isQueued = false
        var attempt = 0
        /// Whether the start of an attempt was posted, but not its end.
        var isInAttempt = false
        /// The bytes of content that the current attempt has sent and received.
        var sent: Int64 = 0
        var received: Int64 = 0
        var transactions = 0
    }

    /// The kinds that at least one observer gets, as bits.
    private let kinds: Atomic<UInt32>
    private let queue: DispatchQueue
    private let state: Mutex<State>
    let identity = CallIdentity()

    /// - Parameters:
    ///   - observers: The observers.
    ///   - queue: The queue on which they are called.
    init(_ observers: [ObserverEntry], on queue: DispatchQueue) {
        kinds = Atomic(observers.reduce(0) { $0 | $1.kinds })
        self.queue = queue
        state = Mutex(State(listeners: observers.map { Listener(entry: $0) }))
    }

    /// Returns an observation with the same observers, for another call that takes over the current attempt.
    func copy() -> CallObservation {
        let (observers, attempt, isInAttempt) = state.withLock {
            ($0.listeners.map(\.entry), $0.attempt, $0.isInAttempt)
        }
        let copy = CallObservation(observers, on: queue)
        copy.state.withLock { ($0.attempt, $0.isInAttempt) = (attempt, isInAttempt) }
        return copy
    }

    /// Adds an observer of later events.
    func add(_ entry: ObserverEntry) {
        state.withLock { state in
            state.listeners.append(Listener(entry: entry, first: state.postedCount))
            kinds.bitwiseOr(entry.kinds, ordering: .relaxed)
        }
    }

    /// Posts an event, which is delivered later.
    func post(_ kind: CallEvent.Kind, of task: SessionTask?, _ detail: @autoclosure () -> CallEvent.Detail) {
        guard note(kind, of: task, detail) else { return }
        queue.async { [self] in deliver() }
    }

    /// Posts an event, and delivers all pending events. Called on the completion queue, in the work item that runs the
    /// handlers. So an observer that receives only `completed` costs no further wakeup.
    func deliver(_ kind: CallEvent.Kind, of task: SessionTask?, _ detail: @autoclosure () -> CallEvent.Detail) {
        _ = note(kind, of: task, detail)
        deliver()
    }

    /// Appends an event to the pending events, if an observer gets its kind.
    /// - Returns: Whether a delivery has to be queued.
    private func note(_ kind: CallEvent.Kind, of task: SessionTask?, _ detail: () -> CallEvent.Detail) -> Bool {
        // Counted even if no observer gets the event, because later events have the number of the attempt.
        if kind == .attemptStarted { state.withLock { $0.beginAttempt() } }
        guard kinds.load(ordering: .relaxed) & kind.bit != 0 else { return false }
        let detail = detail()
        return state.withLock { state in
            let event = CallEvent(kind, of: task, attempt: state.attempt, state.counted(detail, kind), identity)
            state.append(event)
            defer { state.isQueued = true }
            return !state.isQueued && !state.isDelivering
        }
    }

    /// Posts the end of the current attempt, and before it the transactions that have not been posted yet. If no
    /// transfer could be created, no attempt has started, so no end is posted.
    func postAttemptEnd(_ result: TransferResult, of task: SessionTask) {
        guard state.withLock({ exchange(&$0.isInAttempt, with: false) }) else { return }
        postTransactions(of: task)
        post(.attemptEnded, of: task, .attemptEnd(result))
    }

    private func postTransactions(of task: SessionTask) {
        guard kinds.load(ordering: .relaxed) & CallEvent.Kind.transactionEnded.bit != 0 else { return }
        let all = task.timeline.transactions
        let first = state.withLock { state in
            defer { state.transactions = all.count }
            return state.transactions
        }
        for metrics in all.dropFirst(first) { post(.transactionEnded, of: task, .transaction(metrics)) }
    }

    private func deliver() {
        // An observer may cause further events, which the next round delivers.
        while let (pending, listeners) = state.withLock({ $0.next() }) {
            for posted in pending {
                for listener in listeners where listener.gets(posted) { listener.entry.observer.observe(posted.event) }
            }
            if listeners.contains(where: \.entry.hasEnded) { removeEnded() }
            state.withLock { $0.isDelivering = false }
        }
    }

    /// Removes the observers of sequences that have ended. These observers ignore events, so the removal may come late.
    private func removeEnded() {
        let previous = state.withLock { state in
            let previous = state.listeners
            state.listeners.removeAll(where: \.entry.hasEnded)
            kinds.store(state.listeners.reduce(0) { $0 | $1.entry.kinds }, ordering: .relaxed)
            return previous
        }
        // The removed observers are released outside the lock.
        withExtendedLifetime(previous) {}
    }
}

extension CallObservation.State {
    /// The number of pending events at which messages of a WebSocket are no longer reported.
    private static let longestLine = 10_000

    fileprivate mutating func beginAttempt() {
        attempt += 1
        isInAttempt = true
        sent = 0
        received = 0
    }

    /// Returns the facts of an event, in which the bytes are counted for the current attempt.
    fileprivate mutating func counted(_ detail: CallEvent.Detail, _ kind: CallEvent.Kind) -> CallEvent.Detail {
        guard case .bytes(let count, let total) = detail else { return detail }
        if kind == .contentSent {
            // The transport reports the number of bytes sent in total. The number is lower than before if the transport
            // has begun the transfer again.
            defer { sent = total }
            return .bytes(count: max(0, total - sent), total: total)
        }
        received += count
        return .bytes(count: count, total: received)
    }

    fileprivate mutating func append(_ event: CallEvent) {
        if let merged = pending.last?.event.merged(with: event) {
            pending[pending.count - 1].event = merged
        } else {
            // There may be any number of messages of a WebSocket, so their number in the queue is limited.
            if case .message = event.detail, pending.count >= Self.longestLine { return }
            pending.append(CallObservation.Posted(number: postedCount, event: event))
            postedCount += 1
        }
    }

    /// Takes the pending events; nil if there are none, or if another thread delivers.
    fileprivate mutating func next() -> ([CallObservation.Posted], [CallObservation.Listener])? {
        guard !isDelivering, !pending.isEmpty else { return nil }
        isDelivering = true
        isQueued = false
        defer { pending = [] }
        return (pending, listeners)
    }
}

extension CallObservation.Listener {
    /// Returns whether the observer gets an event.
    fileprivate func gets(_ posted: CallObservation.Posted) -> Bool {
        posted.number >= first && entry.kinds & posted.event.kind.bit != 0
    }
}
