extension RequestInterceptors {
    /// Returns the interceptors that most clients of a service need.
    ///
    ///     manager.interceptors = .standard()
    ///
    /// They limit the number of calls and the time of each call, send a request again after a temporary failure, stop
    /// sending to a server that fails, and limit the time of each attempt. The parts and their defaults are those of
    /// the standard handler for resilience of .NET, with these differences:
    ///
    /// - Calls and failures are counted for each origin.
    /// - A request is sent again only if ``RetryPolicy`` allows it, which includes a budget for each server.
    /// - For downloads, streams and events, both limits of time end when the head of the response has arrived.
    /// - While the content of a file or a stream is sent, both limits of time begin again.
    ///
    /// If a part refuses a request, ends it, or does not repeat it, the event `limitReached` names the part.
    ///
    /// Add other interceptors to the result: those that add credentials at the end of ``call``, and those that let
    /// attempts wait at the beginning of ``attempt``, so that the wait does not count for an attempt.
    /// - Parameters:
    ///   - maximumCalls: The maximum number of concurrent calls for each origin. A call beyond the limit fails with the
    ///     code `tooManyCalls`. Default: 1,000. Nil for no limit.
    ///   - total: The maximum time of a call. After this time no attempt begins. Default: 30 seconds. Nil for no limit.
    ///   - retry: The rules for sending a request again. Default: up to 3 more attempts, after random delays of up to
    ///     2, 4 and 8 seconds. Nil to send each request once.
    ///   - circuitBreaker: The interceptor that stops sending to a server that fails. Default: `.circuitBreaker`, which
    ///     stops for 5 seconds if at least 10 % of at least 100 attempts in 30 seconds have failed. Nil for none.
    ///   - attempt: The maximum time of an attempt. Default: 10 seconds. Nil for no limit.
    public static func standard(
        maximumCalls: Int? = 1000,
        total: Duration? = .seconds(30),
        retry: RetryPolicy? = RetryPolicy(maximumAttempts: 4, baseDelay: .seconds(2), deadline: nil),
        circuitBreaker: ClosureInterceptor? = .circuitBreaker(failureRatio: 0.1),
        attempt: Duration? = .seconds(10)
    ) -> RequestInterceptors {
        var interceptors = RequestInterceptors()
        if let maximumCalls {
            interceptors.call.append(ConcurrencyLimit(maximumCalls, maximumWaiting: 0))
        }
        if let total { interceptors.call.append(TimeLimit(part: .call, limit: total)) }
        if var retry {
            if let total { retry.deadline = min(retry.deadline ?? total, total) }
            interceptors.call.append(retry)
        }
        if let circuitBreaker { interceptors.attempt.append(circuitBreaker) }
        if let attempt { interceptors.attempt.append(TimeLimit(part: .attempt, limit: attempt)) }
        return interceptors
    }
}
