import Synchronization

/// An observer that counts calls, retries, responses from the cache, connections and bytes, and measures latencies.
///
///     let statistics = CallStatistics()
///     manager.observers.append(statistics)
///     …
///     print(statistics.snapshot)
public final class CallStatistics: CallObserver {
    /// The counts at one moment.
    public struct Snapshot: Sendable {
        /// The calls that have started and have not ended.
        public fileprivate(set) var inFlight = 0
        /// The calls in flight that wait until they may connect to their host. 0 if the transport does not report it.
        public fileprivate(set) var queued = 0
        /// The calls that have ended without an error.
        public fileprivate(set) var succeeded = 0
        /// The calls that have ended with an error, cancelled calls included.
        public fileprivate(set) var failed = 0
        /// The attempts that ``RetryPolicy`` has made after a failure.
        public fileprivate(set) var retries = 0
        /// The calls that shared the attempt of an equal call (``RequestCoalescing``).
        public fileprivate(set) var coalesced = 0
        /// The redirects that were followed or refused.
        public fileprivate(set) var redirects = 0
        /// The responses from the cache for which no request was sent.
        public fileprivate(set) var cacheHits = 0
        /// The responses from the cache that the server has validated.
        public fileprivate(set) var revalidations = 0
        /// The requests on a new connection.
        public fileprivate(set) var newConnections = 0
        /// The requests on a connection that was used before.
        public fileprivate(set) var reusedConnections = 0
        /// The bytes of requests, head and content, as they were sent.
        public fileprivate(set) var sentBytes: Int64 = 0
        /// The bytes of responses, head and content, as they were transferred.
        public fileprivate(set) var receivedBytes: Int64 = 0
        /// The times from the start of a call to the end of its transfer.
        public fileprivate(set) var latency = LatencyHistogram()
    }

    fileprivate struct State {
        var counts = Snapshot()
        var running: [ObjectIdentifier: SessionTask] = [:]
    }

    /// The kinds of events that are counted.
    public let kinds: Set<CallEvent.Kind> = [
        .resumed, .completed, .retryScheduled, .coalesced, .redirected, .transactionEnded,
    ]

    private let state = Mutex(State())

    /// Creates an observer with counts of 0.
    public init() {}

    /// The counts at this moment.
    public var snapshot: Snapshot {
        var (snapshot, running) = state.withLock { ($0.counts, Array($0.running.values)) }
        snapshot.inFlight = running.count
        snapshot.queued = running.count { $0.waitsForConnection }
        return snapshot
    }

    /// Sets all counts to 0, except for the counts of the calls in flight.
    public func reset() { state.withLock { $0.counts = Snapshot() } }

    /// Counts an event.
    public func observe(_ event: CallEvent) {
        // Returned from the closure, so that the task is released outside the lock.
        _ = state.withLock { $0.note(event) }
    }
}

extension CallStatistics.State {
    fileprivate mutating func note(_ event: CallEvent) -> SessionTask? {
        switch event.kind {
        case .resumed: if let task = event.task { running[ObjectIdentifier(task)] = task }
        case .retryScheduled: counts.retries += 1
        case .coalesced: counts.coalesced += 1
        case .redirected: counts.redirects += 1
        case .transactionEnded: if let transaction = event.transaction { counts.add(transaction) }
        case .completed:
            if event.error == nil { counts.succeeded += 1 } else { counts.failed += 1 }
            if let duration = event.completion?.timeline.requestDuration { counts.latency.add(duration) }
            return event.task.flatMap { running.removeValue(forKey: ObjectIdentifier($0)) }
        default: break
        }
        return nil
    }
}

extension CallStatistics.Snapshot {
    fileprivate mutating func add(_ transaction: TransferMetrics) {
        if transaction.source == .cache {
            cacheHits += 1
            return
        }
        if transaction.source == .validatedCache { revalidations += 1 }
        if transaction.isReusedConnection {
            reusedConnections += 1
        } else if transaction.connect != nil {
            newConnections += 1
        }
        sentBytes += transaction.requestHeaderBytes + transaction.requestBodyBytes
        receivedBytes += transaction.responseHeaderBytes + transaction.responseBodyBytes
    }
}

extension CallStatistics.Snapshot: CustomStringConvertible {
    /// The counts that are not 0, and the latencies in a second line.
    public var description: String {
        let counts: [(String, Int64)] = [
            ("in flight", Int64(inFlight)), ("queued", Int64(queued)), ("succeeded", Int64(succeeded)),
            ("failed", Int64(failed)), ("retries", Int64(retries)), ("coalesced", Int64(coalesced)),
            ("redirects", Int64(redirects)), ("cache hits", Int64(cacheHits)),
            ("revalidations", Int64(revalidations)), ("new connections", Int64(newConnections)),
            ("reused connections", Int64(reusedConnections)), ("bytes sent", sentBytes),
            ("bytes received", receivedBytes),
        ]
        let shown = counts.filter { $0.1 != 0 }.map { "\($0.0): \($0.1)" }.joined(separator: ", ")
        return latency.count == 0 ? shown : "\(shown)\nlatency: \(latency)"
    }
}
