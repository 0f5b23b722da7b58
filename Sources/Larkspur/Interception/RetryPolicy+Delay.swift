extension RetryPolicy {
    /// Returns the delay before another attempt, and the reason for it. Nil if the last attempt is final.
    ///
    /// The method is for programs in which each attempt is a call of its own, such as the command line: they decide at
    /// the head of the response, before its content arrives.
    /// - Parameters:
    ///   - result: The head of the last attempt's response, or its error.
    ///   - request: The request.
    ///   - count: The number of the last attempt, from 1.
    ///   - elapsed: The time since the first attempt began.
    ///   - canRepeat: Whether the content can be sent again, and nothing of the response was delivered.
    package func delay(
        after result: Result<HTTPURLResponse, LarkspurError>,
        of request: URLRequest,
        count: Int,
        elapsed: Duration,
        canRepeat: Bool
    ) -> (delay: Duration, reason: String)? {
        let intercepted: Result<InterceptedResponse, any Error> =
            switch result {
            case .success(let response): .success(InterceptedResponse(request: request, response: response))
            case .failure(let error): .failure(error)
            }
        let attempt = RetryAttempt(
            request: request,
            count: count,
            result: intercepted,
            elapsed: elapsed,
            canRepeat: canRepeat,
            isWithinBudget: isWithinBudget(request, intercepted)
        )
        guard case .retry(let delay) = decision(after: attempt, random: random(), now: date()) else { return nil }
        return (delay.bounded, attempt.reason)
    }
}
