internal import HTTPSyntax
import Synchronization

/// An interceptor that limits the rate of attempts for each origin with a token bucket in a store, so that all
/// processes with the same store and key share one rate.
///
/// It is a ``RateLimit`` whose bucket is in the store. The attempts of a process wait in a line. One step of the store
/// is under way for each origin at a time. It takes a token, which may have to wait for its time, for at most one
/// second. Then the attempt with the highest priority takes the token. So a process that ends loses at most one token,
/// and gets at most one token in each round trip to the store. A process that has tried more often may take a token
/// earlier, so that all processes get tokens.
///
/// If the store fails, does not answer in time, or answers with an impossible delay, the process uses a bucket of its
/// own with a share of the rate. This bucket is empty at first. The store is tried again after a second, while attempts
/// continue.
final class SharedRateLimit: RequestInterceptor {
    private typealias Waiter = CheckedContinuation<SharedStoreFailure?, any Error>
    private typealias Lane = SharedRateLane<Waiter>

    /// The task that advances a lane at the right time.
    private struct Keeper {
        let number: Int
        /// The time at which it wakes.
        var time: Duration
        let task: Task<Void, Never>
    }

    private struct Entry {
        var lane: Lane
        var keeper: Keeper?
        var step: (number: Int, task: Task<Void, Never>)?
    }

    private struct State {
        /// The origins with attempts that wait, and with tokens that nobody has used yet.
        var entries: [Origin?: Entry] = [:]
        /// The records of the store for other origins.
        var records = OriginTable<SharedStoreRecord>()
        var nextID = 0

        mutating func newID() -> Int {
            nextID += 1
            return nextID
        }
    }

    /// The actions that follow from a change. They are carried out outside the lock.
    private struct Effects {
        var outcomes: [(Waiter, Lane.Outcome)] = []
        var obsolete: [Task<Void, Never>?] = []
    }

    private let rules: SharedRateRules
    private let store: any SharedStore
    private let key: String
    private let priority: @Sendable (URLRequest) -> Int
    private let state = Mutex(State())
    private let stopwatch = SharedStopwatch()

    /// Creates an interceptor.
    /// - Parameters:
    ///   - rules: The rate, and what happens without the store.
    ///   - store: The store.
    ///   - key: The key of the limit. The key of a bucket also has the origin.
    ///   - priority: A closure that returns the priority of a request.
    init(
        _ rules: SharedRateRules,
        store: any SharedStore,
        key: String,
        priority: @escaping @Sendable (URLRequest) -> Int = { _ in 0 }
    ) {
        self.rules = rules
        self.store = store
        self.key = key
        self.priority = priority
    }

    /// The number of attempts that wait.
    var waiterCount: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.lane.count } } }
    /// The number of origins with attempts that wait, steps of the store under way, and tokens that may be used later.
    var originCount: Int { state.withLock { $0.entries.count } }

    /// Sends a request as soon as the rate allows it.
    /// - Throws: The error of the attempt; a `CancellationError` if the call is cancelled before it gets a token;
    ///   `sharedStoreUnavailable`.
    func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        do {
            if let failure = try await enter(request.url, priority(request), context) {
                context.note(.sharedStore(reason: "\(text(of: failure)); the process uses its share of the rate"))
            }
        } catch let refusal as Refusal {
            let text = text(of: refusal.failure)
            if refusal.reports { context.note(.sharedStore(reason: "\(text); nothing is sent")) }
            var underlyingError: (any Error)?
            if case .failed(let error) = refusal.failure { underlyingError = error }
            throw LarkspurError(
                .sharedStoreUnavailable,
                "Nothing is sent, because \(text).",
                underlyingError: underlyingError,
                request: request
            )
        }
        return try await next(request)
    }

    /// Waits for a token.
    /// - Returns: The failure of the store that the attempt has to report; nil for none.
    private func enter(_ url: URL?, _ priority: Int, _ context: RequestContext) async throws -> SharedStoreFailure? {
        let now = stopwatch.elapsed(by: context)
        let clock = context.clock
        let id = state.withLock { $0.newID() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                let isCancelled = change(url, at: now, clock) { lane in
                    // The cancellation handler may have run already, before this call was in the line.
                    if Task.isCancelled { return true }
                    lane.add(waiter, id, priority: priority)
                    return false
                }
                if isCancelled { waiter.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let now = stopwatch.elapsed(by: context)
            change(url, at: now, clock) { $0.remove(id) }?.resume(throwing: CancellationError())
        }
    }

    // MARK: Changes

    /// Changes the lane of an origin, and carries out what follows.
    @discardableResult
    private func change<Value: Sendable>(
        _ url: URL?,
        at now: Duration,
        _ clock: any Clock<Duration>,
        _ body: @Sendable (inout Lane) -> Value
    ) -> Value {
        let origin = url.flatMap(Origin.init)
        let (value, effects) = state.withLock { state in
            // Removed from the dictionary during the change, so that the waiting line is not copied.
            var entry = state.entries.removeValue(forKey: origin) ?? makeEntry(url, state)
            let value = body(&entry.lane)
            var effects = advance(&entry, url, at: now, clock, &state)
            effects.obsolete.append(setKeeper(of: &entry, url, at: now, clock, &state))
            save(entry, url, origin, at: now, &state)
            return (value, effects)
        }
        carryOut(effects)
        return value
    }

    private func makeEntry(_ url: URL?, _ state: State) -> Entry {
        Entry(lane: Lane(rules, state.records.count > 0 ? state.records[url] : nil))
    }

    private func save(_ entry: Entry, _ url: URL?, _ origin: Origin?, at now: Duration, _ state: inout State) {
        if entry.lane.isIdle {
            saveRecord(of: entry.lane, url, at: now, &state)
        } else {
            state.entries[origin] = entry
        }
    }

    private func saveRecord(of lane: Lane, _ url: URL?, at now: Duration, _ state: inout State) {
        let record = lane.record(at: now)
        if record != nil || state.records.count > 0 { state.records[url] = record }
    }

    /// Advances a lane, and begins its step of the store.
    private func advance(
        _ entry: inout Entry,
        _ url: URL?,
        at now: Duration,
        _ clock: any Clock<Duration>,
        _ state: inout State
    ) -> Effects {
        let number = state.newID()
        let (outcomes, next) = entry.lane.advance(at: now, nextStep: number)
        var effects = Effects(outcomes: outcomes)
        if let step = entry.step, step.number != entry.lane.stepNumber {
            effects.obsolete.append(step.task)
            entry.step = nil
        }
        if let next {
            // The task is detached. A child task would end with this call, and the other calls would get no tokens.
            entry.step = (number, Task.detached { await self.takeToken(next, url, number, clock) })
        }
        return effects
    }

    private func carryOut(_ effects: Effects) {
        for task in effects.obsolete { task?.cancel() }
        for (waiter, outcome) in effects.outcomes {
            switch outcome {
            case .begin(let failure): waiter.resume(returning: failure)
            case .refuse(let failure, let reports):
                waiter.resume(throwing: Refusal(failure: failure, reports: reports))
            }
        }
    }

    /// Performs a step of the store.
    private func takeToken(
        _ step: SharedRateStep,
        _ url: URL?,
        _ number: Int,
        _ clock: any Clock<Duration>
    ) async {
        let origin = url.flatMap(Origin.init).map { "\($0.scheme)://\($0.host):\($0.port)" } ?? "-"
        let result: Result<Duration, any Error>
        do {
            let key = "\(key) \(origin)"
            result = .success(try await store.takeToken(for: key, from: step.bucket, within: step.limit))
        } catch {
            result = .failure(error)
        }
        let now = stopwatch.elapsed ?? .zero
        change(url, at: now, clock) { $0.end(step: number, result, at: now) }
    }

    // MARK: Time

    /// Starts the task that advances a lane, unless one wakes early enough. Returns the task that is obsolete.
    private func setKeeper(
        of entry: inout Entry,
        _ url: URL?,
        at now: Duration,
        _ clock: any Clock<Duration>,
        _ state: inout State
    ) -> Task<Void, Never>? {
        let old = entry.keeper
        guard let time = entry.lane.nextTime(at: now) else {
            entry.keeper = nil
            return old?.task
        }
        if let old, old.time <= time { return nil }
        let number = state.newID()
        let task = Task.detached { await self.keep(url, number, time, clock) }
        entry.keeper = Keeper(number: number, time: time, task: task)
        return old?.task
    }

    /// Advances the lane of an origin at the right times.
    /// - Parameters:
    ///   - number: The number of the task.
    ///   - time: The time at which it has something to do.
    private func keep(_ url: URL?, _ number: Int, _ time: Duration, _ clock: any Clock<Duration>) async {
        let origin = url.flatMap(Origin.init)
        var time = time
        while true {
            do {
                try await sleep(max(time - (stopwatch.elapsed ?? .zero), .zero).bounded, clock)
            } catch {
                // The sleep throws if the task is obsolete. A clock of the caller may also fail while attempts wait.
                fail(url, origin, number, error)
                return
            }
            let now = stopwatch.elapsed ?? .zero
            let (effects, next) = state.withLock { state -> (Effects, Duration?) in
                guard state.entries[origin]?.keeper?.number == number,
                    var entry = state.entries.removeValue(forKey: origin)
                else { return (Effects(), nil) }
                let effects = advance(&entry, url, at: now, clock, &state)
                let next = entry.lane.nextTime(at: now)
                if let next { entry.keeper?.time = next } else { entry.keeper = nil }
                save(entry, url, origin, at: now, &state)
                return (effects, next)
            }
            carryOut(effects)
            guard let next else { return }
            time = next
        }
    }

    /// Sleeps. Most sleeps are cancelled early, when the store answers, and leave nothing behind.
    private func sleep(_ duration: Duration, _ clock: any Clock<Duration>) async throws {
        guard clock is ContinuousClock else { return try await clock.sleep(for: duration) }
        guard await clock.wait(for: duration) else { throw CancellationError() }
    }

    /// Ends the attempts that wait for a task whose clock has failed.
    private func fail(_ url: URL?, _ origin: Origin?, _ number: Int, _ error: any Error) {
        let now = stopwatch.elapsed ?? .zero
        let (waiters, step) = state.withLock { state -> ([Waiter], Task<Void, Never>?) in
            guard state.entries[origin]?.keeper?.number == number, var entry = state.entries.removeValue(forKey: origin)
            else { return ([], nil) }
            saveRecord(of: entry.lane, url, at: now, &state)
            return (entry.lane.removeAll(), entry.step?.task)
        }
        step?.cancel()
        for waiter in waiters { waiter.resume(throwing: error) }
    }

    // MARK: Errors

    /// Ends the wait of an attempt.
    private struct Refusal: Error {
        let failure: SharedStoreFailure
        let reports: Bool
    }

    private func text(of failure: SharedStoreFailure) -> String {
        let store = "the store \(store)".onOneLine
        switch failure {
        case .failed(let error):
            let text = (error as? LarkspurError)?.message.withoutFullStop ?? "\(error)"
            return "\(store) has failed: \(text.onOneLine)"
        case .tooSlow(let limit): return "\(store) has not answered within \(limit.inSeconds)"
        case .impossibleDelay(let delay):
            let text = "\(store) has answered with an impossible delay of \(delay.inSeconds)"
            return delay < .zero ? text : text + ", or another process uses this key with another rate"
        }
    }
}

extension RequestInterceptor where Self == ClosureInterceptor {
    /// Returns an interceptor that limits the rate of attempts for each origin, for all processes with the same store
    /// and key together.
    ///
    ///     manager.interceptors.attempt = [
    ///         .rateLimit(200, store: store, key: "search", shareWithoutStore: 1 / 4)
    ///     ]
    ///
    /// By the store's clock, no period of one second gets more tokens than the rate and a full bucket allow together.
    /// An attempt that need not wait costs one step of the store. Use the same rate, period and burst in all processes,
    /// and one interceptor in all session managers of a process that have the same clock.
    ///
    /// If the store fails or is too slow, the interceptor uses a part of the rate, and tries the store again after a
    /// second. The event `sharedStoreFailed` reports it, once for each outage and origin, before the first attempt that
    /// begins or is refused without the store.
    /// - Parameters:
    ///   - count: The number of attempts in each period, at least 1.
    ///   - period: The length of a period. Default: one second.
    ///   - burst: The number of tokens in a full bucket: the attempts that may begin at the same time after a pause. At
    ///     least 1. Default: nil, for 1: the attempts begin evenly, and a period has at most one more than `count`.
    ///   - priority: A closure that returns the priority of a request. Among the waiting requests of a process, the
    ///     request with the highest value comes first. The closure is called on an arbitrary thread. Default: the same
    ///     priority for all requests.
    ///   - store: The store that the processes share.
    ///   - key: The key of the limit in the store. Each origin has a separate bucket.
    ///   - storeTimeout: The longest time of a step of the store, measured with the clock of the call. Default: 500
    ///     milliseconds.
    ///   - shareWithoutStore: The part of the rate that this interceptor uses for an origin while the store is
    ///     unavailable to it, from 0 to 1; for example, one divided by the number of processes. If only some processes
    ///     lose the store, the total is at most the rate plus their shares. With 0, attempts fail then with the code
    ///     `sharedStoreUnavailable`.
    public static func rateLimit(
        _ count: Int,
        per period: Duration = .seconds(1),
        burst: Int? = nil,
        priority: @escaping @Sendable (URLRequest) -> Int = { _ in 0 },
        store: any SharedStore,
        key: String,
        storeTimeout: Duration = .milliseconds(500),
        shareWithoutStore: Double
    ) -> ClosureInterceptor {
        let rules = SharedRateRules(
            count: count,
            period: period,
            burst: burst,
            share: shareWithoutStore,
            timeout: storeTimeout
        )
        return ClosureInterceptor(SharedRateLimit(rules, store: store, key: key, priority: priority))
    }
}
