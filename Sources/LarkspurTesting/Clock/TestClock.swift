internal import Synchronization

/// A clock that stands still until a test moves it.
///
///     let clock = TestClock()
///     manager.clock = clock
///     manager.interceptors.call = [.retry()]
///     let call = Task { try await manager.get("users").string }
///     try await clock.waitForSleepers(1)
///     clock.advance(by: .seconds(1))
///
/// Every method may be called on any thread.
public final class TestClock: Clock, Sendable {
    /// A point in time, as the duration since the creation of the clock.
    public struct Instant: InstantProtocol {
        /// The duration since the creation of the clock.
        public var offset: Duration

        /// Creates a point in time.
        /// - Parameter offset: The duration since the creation of the clock. Default: zero.
        public init(offset: Duration = .zero) { self.offset = offset }

        /// Returns the point in time that is a duration later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// Returns the duration from this point in time to another one.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Orders points in time; earlier ones come first.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper: Sendable {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Waiter: Sendable {
        let isSatisfied: @Sendable (State) -> Bool
        let gate: LoopbackServer.Gate
    }

    private struct State: Sendable {
        var now = Instant()
        var sleepers: [Int: Sleeper] = [:]
        var sleeps: [Duration] = []
        var nextID = 0
        var waiters: [Waiter] = []

        /// The sleeps so far, for the text of an error. If there are many, only the last ones.
        var sentence: String {
            guard !sleeps.isEmpty else { return "none has begun" }
            let lengths = sleeps.suffix(20).map { "\($0)" }.joined(separator: ", ")
            let most = sleeps.count > 20 ? "…, " : ""
            let ends = sleepers.values.map(\.deadline).sorted().prefix(20).map { "\($0.offset)" }
            let underWay =
                switch sleepers.count {
                case 0: "none is under way"
                case let count: "\(count) \(count == 1 ? "is" : "are") under way, until \(ends.joined(separator: ", "))"
                }
            return "\(sleeps.count) \(sleeps.count == 1 ? "has" : "have") begun (\(most)\(lengths)), "
                + "of which \(underWay); it is \(now.offset) now"
        }
    }

    private let state = Mutex(State())

    /// Creates a clock.
    public init() {}

    /// The current point in time.
    public var now: Instant { state.withLock { $0.now } }
    /// Zero, because the clock ends every sleep exactly at its deadline.
    public var minimumResolution: Duration { .zero }
    /// The number of sleeps that have begun but not ended.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }
    /// The lengths of all sleeps so far, in the order in which they began. This includes sleeps that did not have to
    /// wait.
    public var sleeps: [Duration] { state.withLock { $0.sleeps } }

    /// Suspends the task until the clock has reached a point in time.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = change { state in
                    state.sleeps.append(state.now.duration(to: deadline))
                    // Checked under the lock, because the cancellation handler removes the sleeper under the same lock.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if deadline <= state.now { return .success(()) }
                    state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let sleeper = change { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Moves the clock forward. Ends the sleeps whose deadlines the clock has reached, the earliest deadline first.
    /// - Parameter duration: The duration. A negative one has no effect.
    public func advance(by duration: Duration) {
        guard duration >= .zero else { return }
        let due = change { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value)
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    // MARK: Waiting

    /// Suspends the task until at least a number of sleeps are under way at the same time.
    /// - Parameters:
    ///   - count: The minimum number.
    ///   - timeout: The limit, in real time. Default: 30 seconds.
    /// - Throws: ``LoopbackServer/WaitTimeout`` with the sleeps so far if the limit is reached, or `CancellationError`.
    public func waitForSleepers(_ count: Int, timeout: Duration = .seconds(30)) async throws {
        try await wait(for: "\(count) sleeps at the same time", timeout) { $0.sleepers.count >= count }
    }

    /// Suspends the task until at least a number of sleeps have begun. Sleeps that have ended count too.
    /// - Parameters:
    ///   - count: The minimum number. Default: 1.
    ///   - timeout: The limit, in real time. Default: 30 seconds.
    /// - Returns: The lengths of the sleeps.
    /// - Throws: ``LoopbackServer/WaitTimeout`` with the sleeps so far if the limit is reached, or `CancellationError`.
    @discardableResult
    public func waitForSleeps(_ count: Int = 1, timeout: Duration = .seconds(30)) async throws -> [Duration] {
        try await wait(for: "\(count) sleeps", timeout) { $0.sleeps.count >= count }
        return sleeps
    }

    private func wait(
        for what: String,
        _ timeout: Duration,
        until isSatisfied: @escaping @Sendable (State) -> Bool
    ) async throws {
        let gate = LoopbackServer.Gate()
        change { $0.waiters.append(Waiter(isSatisfied: isSatisfied, gate: gate)) }
        await gate.wait(atMost: timeout)
        let state = state.withLock { state in
            state.waiters.removeAll { $0.gate === gate }
            return state
        }
        try Task.checkCancellation()
        guard !gate.isOpen else { return }
        throw LoopbackServer.WaitTimeout(description: "Waited \(timeout) for \(what), but \(state.sentence).")
    }

    /// Changes the state, and ends the waits whose conditions the new state meets.
    private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (result, satisfied) = state.withLock { state in
            let result = body(&state)
            let satisfied = state.waiters.filter { $0.isSatisfied(state) }
            state.waiters.removeAll { waiter in satisfied.contains { $0.gate === waiter.gate } }
            return (result, satisfied)
        }
        for waiter in satisfied { waiter.gate.open() }
        return result
    }
}
