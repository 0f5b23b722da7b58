import Synchronization

/// An interceptor that limits the rate of attempts, for each origin, with a bucket of tokens.
///
///     manager.interceptors.attempt = [.rateLimit(10, per: .seconds(1))]
///
/// An attempt takes a token, and waits for one if there is none. Tokens come back evenly, up to a full bucket. The time
/// is that of the clock of the first call; set the interceptor only for session managers with the same clock.
public final class RateLimit: RequestInterceptor {
    private let schedule: RateSchedule
    /// The times at which the buckets of origins are full again.
    private let fullTimes = Mutex(OriginTable<Duration>())
    private let stopwatch = SharedStopwatch()

    /// Creates an interceptor.
    /// - Parameters:
    ///   - count: The number of attempts in each period, at least 1.
    ///   - period: The period. Default: one second.
    ///   - burst: The number of attempts that may follow each other at once, at least 1. Default: `count`.
    public init(_ count: Int, per period: Duration = .seconds(1), burst: Int? = nil) {
        schedule = RateSchedule(count: count, period: period, burst: burst)
    }

    /// Sends a request when the rate allows it.
    /// - Throws: The error of the attempt; a `CancellationError` if the call is cancelled while it waits.
    public func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        let now = stopwatch.elapsed(by: context)
        let (delay, fullTime) = fullTimes.withLock { fullTimes in
            let step = schedule.delay(at: now, fullTime: fullTimes[request.url])
            fullTimes[request.url] = step.fullTime
            return step
        }
        if delay > .zero {
            do {
                try await context.clock.sleep(for: delay.bounded)
            } catch {
                // The token of a call that was cancelled is there for others, unless they have taken later ones.
                fullTimes.withLock { fullTimes in
                    if fullTimes[request.url] == fullTime { fullTimes[request.url] = fullTime - schedule.interval }
                }
                throw error
            }
        }
        return try await next(request)
    }
}

/// The arithmetic of a bucket of tokens, as a value.
struct RateSchedule: Equatable, Sendable {
    /// The time in which one token comes back.
    let interval: Duration
    /// The time in which an empty bucket becomes full.
    let capacity: Duration

    init(count: Int, period: Duration, burst: Int?) {
        interval = max(period, .zero).bounded / max(1, count)
        // Greater numbers make no difference, and would overflow.
        capacity = interval * max(1, min(burst ?? count, 1_000_000_000))
    }

    /// Takes a token, and returns the delay until there is one.
    /// - Parameters:
    ///   - now: The present time.
    ///   - fullTime: The time at which the bucket is full; nil if it is full now.
    /// - Returns: The delay, and the new time at which the bucket is full.
    func delay(at now: Duration, fullTime: Duration?) -> (delay: Duration, fullTime: Duration) {
        let next = max(fullTime ?? now, now) + interval
        return (max(next - now - capacity, .zero), next)
    }
}

extension RequestInterceptor where Self == RateLimit {
    /// Returns an interceptor that limits the rate of attempts, for each origin, with a bucket of tokens.
    /// - Parameters:
    ///   - count: The number of attempts in each period, at least 1.
    ///   - period: The period. Default: one second.
    ///   - burst: The number of attempts that may follow each other at once, at least 1. Default: `count`.
    public static func rateLimit(_ count: Int, per period: Duration = .seconds(1), burst: Int? = nil) -> RateLimit {
        RateLimit(count, per: period, burst: burst)
    }
}
