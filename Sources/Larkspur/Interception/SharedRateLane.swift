/// The rules of a rate limit that several processes share.
struct SharedRateRules: Sendable {
    /// The longest time for which a token is taken in advance. A process that ends loses at most one token.
    static let longestReservation = Duration.seconds(1)

    /// The bucket of all processes. Its durations are whole nanoseconds, and a full bucket has a whole number of
    /// tokens, so that a store can calculate exactly.
    private let bucket: SharedBucket
    /// The bucket of this process while the store is unavailable; nil if no attempt may begin then.
    let ownSchedule: RateSchedule?
    /// The longest time of a step of the store.
    let timeout: Duration
    /// The time after a failure of the store in which it is not used. For the same time after an outage, the process
    /// uses at most its share, because others may not use the store again yet.
    var pause = Duration.seconds(1)

    /// - Parameter share: The part of the rate that this process uses while the store is unavailable, from 0 to 1.
    init(count: Int, period: Duration, burst: Int?, share: Double, timeout: Duration) {
        let schedule = RateSchedule(count: count, period: period, burst: burst)
        let interval = max(schedule.interval.nanoseconds, 1)
        // At most a hundred years, so that sums do not overflow.
        let most = min(Duration.seconds(Int64.max).nanoseconds / interval, 1_000_000_000)
        bucket = SharedBucket(
            interval: .nanoseconds(interval),
            capacity: .nanoseconds(interval * max(1, min(Int64(burst ?? 1), most))),
            tolerance: .nanoseconds(schedule.tolerance.nanoseconds)
        )
        self.timeout = max(timeout, .zero).bounded
        // NaN is no share. Smaller shares than a billionth make no difference, but would overflow.
        if share > 0 {
            let share = max(min(share, 1), 1e-9)
            let burst = Int(Double(max(1, min(burst ?? 1, 1_000_000_000))) * share)
            ownSchedule = RateSchedule(count: count, period: max(period, .zero).bounded / share, burst: burst)
        } else {
            ownSchedule = nil
        }
    }

    /// The bucket in the store.
    /// - Parameter afterWaiting: Whether the token is for an attempt that has waited.
    func bucket(afterWaiting: Bool) -> SharedBucket {
        if afterWaiting { return bucket }
        return SharedBucket(interval: bucket.interval, capacity: bucket.capacity)
    }

    /// Returns the longest time for which a token is taken in advance, at least half a second. It is longer for a
    /// process that has tried more often, so that the process that has just got a token does not take the next one,
    /// too.
    /// - Parameter count: The number of steps without a token since the last token.
    static func reservation(afterRejections count: Int) -> Duration {
        // The first tries add the most. But also the later ones have to add more than the latency of a far store.
        longestReservation / 2 + .milliseconds(500 * count / (count + 4))
    }

    /// The longest delay that a store can give, if all processes have these rules.
    var longestDelay: Duration { Self.longestReservation + bucket.interval + bucket.capacity }
}

/// A step of a shared store that takes a token.
struct SharedRateStep: Sendable {
    let bucket: SharedBucket
    /// The longest time for which the token is taken in advance.
    let limit: Duration
}

/// The failure of a step of a shared store.
enum SharedStoreFailure: Sendable {
    /// The store has thrown an error.
    case failed(any Error)
    /// The store has not answered in time.
    case tooSlow(Duration)
    /// The store has answered with a delay that no bucket can have.
    case impossibleDelay(Duration)
}

/// The time from a failure of a shared store to the next step that succeeds.
struct SharedStoreOutage: Sendable {
    /// The latest failure.
    var failure: SharedStoreFailure
    /// The time from which the store is tried again.
    var retryTime: Duration
    /// The time at which the bucket of this process is full.
    var fullTime: Duration
    private var isReported = false

    init(_ failure: SharedStoreFailure, retryTime: Duration, fullTime: Duration) {
        self.failure = failure
        self.retryTime = retryTime
        self.fullTime = fullTime
    }

    /// Returns the failure for the first attempt that begins or is refused without the store; nil for later ones.
    mutating func takeReport() -> SharedStoreFailure? {
        if isReported { return nil }
        isReported = true
        return failure
    }
}

/// The memory of a process about a shared store that has failed, while no attempt waits.
struct SharedStoreRecord: Sendable {
    /// The time after an outage.
    struct Recovery: Sendable {
        let end: Duration
        /// The time at which the bucket of this process is full.
        var fullTime: Duration
    }

    /// The outage; nil if the last step has succeeded.
    var outage: SharedStoreOutage?
    var recovery: Recovery?
}

/// The attempts to an origin that wait for tokens of a bucket in a shared store, as a value.
///
/// One step of the store is under way at a time. The token of a step is not for a certain attempt: when it may be used,
/// the attempt with the highest priority takes it. If no attempt waits then, the token is lost.
struct SharedRateLane<Waiter> {
    enum Outcome: Sendable {
        /// The attempt begins. It reports a failure of the store, if there is one.
        case begin(reporting: SharedStoreFailure?)
        /// The attempt fails, because the store is unavailable. It reports the failure if it is the first one.
        case refuse(SharedStoreFailure, reports: Bool)
    }

    private let rules: SharedRateRules
    /// The outage of the store; nil if the last step has succeeded.
    private(set) var outage: SharedStoreOutage?
    private var recovery: SharedStoreRecord.Recovery?
    private var line = WaitingLine<Waiter>()
    /// The step of the store that is under way.
    private var step: (number: Int, deadline: Duration, limit: Duration)?
    /// The number of steps since the last token for which the store had none.
    private var rejections = 0
    /// The time at which a token that was taken may be used.
    private var token: Duration?
    /// The time from which the store has a token that can be taken in advance.
    private var nextStepTime: Duration?
    /// Whether the attempt at the head of the line has waited for a token.
    private var hasWaited = false

    /// - Parameter record: The record of the store when the lane was last used; nil for none.
    init(_ rules: SharedRateRules, _ record: SharedStoreRecord?) {
        self.rules = rules
        outage = record?.outage
        recovery = record?.recovery
    }

    /// The number of attempts that wait.
    var count: Int { line.count }
    /// Whether nothing but the record of the store has to be stored.
    var isIdle: Bool { line.isEmpty && step == nil && token == nil }
    /// The number of the step of the store that is under way; nil for none.
    var stepNumber: Int? { step?.number }

    /// The record of the store; nil if it has not failed recently.
    func record(at now: Duration) -> SharedStoreRecord? {
        let recovery = recovery.flatMap { $0.end > now ? $0 : nil }
        return outage == nil && recovery == nil ? nil : SharedStoreRecord(outage: outage, recovery: recovery)
    }

    // MARK: Events. After each of them, `advance` must follow.

    /// Adds an attempt.
    mutating func add(_ waiter: Waiter, _ id: Int, priority: Int) {
        if line.isEmpty { hasWaited = false }
        line.add(waiter, id, priority: priority)
    }

    /// Removes and returns an attempt that was cancelled; nil if it no longer waits.
    mutating func remove(_ id: Int) -> Waiter? { line.remove(id) }

    /// Removes and returns all attempts that wait.
    mutating func removeAll() -> [Waiter] {
        var waiters: [Waiter] = []
        while let waiter = line.popFirst() { waiters.append(waiter) }
        return waiters
    }

    /// Ends a step of the store. The result of a step that took too long has no effect.
    /// - Parameter result: The time until the token may be used.
    mutating func end(step number: Int, _ result: Result<Duration, any Error>, at now: Duration) {
        guard let step, step.number == number else { return }
        self.step = nil
        hasWaited = true
        switch result {
        case .success(let delay) where delay < .zero || delay > rules.longestDelay:
            fail(.impossibleDelay(delay), at: now)
        case .success(let delay) where delay > step.limit:
            endOutage(at: now)
            rejections += 1
            let limit = SharedRateRules.reservation(afterRejections: rejections)
            // Later than necessary, because the store's clock may be slower. The token is still taken in advance.
            nextStepTime = now + max(delay - limit, .zero) + .milliseconds(10)
        case .success(let delay):
            endOutage(at: now)
            rejections = 0
            token = time(ofToken: now + delay)
        case .failure(let error): fail(.failed(error), at: now)
        }
    }

    private mutating func endOutage(at now: Duration) {
        if let outage, rules.ownSchedule != nil { recovery = .init(end: now + rules.pause, fullTime: outage.fullTime) }
        outage = nil
    }

    /// Returns the time at which a token may be used that the store gives for a time.
    private mutating func time(ofToken time: Duration) -> Duration {
        guard let last = recovery, let schedule = rules.ownSchedule, time < last.end else {
            recovery = nil
            return time
        }
        let (delay, fullTime) = schedule.delay(at: time, fullTime: last.fullTime, afterWaiting: true)
        guard time + delay < last.end else {
            recovery = nil
            return last.end
        }
        recovery?.fullTime = fullTime
        return time + delay
    }

    private mutating func fail(_ failure: SharedStoreFailure, at now: Duration) {
        let retryTime = now + rules.pause
        if outage == nil {
            // The bucket is empty at first, because the store may have given its tokens.
            let fullTime = now + (rules.ownSchedule?.capacity ?? .zero)
            outage = SharedStoreOutage(failure, retryTime: retryTime, fullTime: fullTime)
        } else {
            outage?.failure = failure
            outage?.retryTime = retryTime
        }
    }

    // MARK: Time

    /// Removes and returns the attempts that no longer wait, and begins a step of the store if there is need of a
    /// token.
    /// - Parameters:
    ///   - now: The current time.
    ///   - number: The number of a step that begins. No two steps have the same one.
    /// - Returns: The attempts, and the step that begins; nil for none.
    mutating func advance(at now: Duration, nextStep number: Int) -> (
        outcomes: [(Waiter, Outcome)], step: SharedRateStep?
    ) {
        if let step, step.deadline <= now {
            self.step = nil
            hasWaited = true
            fail(.tooSlow(rules.timeout), at: now)
        }
        var outcomes: [(Waiter, Outcome)] = []
        if let token, token <= now {
            self.token = nil
            if let waiter = line.popFirst() { outcomes.append((waiter, .begin(reporting: nil))) }
        }
        // Before attempts leave the line, because each attempt in an outage gives rise to a trial.
        let step = beginStep(number, at: now)
        outcomes += advanceWithoutStore(at: now)
        return (outcomes, step)
    }

    private mutating func beginStep(_ number: Int, at now: Duration) -> SharedRateStep? {
        guard step == nil, token == nil, !line.isEmpty, nextStepTime.map({ $0 <= now }) ?? true,
            outage.map({ $0.retryTime <= now }) ?? true
        else { return nil }
        nextStepTime = nil
        let limit = SharedRateRules.reservation(afterRejections: rejections)
        step = (number, now + rules.timeout, limit)
        return SharedRateStep(bucket: rules.bucket(afterWaiting: hasWaited), limit: limit)
    }

    private mutating func advanceWithoutStore(at now: Duration) -> [(Waiter, Outcome)] {
        guard var outage else { return [] }
        var outcomes: [(Waiter, Outcome)] = []
        if let schedule = rules.ownSchedule {
            while !line.isEmpty {
                let (delay, fullTime) = schedule.delay(at: now, fullTime: outage.fullTime, afterWaiting: hasWaited)
                guard delay <= .zero, let waiter = line.popFirst() else { break }
                outage.fullTime = fullTime
                outcomes.append((waiter, .begin(reporting: outage.takeReport())))
            }
            hasWaited = true
        } else if step == nil {
            while let waiter = line.popFirst() {
                let isFirst = outage.takeReport() != nil
                outcomes.append((waiter, .refuse(outage.failure, reports: isFirst)))
            }
        }
        self.outage = outage
        return outcomes
    }

    /// The time at which `advance` must be called again, unless an event comes first; nil if there is nothing to do.
    func nextTime(at now: Duration) -> Duration? {
        var time = [step?.deadline, token].compactMap(\.self).min()
        guard !line.isEmpty else { return time }
        if step == nil, token == nil, let start = [nextStepTime, outage?.retryTime].compactMap(\.self).max() {
            time = min(time ?? start, start)
        }
        if let outage, let schedule = rules.ownSchedule {
            let next = now + schedule.delay(at: now, fullTime: outage.fullTime, afterWaiting: hasWaited).delay
            time = min(time ?? next, next)
        }
        return time
    }
}
