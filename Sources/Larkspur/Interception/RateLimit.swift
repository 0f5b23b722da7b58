internal import HTTPSyntax
import Synchronization

/// An interceptor that limits the rate of attempts for each origin with a token bucket.
///
///     manager.interceptors.attempt = [.rateLimit(10, per: .seconds(1))]
///
/// The attempts begin evenly: in the example, at least 100 milliseconds after each other. So ten of them begin in the
/// first second and in each later second. With a `burst`, some may begin at the same time, in addition to the rate.
///
/// Each attempt takes a token. If there is none, the attempt waits. The attempt with the highest priority comes first;
/// attempts with equal priority come in the order of their arrival. Tokens return at a constant rate until the bucket
/// is full. A call that is cancelled stops waiting and takes no token.
///
/// The time is measured with the clock of the first call. Share the interceptor only between session managers with the
/// same clock.
///
/// In any period of one second, at most as many attempts begin as the rate and a full bucket allow together, rounded up
/// to a whole number. Late timers or a busy machine can delay the waiting attempts. If the delay is at most 5
/// milliseconds, or at most the time in which an empty bucket becomes full, all delayed attempts then begin at once. To
/// allow this, a rate of more than 200 attempts per second with a small bucket is up to 0.5 % lower.
final class RateLimit: RequestInterceptor {
    private struct Lane {
        var line = WaitingLine<WaitingCall>()
        /// The number of the task that hands out the tokens.
        let keeper: Int
        var task: Task<Void, Never>?
    }

    private struct State {
        /// The time at which the bucket of each origin is full again.
        var fullTimes = OriginTable<Duration>()
        /// The origins with attempts that wait.
        var lanes: [Origin?: Lane] = [:]
        var nextID = 0
    }

    private enum Step {
        case wait(Duration)
        case release(WaitingCall?)
        case end
    }

    private let schedule: RateSchedule
    private let priority: @Sendable (URLRequest) -> Int
    private let state = Mutex(State())
    private let stopwatch = SharedStopwatch()

    /// Creates an interceptor.
    /// - Parameters:
    ///   - count: The number of attempts in each period, at least 1.
    ///   - period: The length of a period. Default: one second.
    ///   - burst: The number of tokens in a full bucket: the attempts that may begin at the same time after a pause. At
    ///     least 1. Default: nil, for 1: the attempts begin evenly, and a period has at most one more than `count`.
    ///   - priority: A closure that returns the priority of a request. Among waiting requests, the request with the
    ///     highest value comes first. The closure is called on an arbitrary thread. Default: the same priority for all
    ///     requests.
    init(
        _ count: Int,
        per period: Duration = .seconds(1),
        burst: Int? = nil,
        priority: @escaping @Sendable (URLRequest) -> Int = { _ in 0 }
    ) {
        schedule = RateSchedule(count: count, period: period, burst: burst)
        self.priority = priority
    }

    /// The number of attempts that wait.
    var waiterCount: Int { state.withLock { $0.lanes.values.reduce(0) { $0 + $1.line.count } } }

    /// Sends a request as soon as the rate allows it.
    /// - Throws: The error of the attempt; a `CancellationError` if the call is cancelled before it gets a token.
    func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        try await enter(request.url, priority(request), context)
        return try await next(request)
    }

    private func enter(_ url: URL?, _ priority: Int, _ context: RequestContext) async throws {
        let origin = url.flatMap(Origin.init)
        let now = stopwatch.elapsed(by: context)
        let id = state.withLock { state -> Int? in
            // If there is a lane, other attempts wait already and come first.
            if state.lanes[origin] == nil, take(url, at: now, &state) == .zero { return nil }
            state.nextID += 1
            return state.nextID
        }
        guard let id else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: WaitingCall) in
                let isCancelled = state.withLock { state in
                    // The cancellation handler may have run already, before this call was in the line.
                    if Task.isCancelled { return true }
                    // Removed from the dictionary during the change, so that the waiting line is not copied.
                    var lane = state.lanes.removeValue(forKey: origin) ?? Lane(keeper: id)
                    lane.line.add(continuation, id, priority: priority)
                    if lane.task == nil {
                        // The task is detached. A child task would end with this call, and the other calls would get no
                        // tokens.
                        lane.task = Task.detached { await self.keep(url, id, context) }
                    }
                    state.lanes[origin] = lane
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let (waiter, keeper) = state.withLock { state -> (WaitingCall?, Task<Void, Never>?) in
                guard var lane = state.lanes.removeValue(forKey: origin) else { return (nil, nil) }
                let waiter = lane.line.remove(id)
                if lane.line.isEmpty { return (waiter, lane.task) }
                state.lanes[origin] = lane
                return (waiter, nil)
            }
            keeper?.cancel()
            waiter?.resume(throwing: CancellationError())
        }
    }

    /// Hands out the tokens of an origin while attempts wait for them.
    /// - Parameter number: The number of the task.
    private func keep(_ url: URL?, _ number: Int, _ context: RequestContext) async {
        let origin = url.flatMap(Origin.init)
        while true {
            let now = stopwatch.elapsed(by: context)
            let step = state.withLock { state -> Step in
                // No attempt waits any more, or a newer lane has a separate task.
                guard state.lanes[origin]?.keeper == number else { return .end }
                let delay = take(url, at: now, afterWaiting: true, &state)
                guard delay <= .zero else { return .wait(delay) }
                // Removed from the dictionary during the change, so that the waiting line is not copied.
                var lane = state.lanes.removeValue(forKey: origin)
                let waiter = lane?.line.popFirst()
                if let lane, !lane.line.isEmpty { state.lanes[origin] = lane }
                return .release(waiter)
            }
            switch step {
            case .wait(let delay):
                do {
                    try await context.clock.sleep(for: delay.bounded)
                } catch {
                    // The sleep throws when the last waiting attempt is cancelled. A clock of the caller may also fail
                    // while attempts wait.
                    for waiter in takeWaiters(origin, of: number) { waiter.resume(throwing: error) }
                    return
                }
            case .release(let waiter): waiter?.resume()
            case .end: return
            }
        }
    }

    /// Removes and returns the attempts that wait for the tokens of a task.
    private func takeWaiters(_ origin: Origin?, of number: Int) -> [WaitingCall] {
        state.withLock { state in
            guard state.lanes[origin]?.keeper == number, var lane = state.lanes.removeValue(forKey: origin) else {
                return []
            }
            var waiters: [WaitingCall] = []
            while let waiter = lane.line.popFirst() { waiters.append(waiter) }
            return waiters
        }
    }

    /// Takes a token and returns zero. If there is no token, returns the delay until there is a token.
    private func take(_ url: URL?, at now: Duration, afterWaiting: Bool = false, _ state: inout State) -> Duration {
        let (delay, fullTime) = schedule.delay(at: now, fullTime: state.fullTimes[url], afterWaiting: afterWaiting)
        if delay <= .zero { state.fullTimes[url] = fullTime }
        return delay
    }
}

/// The arithmetic of a token bucket, as a value.
///
/// In any period of one second, at most as many attempts begin as the rate and a full bucket allow together, rounded up
/// to a whole number.
///
/// I is the interval, B the number of tokens in a full bucket, and T the tolerance for attempts that have waited. The
/// maximum is 1 + (1 s + (B − 1) I + T) / I, rounded down. If T is less than I, this maximum is not above the number in
/// the previous paragraph. For a greater tolerance, the interval is longer, so that the number stays the same.
struct RateSchedule: Equatable, Sendable {
    /// The delay that a timer or a busy machine may cause. At every rate, later attempts make up for a delay of this
    /// length.
    private static let usualDelay = Duration.milliseconds(5)

    /// The time in which one token returns.
    let interval: Duration
    /// The time in which an empty bucket becomes full.
    let capacity: Duration
    /// The longest delay of a waiting attempt that later attempts make up for, in addition to the capacity.
    let tolerance: Duration

    init(count: Int, period: Duration, burst: Int?) {
        let even = max(period, .zero).bounded / max(1, count)
        // Larger numbers make no difference, but would overflow.
        let burst = max(1, min(burst ?? 1, 1_000_000_000))
        let lateness = max(even, Self.usualDelay - even * (burst - 1))
        interval = lateness > even ? even * ((.seconds(1) + lateness) / (.seconds(1) + even)) : even
        capacity = interval * burst
        // Slightly less than `lateness`, so that the maximum in the type's description stays below the next whole
        // number.
        tolerance = max(lateness - .nanoseconds(1), .zero)
    }

    /// Returns the delay until there is a token, and the state of the bucket after the token is taken.
    /// - Parameters:
    ///   - now: The current time.
    ///   - fullTime: The time at which the bucket is full; nil if it is full now.
    ///   - afterWaiting: Whether the token is for an attempt that has waited. Such a token is due at the end of an
    ///     interval, which may lie before `now`. Default: false.
    /// - Returns: The delay, and the new time at which the bucket is full.
    func delay(
        at now: Duration,
        fullTime: Duration?,
        afterWaiting: Bool = false
    ) -> (delay: Duration, fullTime: Duration) {
        let earliest = afterWaiting ? now - tolerance : now
        let next = max(fullTime ?? now, earliest) + interval
        return (max(next - now - capacity, .zero), next)
    }
}

extension RequestInterceptor where Self == ClosureInterceptor {
    /// Returns an interceptor that limits the rate of attempts for each origin with a token bucket.
    /// - Parameters:
    ///   - count: The number of attempts in each period, at least 1.
    ///   - period: The length of a period. Default: one second.
    ///   - burst: The number of tokens in a full bucket: the attempts that may begin at the same time after a pause. At
    ///     least 1. Default: nil, for 1: the attempts begin evenly, and a period has at most one more than `count`.
    ///   - priority: A closure that returns the priority of a request. Among waiting requests, the request with the
    ///     highest value comes first. The closure is called on an arbitrary thread. Default: the same priority for all
    ///     requests.
    public static func rateLimit(
        _ count: Int,
        per period: Duration = .seconds(1),
        burst: Int? = nil,
        priority: @escaping @Sendable (URLRequest) -> Int = { _ in 0 }
    ) -> ClosureInterceptor {
        ClosureInterceptor(RateLimit(count, per: period, burst: burst, priority: priority))
    }
}
