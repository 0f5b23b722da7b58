internal import HTTPSyntax
import Synchronization

/// An interceptor that limits the rate of attempts, for each origin, with a bucket of tokens.
///
///     manager.interceptors.attempt = [.rateLimit(10, per: .seconds(1))]
///
/// An attempt takes a token, and waits for one if there is none, those with the highest priority the shortest, and
/// those with equal priority in their order. Tokens come back evenly, up to a full bucket. A call that is cancelled
/// stops waiting, and takes none. The time is that of the clock of the first call; set the interceptor only for session
/// managers with the same clock.
///
/// In no second more attempts begin than the rate and a full bucket allow. While attempts wait, those that a late timer
/// or a busy machine has delayed follow at once: up to 5 milliseconds' worth, or a full bucket if that is more. For
/// this a rate of more than 200 a second with a small bucket is up to 0.5 % lower.
public final class RateLimit: RequestInterceptor {
    private struct Lane {
        var line = WaitingLine<WaitingCall>()
        /// The number of the task that hands out the tokens.
        let keeper: Int
        var task: Task<Void, Never>?
    }

    private struct State {
        /// The times at which the buckets of origins are full again.
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
    ///   - period: The period. Default: one second.
    ///   - burst: The number of attempts that may follow each other at once, at least 1. Default: `count`.
    ///   - priority: Returns the priority of a request; higher ones come first. Called on an arbitrary thread.
    ///     Default: the same for all.
    public init(
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

    /// Sends a request when the rate allows it.
    /// - Throws: The error of the attempt; a `CancellationError` if the call is cancelled while it waits.
    public func intercept(
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
            if state.lanes[origin] == nil, take(url, at: now, &state) == .zero { return nil }
            state.nextID += 1
            return state.nextID
        }
        guard let id else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: WaitingCall) in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    // Removed for the time being, so that the change copies nothing.
                    var lane = state.lanes.removeValue(forKey: origin) ?? Lane(keeper: id)
                    lane.line.add(continuation, id, priority: priority)
                    if lane.task == nil {
                        // Not a child of the call, whose end would leave the others without tokens.
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

    /// Hands out the tokens of an origin, as long as attempts wait for them.
    /// - Parameter number: The number of the task.
    private func keep(_ url: URL?, _ number: Int, _ context: RequestContext) async {
        let origin = url.flatMap(Origin.init)
        while true {
            let now = stopwatch.elapsed(by: context)
            let step = state.withLock { state -> Step in
                guard state.lanes[origin]?.keeper == number else { return .end }
                let delay = take(url, at: now, afterWaiting: true, &state)
                guard delay <= .zero else { return .wait(delay) }
                // Removed for the time being, so that the change copies nothing.
                var lane = state.lanes.removeValue(forKey: origin)
                let waiter = lane?.line.popFirst()
                if let lane, !lane.line.isEmpty { state.lanes[origin] = lane }
                return .release(waiter)
            }
            switch step {
            // A cancelled sleep throws: nobody waits any more.
            case .wait(let delay): guard (try? await context.clock.sleep(for: delay.bounded)) != nil else { return }
            case .release(let waiter): waiter?.resume()
            case .end: return
            }
        }
    }

    /// Takes a token; if there is none, returns the delay until there is one.
    private func take(_ url: URL?, at now: Duration, afterWaiting: Bool = false, _ state: inout State) -> Duration {
        let (delay, fullTime) = schedule.delay(at: now, fullTime: state.fullTimes[url], afterWaiting: afterWaiting)
        if delay <= .zero { state.fullTimes[url] = fullTime }
        return delay
    }
}

/// The arithmetic of a bucket of tokens, as a value.
///
/// In a window of one second there are at most as many attempts as the rate and a full bucket allow. With an interval
/// I, a full bucket of B tokens and a tolerance T for attempts that waited, these are at most 1 + (1 s + (B − 1) I + T)
/// / I. So a tolerance of less than I costs nothing. For a greater one the interval is longer, by which the bound
/// stays.
struct RateSchedule: Equatable, Sendable {
    /// The delays of timers and of a busy machine that are made up for at any rate.
    private static let usualDelay = Duration.milliseconds(5)

    /// The time in which one token comes back.
    let interval: Duration
    /// The time in which an empty bucket becomes full.
    let capacity: Duration
    /// The delay of an attempt that those after it make up for, beyond the capacity.
    let tolerance: Duration

    init(count: Int, period: Duration, burst: Int?) {
        let even = max(period, .zero).bounded / max(1, count)
        // Greater numbers make no difference, and would overflow.
        let burst = max(1, min(burst ?? count, 1_000_000_000))
        let lateness = max(even, Self.usualDelay - even * (burst - 1))
        interval = lateness > even ? even * ((.seconds(1) + lateness) / (.seconds(1) + even)) : even
        capacity = interval * burst
        tolerance = max(lateness - .nanoseconds(1), .zero)
    }

    /// Takes a token, and returns the delay until there is one.
    /// - Parameters:
    ///   - now: The present time.
    ///   - fullTime: The time at which the bucket is full; nil if it is full now.
    ///   - afterWaiting: Whether the token is for an attempt that has waited for it, which then is due at the end of an
    ///     interval and not now. Default: false.
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

extension RequestInterceptor where Self == RateLimit {
    /// Returns an interceptor that limits the rate of attempts, for each origin, with a bucket of tokens.
    /// - Parameters:
    ///   - count: The number of attempts in each period, at least 1.
    ///   - period: The period. Default: one second.
    ///   - burst: The number of attempts that may follow each other at once, at least 1. Default: `count`.
    ///   - priority: Returns the priority of a request; higher ones come first. Called on an arbitrary thread.
    ///     Default: the same for all.
    public static func rateLimit(
        _ count: Int,
        per period: Duration = .seconds(1),
        burst: Int? = nil,
        priority: @escaping @Sendable (URLRequest) -> Int = { _ in 0 }
    ) -> RateLimit {
        RateLimit(count, per: period, burst: burst, priority: priority)
    }
}
