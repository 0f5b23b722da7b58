internal import HTTPSyntax
import Synchronization

/// An interceptor that reads the limits that servers announce in their responses, and holds requests back until they
/// are allowed.
///
///     let limits = ServerRateLimits()
///     manager.interceptors.attempt = [limits]
///     for limit in limits.limits(for: request) { print(limit.name, limit.remaining, limit.resetsIn) }
///
/// These fields are read: `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-11, and in the
/// form of version 07; `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`; and these three with the prefix
/// `X-RateLimit-` or `X-Rate-Limit-`. The time of a reset may be a number of seconds, a date, or a number of seconds or
/// milliseconds since 1970. A date is compared with the response's `Date` field. A response with the status 429 or 503
/// and a `Retry-After` field announces that no request is allowed until then.
///
/// Fields with impossible values are ignored: malformed ones, more than 1,000,000,000 remaining requests, and resets
/// more than 31 days away. The fields of stored responses, with an `Age` above 0, are ignored too.
///
/// Requests are counted for each origin, or for smaller partitions that a closure names. As long as a server announces
/// nothing, all requests are sent. Later, no more requests are sent than the server has announced, even if responses
/// arrive in another order or not at all. All limits of a partition must allow a request. After the reset of a limit,
/// one request is sent first, and its response says what the server now allows; if there is no response within 10
/// seconds, another one is sent. Redirects and repetitions within an attempt are not counted in advance.
///
/// The request with the highest priority is sent first; requests with equal priority are sent in the order of their
/// arrival. A call that is cancelled stops waiting. Set the interceptor for attempts and not for calls, so that each
/// retry counts. The requests with which an ``AuthenticationInterceptor`` refreshes a credential count, but do not
/// wait, because other requests wait for them.
///
/// The time is measured with the clock of the first call. Share the interceptor only between session managers with the
/// same clock.
public final class ServerRateLimits: RequestInterceptor {
    /// A limit that a server has announced.
    public struct Limit: Equatable, Sendable {
        /// The name of the server's policy; empty if the server does not name it. `Retry-After` for a limit from this
        /// field.
        public let name: String
        /// The server's key for the part of its quota to which the limit applies; nil if there is none.
        public let partitionKey: Data?
        /// The number of requests that the server allows in a window; nil if it has not announced it.
        public let quota: Int?
        /// The length of a window; nil if the server has not announced it.
        public let window: Duration?
        /// The number of requests that may still be sent before the reset. Requests in flight are subtracted, also
        /// those that the server may have counted already.
        public let remaining: Int
        /// The time until the server allows more requests; zero if this time has passed and no response has come since.
        public let resetsIn: Duration
    }

    private typealias Waiter = CheckedContinuation<QuotaLedger.Ticket, any Error>
    private typealias Lane = QuotaLane<Waiter>

    private struct Key: Hashable {
        let origin: Origin?
        let partition: TextKey
    }

    /// The task that lets calls continue at the right time.
    private struct Keeper {
        let number: Int
        /// The time at which it wakes.
        var time: Duration
        let task: Task<Void, Never>
    }

    private struct State {
        var lanes = QuotaTable<Key, Waiter>()
        /// The tasks of the partitions with calls that wait.
        var keepers: [Key: Keeper] = [:]
        var nextID = 0
    }

    /// The actions that follow from a change. They are carried out outside the lock.
    private struct Effects {
        var outcomes: [(Waiter, Lane.Outcome)] = []
        var obsolete: Task<Void, Never>?
    }

    /// The longest time that a request waits.
    private let maximumWait: Duration
    private let partition: @Sendable (URLRequest) -> String
    private let priority: @Sendable (URLRequest) -> Int
    private let state = Mutex(State())
    private let stopwatch = SharedStopwatch()
    /// The source of the current date, for responses without a `Date` field and for errors.
    private let date: @Sendable () -> Date

    /// Creates an interceptor.
    /// - Parameters:
    ///   - maximumWait: The longest time that a request waits. If the server allows it later, the call fails at once
    ///     with the code `deadlineExceeded`. Default: 60 seconds.
    ///   - partition: A closure that names the part of a server's quota from which a request takes, such as a user or a
    ///     group of resources. It is called on an arbitrary thread. Default: all requests to an origin share the quota.
    ///   - priority: A closure that returns the priority of a request. The waiting request with the highest value is
    ///     sent first. The closure is called on an arbitrary thread. Default: the same priority for all requests.
    public convenience init(
        maximumWait: Duration = .seconds(60),
        partition: @escaping @Sendable (URLRequest) -> String = { _ in "" },
        priority: @escaping @Sendable (URLRequest) -> Int = { _ in 0 }
    ) {
        self.init(maximumWait: maximumWait, partition: partition, priority: priority) { Date() }
    }

    init(
        maximumWait: Duration,
        partition: @escaping @Sendable (URLRequest) -> String = { _ in "" },
        priority: @escaping @Sendable (URLRequest) -> Int = { _ in 0 },
        date: @escaping @Sendable () -> Date
    ) {
        self.maximumWait = max(maximumWait, .zero).bounded
        self.partition = partition
        self.priority = priority
        self.date = date
    }

    /// The number of requests that wait.
    var waiterCount: Int { state.withLock { $0.lanes.waiterCount } }
    /// The number of requests in flight.
    var inFlightCount: Int { state.withLock { $0.lanes.inFlightCount } }
    /// The number of partitions that are stored.
    var partitionCount: Int { state.withLock { $0.lanes.count } }

    /// Returns the limits that apply to a request, in the order in which they became known; empty if the server has
    /// announced none. May be called on any thread.
    /// - Parameter request: A request, of which only the URL matters, and what the closure `partition` reads.
    public func limits(for request: URLRequest) -> [Limit] {
        let key = key(of: request)
        guard let ledger = state.withLock({ $0.lanes.ledger(of: key) }), let now = stopwatch.elapsed else { return [] }
        return ledger.entries.map { entry in
            Limit(
                name: entry.limit.name,
                partitionKey: entry.limit.partitionKey,
                quota: entry.limit.quota,
                window: entry.limit.window,
                remaining: ledger.remaining(of: entry),
                resetsIn: max(entry.reset - now, .zero)
            )
        }
    }

    /// Sends a request as soon as its server allows it.
    /// - Throws: The error of the attempt; `deadlineExceeded` if the server allows the request too late; a
    ///   `CancellationError` if the call is cancelled while it waits.
    public func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        let key = key(of: request)
        let ticket = try await enter(key, request, context)
        do {
            let response = try await next(request)
            let status = response.statusCode ?? 200
            // A stored response says nothing about the present, and the fields of another origin belong to its limits.
            let isOwn = response.response?.url.flatMap(Origin.init) == key.origin && !context.isStored()
            let limits = isOwn ? announced(by: response) : []
            leave(key, ticket, limits, isAnswer: isOwn && status < 500 && status != 429, context)
            return response
        } catch {
            leave(key, ticket, [], isAnswer: false, context)
            throw error
        }
    }

    private func key(of request: URLRequest) -> Key {
        Key(origin: request.url.flatMap(Origin.init), partition: TextKey(partition(request)))
    }

    private func announced(by response: InterceptedResponse) -> [AnnouncedRateLimit] {
        guard let fields = response.httpResponse?.allHeaderFields else { return [] }
        // The fields are copied once, because a response searches all its fields for each name.
        var values: [TextKey: String] = [:]
        for case (let name as String, let value as String) in fields { values[name.inLowercase] = value }
        return RateLimitFields.limits(status: response.statusCode, now: date()) { values[$0.inLowercase] }
    }

    // MARK: Waiting

    private func enter(
        _ key: Key,
        _ request: URLRequest,
        _ context: RequestContext
    ) async throws -> QuotaLedger.Ticket {
        let now = stopwatch.elapsed(by: context)
        let isRefresh = RefreshScope.isActive
        let (ticket, id) = state.withLock { state in
            state.nextID += 1
            // Waiting could cause a deadlock: the attempts under way may wait for this refresh.
            let ticket = state.lanes.change(key) {
                isRefresh ? $0.ledger.begin(at: now) : $0.enter(at: now)
            }
            return (ticket, state.nextID)
        }
        if let ticket { return ticket }
        let priority = priority(request)
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { (waiter: Waiter) in
                    let isCancelled = change(key, at: now, context) { lane in
                        // The cancellation handler may have run already, before this call was in the line.
                        if Task.isCancelled { return true }
                        lane.add(waiter, id, priority: priority, deadline: now + maximumWait)
                        return false
                    }
                    if isCancelled { waiter.resume(throwing: CancellationError()) }
                }
            } onCancel: {
                let now = stopwatch.elapsed(by: context)
                change(key, at: now, context) { $0.remove(id) }?.resume(throwing: CancellationError())
            }
        } catch let error as Refused {
            let failure = makeError(error.refusal, error.time, request)
            context.note(.limit(.server, reason: failure.message.withoutFullStop))
            throw failure
        }
    }

    private func leave(
        _ key: Key,
        _ ticket: QuotaLedger.Ticket,
        _ limits: [AnnouncedRateLimit],
        isAnswer: Bool,
        _ context: RequestContext
    ) {
        let now = stopwatch.elapsed(by: context)
        change(key, at: now, context) { $0.ledger.end(ticket, limits, isAnswer: isAnswer, at: now) }
    }

    /// Changes the lane of a partition, and lets the calls continue that need no longer wait.
    @discardableResult
    private func change<Result: Sendable>(
        _ key: Key,
        at now: Duration,
        _ context: RequestContext,
        _ body: @Sendable (inout Lane) -> Result
    ) -> Result {
        let (result, effects) = state.withLock { state in
            let (result, outcomes, time) = state.lanes.change(key) { lane in
                let result = body(&lane)
                let outcomes = lane.settle(at: now)
                return (result, outcomes, lane.nextTime(at: now))
            }
            let obsolete = setKeeper(of: key, time, context, &state)
            return (result, Effects(outcomes: outcomes, obsolete: obsolete))
        }
        carryOut(effects, at: now)
        return result
    }

    private func carryOut(_ effects: Effects, at now: Duration) {
        effects.obsolete?.cancel()
        for (waiter, outcome) in effects.outcomes {
            switch outcome {
            case .send(let ticket): waiter.resume(returning: ticket)
            case .refuse(let refusal): waiter.resume(throwing: Refused(refusal: refusal, time: now))
            }
        }
    }

    /// Starts the task that lets calls of a partition continue, unless one wakes early enough. Returns the task that is
    /// obsolete.
    private func setKeeper(
        of key: Key,
        _ time: Duration?,
        _ context: RequestContext,
        _ state: inout State
    ) -> Task<Void, Never>? {
        let old = state.keepers[key]
        guard let time else {
            state.keepers[key] = nil
            return old?.task
        }
        if let old, old.time <= time { return nil }
        state.nextID += 1
        let number = state.nextID
        // The task is detached. A child task would end with this call, and the other calls would wait forever.
        let task = Task.detached { await self.keep(key, number, time, context) }
        state.keepers[key] = Keeper(number: number, time: time, task: task)
        return old?.task
    }

    /// Lets the calls of a partition continue at the right times, while some wait.
    /// - Parameters:
    ///   - number: The number of the task.
    ///   - time: The time at which it has something to do.
    private func keep(_ key: Key, _ number: Int, _ time: Duration, _ context: RequestContext) async {
        var time = time
        while true {
            do {
                let delay = max(time - stopwatch.elapsed(by: context), .zero)
                try await context.clock.sleep(for: delay.bounded)
            } catch {
                // The sleep throws if the task is obsolete. A clock of the caller may also fail while calls wait.
                for waiter in takeWaiters(key, of: number) { waiter.resume(throwing: error) }
                return
            }
            let now = stopwatch.elapsed(by: context)
            let (effects, next) = state.withLock { state -> (Effects, Duration?) in
                guard state.keepers[key]?.number == number else { return (Effects(), nil) }
                let (outcomes, time) = state.lanes.change(key) { lane in
                    (lane.settle(at: now), lane.nextTime(at: now))
                }
                if let time { state.keepers[key]?.time = time } else { state.keepers[key] = nil }
                return (Effects(outcomes: outcomes), time)
            }
            carryOut(effects, at: now)
            guard let next else { return }
            time = next
        }
    }

    /// Removes and returns the calls that wait for a task.
    private func takeWaiters(_ key: Key, of number: Int) -> [Waiter] {
        state.withLock { state in
            guard state.keepers[key]?.number == number else { return [] }
            state.keepers[key] = nil
            return state.lanes.change(key) { $0.removeAll() }
        }
    }

    // MARK: Errors

    /// Ends the wait of a call.
    private struct Refused: Error {
        let refusal: QuotaLane<Waiter>.Refusal
        let time: Duration
    }

    private func makeError(_ refusal: Lane.Refusal, _ time: Duration, _ request: URLRequest) -> LarkspurError {
        let name = refusal.obstacle?.name.onOneLine ?? ""
        let limit = name.isEmpty ? "limit" : "limit \"\(name)\""
        let delay = refusal.obstacle.map { $0.time - time } ?? .zero
        let end = HTTPDate.string(from: date().addingTimeInterval(delay.timeInterval))
        let message =
            refusal.hasWaited
            ? "The call has waited \(maximumWait.inSeconds) for the server's \(limit), and may wait no longer."
            : "The server allows no request before \(end), in \(delay.inSeconds), by its \(limit); "
                + "a call may wait \(maximumWait.inSeconds)."
        return LarkspurError(.deadlineExceeded, message, request: request)
    }
}

extension RequestInterceptor where Self == ServerRateLimits {
    /// Returns an interceptor that reads the limits that servers announce in their responses, and holds requests back
    /// until they are allowed.
    /// - Parameters:
    ///   - maximumWait: The longest time that a request waits. If the server allows it later, the call fails at once
    ///     with the code `deadlineExceeded`. Default: 60 seconds.
    ///   - partition: A closure that names the part of a server's quota from which a request takes, such as a user or a
    ///     group of resources. It is called on an arbitrary thread. Default: all requests to an origin share the quota.
    ///   - priority: A closure that returns the priority of a request. The waiting request with the highest value is
    ///     sent first. The closure is called on an arbitrary thread. Default: the same priority for all requests.
    public static func serverRateLimits(
        maximumWait: Duration = .seconds(60),
        partition: @escaping @Sendable (URLRequest) -> String = { _ in "" },
        priority: @escaping @Sendable (URLRequest) -> Int = { _ in 0 }
    ) -> ServerRateLimits {
        ServerRateLimits(maximumWait: maximumWait, partition: partition, priority: priority)
    }
}
