public import Larkspur
internal import Synchronization

/// A store in the memory of the process, for tests of programs whose processes share limits or credentials.
///
/// Session managers that have the same store behave like processes that share it. A test can let steps of the store
/// fail, hang or take long, and move the store's clock:
///
///     let clock = TestClock()
///     let store = InMemorySharedStore(clock: clock)
///     store.fault = { step in step.operation == .takeToken ? .failed(URLError(.timedOut)) : nil }
///
/// Every method may be called on any thread. Without a fault, each step ends at once.
public final class InMemorySharedStore: SharedStore {
    /// The method that performs a step.
    public enum Operation: Sendable, Hashable, CaseIterable {
        /// `value(for:)`
        case value
        /// `replaceValue(for:version:with:lifetime:)`
        case replaceValue
        /// `takeToken(for:from:within:)`
        case takeToken
        /// `acquireLease(for:duration:)`
        case acquireLease
        /// `renew(_:duration:)`
        case renewLease
        /// `release(_:)`
        case releaseLease
    }

    /// A step that the store was asked for.
    public struct Step: Sendable, Hashable {
        /// The method.
        public let operation: Operation
        /// The key of the value, of the bucket or of the lease.
        public let key: String
    }

    /// What happens in place of a step.
    public enum Fault: Sendable {
        /// The step is not performed, and throws an error.
        case failed(any Error)
        /// The step is performed, but throws an error, as after the loss of a connection.
        case lost(any Error)
        /// The step is performed when a gate opens. A task that is cancelled waits no longer, and nothing is performed,
        /// unless the cancellation is ignored.
        case held(until: LoopbackServer.Gate, ignoringCancellation: Bool = false)
        /// The step is performed after a delay by the store's clock.
        case delayed(Duration)
    }

    private struct State {
        var values: [String: (value: SharedValue, end: Duration?)] = [:]
        /// The time at which each bucket is full again.
        var fullTimes: [String: Duration] = [:]
        var leases: [String: (number: UInt64, end: Duration)] = [:]
        /// The number of the latest version or lease.
        var count: UInt64 = 0
        var steps: [Step] = []
        var fault: (@Sendable (Step) -> Fault?)?

        func value(_ key: String, at now: Duration) -> SharedValue? {
            guard let (value, end) = values[key], end.map({ $0 > now }) ?? true else { return nil }
            return value
        }

        func hasLease(_ lease: SharedLease, at now: Duration) -> Bool {
            guard let held = leases[lease.key] else { return false }
            return held.number == lease.number && held.end > now
        }
    }

    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration
    private let state = Mutex(State())

    /// Creates an empty store.
    /// - Parameter clock: The clock of all times in the store. Default: the continuous clock.
    public init(clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
        elapsed = Self.stopwatch(clock)
    }

    private static func stopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    /// The name of the type.
    public var description: String { "InMemorySharedStore" }

    /// A closure that is called before each step, on an arbitrary thread, and returns what happens in its place.
    /// Default: nil, for no faults.
    public var fault: (@Sendable (Step) -> Fault?)? {
        get { state.withLock { $0.fault } }
        set {
            let old = state.withLock { state in
                defer { state.fault = newValue }
                return state.fault
            }
            // Releases the old closure here, outside the lock.
            withExtendedLifetime(old) {}
        }
    }

    /// The steps that the store was asked for, in their order, with those that a fault has replaced.
    public var steps: [Step] { state.withLock { $0.steps } }

    /// Removes all values, buckets and leases, as a store does that loses its data. Later versions and leases still
    /// have new numbers.
    public func removeAll() {
        state.withLock { state in
            state.values = [:]
            state.fullTimes = [:]
            state.leases = [:]
        }
    }

    // MARK: Steps

    /// Returns the value of a key; nil if there is none, or if its lifetime has ended.
    /// - Throws: The error of a fault.
    public func value(for key: String) async throws -> SharedValue? {
        try await perform(.value, key) { $0.value(key, at: $1) }
    }

    /// Replaces a value, unless another version of it is present.
    /// - Throws: The error of a fault.
    public func replaceValue(
        for key: String,
        version: SharedValue.Version?,
        with data: Data?,
        lifetime: Duration?
    ) async throws -> Bool {
        try await perform(.replaceValue, key) { state, now in
            guard state.value(key, at: now)?.version == version else { return false }
            state.count += 1
            let version = SharedValue.Version(String(state.count))
            state.values[key] = data.map {
                (SharedValue(data: $0, version: version), lifetime.map { now + $0.bounded })
            }
            return true
        }
    }

    /// Takes a token from a bucket.
    /// - Throws: The error of a fault.
    public func takeToken(
        for key: String,
        from bucket: SharedBucket,
        within limit: Duration
    ) async throws -> Duration {
        try await perform(.takeToken, key) { state, now in
            let earliest = now - bucket.tolerance.bounded
            let full = max(state.fullTimes[key] ?? earliest, earliest)
            let next = full + bucket.interval.bounded
            let delay = max(next - now - bucket.capacity.bounded, .zero)
            if delay <= max(limit, .zero) { state.fullTimes[key] = next }
            return delay
        }
    }

    /// Acquires a lease, if no other holder has it.
    /// - Throws: The error of a fault.
    public func acquireLease(for key: String, duration: Duration) async throws -> SharedLease.Attempt {
        try await perform(.acquireLease, key) { state, now in
            if let held = state.leases[key], held.end > now { return .held(held.end - now) }
            state.count += 1
            state.leases[key] = (state.count, now + duration.bounded)
            return .acquired(SharedLease(key: key, number: state.count))
        }
    }

    /// Lets a lease expire later, unless it has already expired, or has another holder.
    /// - Throws: The error of a fault.
    public func renew(_ lease: SharedLease, duration: Duration) async throws -> Bool {
        try await perform(.renewLease, lease.key) { state, now in
            guard state.hasLease(lease, at: now) else { return false }
            state.leases[lease.key]?.end = now + duration.bounded
            return true
        }
    }

    /// Releases a lease, unless it has already expired, or has another holder.
    /// - Throws: The error of a fault.
    public func release(_ lease: SharedLease) async throws {
        try await perform(.releaseLease, lease.key) { state, now in
            if state.hasLease(lease, at: now) { state.leases[lease.key] = nil }
        }
    }

    /// Performs a step, or its fault.
    private func perform<Value: Sendable>(
        _ operation: Operation,
        _ key: String,
        _ body: @Sendable (inout State, Duration) -> Value
    ) async throws -> Value {
        let step = Step(operation: operation, key: key)
        let fault = state.withLock { state in
            state.steps.append(step)
            return state.fault
        }
        switch fault?(step) {
        case .failed(let error): throw error
        case .lost(let error):
            _ = change(body)
            throw error
        case .held(let gate, let ignoresCancellation):
            if ignoresCancellation {
                await withCheckedContinuation { continuation in _ = gate.observe { continuation.resume() } }
            } else {
                await gate.wait()
                if !gate.isOpen { throw CancellationError() }
            }
        case .delayed(let delay): try await clock.sleep(for: delay)
        case nil: break
        }
        return change(body)
    }

    private func change<Value: Sendable>(_ body: @Sendable (inout State, Duration) -> Value) -> Value {
        // A clock may be the caller's code, so it runs outside the lock.
        let now = elapsed()
        return state.withLock { body(&$0, now) }
    }
}

extension Duration {
    /// The nearest value up to a hundred years, so that sums do not overflow.
    fileprivate var bounded: Duration { min(max(self, .zero), .seconds(3_155_760_000)) }
}
