internal import HTTPSyntax

/// The decision of a ``RetryPolicy`` after an attempt.
enum RetryDecision: Equatable, Sendable {
    /// The result of the attempt is the result of the call. If it is a temporary failure, the limit prevents another
    /// attempt.
    case done(InterceptorLimit?)
    /// Another attempt follows after a delay.
    case retry(after: Duration)
    /// The call fails, because the server asks for a delay beyond a limit.
    case fail(told: Duration, limit: DelayLimit)
}

/// A limit for the delay that a server asks for in `Retry-After`.
enum DelayLimit: Equatable, Sendable {
    /// The maximum time from the start of the call.
    case deadline(Duration)
    /// The maximum of a single delay.
    case delay(Duration)
}

/// The facts about an attempt on which ``RetryPolicy`` bases its decision.
struct RetryAttempt: Sendable {
    /// The request that the policy has sent.
    var request: URLRequest
    /// The number of the attempt, from 1.
    var count: Int
    var result: Result<InterceptedResponse, any Error>
    /// The time since the start of the call.
    var elapsed: Duration
    /// Whether the content can be sent again, no content was delivered to a consumer, and the call is not cancelled.
    var canRepeat = true
    var isWithinBudget = true

    /// A short description of the failure, for the observers of the call.
    var reason: String {
        switch result {
        case .success(let response): response.statusCode.map { "status \($0)" } ?? "the response"
        case .failure(let error): (error as? LarkspurError)?.code.label ?? "\(type(of: error))"
        }
    }
}

extension RetryPolicy {
    /// Decides whether another attempt follows.
    /// - Parameters:
    ///   - attempt: The last attempt.
    ///   - random: A number from 0 to 1: the fraction of the longest delay that the call waits.
    ///   - now: The current date, for a `Retry-After` date in a response without a `Date` field.
    func decision(after attempt: RetryAttempt, random: Double, now: Date) -> RetryDecision {
        guard isPassing(attempt.result) else { return .done(nil) }
        guard attempt.canRepeat, isRepeatable(attempt.request) else { return .done(.repeatability) }
        guard attempt.count < maximumAttempts else { return .done(.attempts) }
        guard attempt.isWithinBudget else { return .done(.retryBudget) }
        let told = attempt.result.retryAfter(now: now)
        // The random number may come from the caller's code. A number out of range counts as the nearest limit, and NaN
        // as 0.
        let delay = (told ?? .zero) + longestDelay(after: attempt.count) * (random > 0 ? min(random, 1) : 0)
        let rest = deadline.map { $0 - attempt.elapsed }
        // If the policy's own delay would end after the deadline, this is no error: the call ends with its last result.
        guard let told else { return rest.map { delay <= $0 } ?? true ? .retry(after: delay) : .done(.retryDeadline) }
        if let deadline, let rest, told > rest { return .fail(told: told, limit: .deadline(deadline)) }
        if told > maximumServerDelay { return .fail(told: told, limit: .delay(maximumServerDelay)) }
        // The deadline shortens the random part of the delay, and not the server's part.
        return .retry(after: rest.map { min(delay, $0) } ?? delay)
    }

    /// Returns whether a result is a temporary failure, after which another attempt may succeed.
    func isPassing(_ result: Result<InterceptedResponse, any Error>) -> Bool {
        switch result {
        case .success(let response): return response.statusCode.map(statusCodes.contains) ?? false
        case .failure(let error):
            guard let error = error as? LarkspurError, error.code != .cancelled, !error.code.isAboutIdentity else {
                return false
            }
            if errorCodes.contains(error.code) { return true }
            return (error.underlyingError as? URLError).map { urlErrorCodes.contains($0.code) } ?? false
        }
    }

    /// Returns whether a request may be sent twice.
    func isRepeatable(_ request: URLRequest) -> Bool {
        methods.contains(HTTPMethod(rawValue: request.httpMethod ?? "GET"))
            // With an empty key, a server cannot recognize the second request.
            || request.value(forHTTPHeaderField: "Idempotency-Key")?.contains { !$0.isWhitespace } == true
    }

    /// Returns a request with a new key, if it needs one so that it may be sent again.
    func addingKey(to request: URLRequest) -> URLRequest {
        guard let idempotencyKey, !isRepeatable(request) else { return request }
        var request = request
        request.setValue(idempotencyKey.value(for: UUID()), forHTTPHeaderField: "Idempotency-Key")
        return request
    }

    /// Returns the longest random delay after an attempt.
    private func longestDelay(after count: Int) -> Duration {
        let maximumDelay = maximumDelay.bounded
        var delay = min(max(baseDelay, .zero), maximumDelay)
        // Doubling stops at the maximum, because a high number of attempts would overflow. A delay of zero never
        // reaches the maximum, so the number of rounds has a limit, too.
        for _ in 1..<min(max(count, 1), 100) where delay < maximumDelay { delay = min(delay * 2, maximumDelay) }
        return max(delay, .zero)
    }
}

extension Result<InterceptedResponse, any Error> {
    /// Returns the delay in `Retry-After`; nil if the field is missing or malformed.
    fileprivate func retryAfter(now: Date) -> Duration? {
        guard case .success(let response) = self else { return nil }
        return RetryAfterField.delay(response.header("Retry-After"), date: response.header("Date"), now: now)
    }
}
