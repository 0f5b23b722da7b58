internal import HTTPSyntax

/// The consequence of an attempt.
enum RetryDecision: Equatable, Sendable {
    /// The result of the attempt is that of the call.
    case done
    /// Another attempt follows after a delay.
    case retry(after: Duration)
    /// The call fails, because the server says a time that is beyond a limit.
    case fail(told: Duration, limit: DelayLimit)
}

/// A limit of the time that a server says in `Retry-After`.
enum DelayLimit: Equatable, Sendable {
    /// The time from the start of the call.
    case deadline(Duration)
    /// The time of a single delay.
    case delay(Duration)
}

/// The facts about an attempt by which ``RetryPolicy`` decides.
struct RetryAttempt: Sendable {
    /// The request, as the policy has sent it.
    var request: URLRequest
    /// The number of the attempt, from 1.
    var count: Int
    var result: Result<InterceptedResponse, any Error>
    /// The time since the start of the call.
    var elapsed: Duration
    /// Whether the content can be sent again, and the call has neither been cancelled nor delivered content.
    var canRepeat = true
    var isWithinBudget = true

    /// The failure in words.
    var reason: String {
        switch result {
        case .success(let response): response.statusCode.map { "status \($0)" } ?? "the response"
        case .failure(let error): (error as? LarkspurError)?.code.label ?? "\(type(of: error))"
        }
    }
}

extension RetryPolicy {
    /// Decides about another attempt.
    /// - Parameters:
    ///   - attempt: The last attempt.
    ///   - random: A number from 0 to 1, the part of the longest delay to wait.
    ///   - now: The present date, for a `Retry-After` date in a response without a `Date` field.
    func decision(after attempt: RetryAttempt, random: Double, now: Date) -> RetryDecision {
        guard attempt.canRepeat, attempt.isWithinBudget, attempt.count < maximumAttempts, isPassing(attempt.result),
            isRepeatable(attempt.request)
        else { return .done }
        let told = attempt.result.retryAfter(now: now)
        let delay = (told ?? .zero) + longestDelay(after: attempt.count) * (random > 0 ? min(random, 1) : 0)
        let rest = deadline.map { $0 - attempt.elapsed }
        guard let told else { return rest.map { delay <= $0 } ?? true ? .retry(after: delay) : .done }
        if let deadline, let rest, told > rest { return .fail(told: told, limit: .deadline(deadline)) }
        if told > maximumServerDelay { return .fail(told: told, limit: .delay(maximumServerDelay)) }
        // The random part is shortened rather than the server's.
        return .retry(after: rest.map { min(delay, $0) } ?? delay)
    }

    /// Whether a result is a failure that is likely to pass.
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

    /// Whether a request may be performed twice.
    private func isRepeatable(_ request: URLRequest) -> Bool {
        methods.contains(HTTPMethod(rawValue: request.httpMethod ?? "GET"))
            || request.value(forHTTPHeaderField: "Idempotency-Key")?.contains { !$0.isWhitespace } == true
    }

    /// The longest random delay after an attempt.
    private func longestDelay(after count: Int) -> Duration {
        let maximumDelay = maximumDelay.bounded
        var delay = min(max(baseDelay, .zero), maximumDelay)
        // Doubling ends at the maximum, so that no number of attempts overflows.
        for _ in 1..<min(max(count, 1), 100) where delay < maximumDelay { delay = min(delay * 2, maximumDelay) }
        return max(delay, .zero)
    }
}

extension Result<InterceptedResponse, any Error> {
    /// The delay that the server says in `Retry-After` (RFC 9110, section 10.2.3); nil if there is none, or it cannot
    /// be parsed. A date is relative to the response's `Date` field, as the clocks of the two hosts may differ.
    fileprivate func retryAfter(now: Date) -> Duration? {
        guard case .success(let response) = self,
            let text = response.header("Retry-After")?.trimmingCharacters(in: .whitespaces), !text.isEmpty
        else { return nil }
        if text.utf8.allSatisfy(\.isDigit) { return .seconds(Swift.min(Int64(text) ?? .max, Self.longestTime)) }
        guard let date = HTTPDate.parse(text) else { return nil }
        let start = response.header("Date").flatMap(HTTPDate.parse) ?? now
        let seconds = Swift.min(Swift.max(date.timeIntervalSince(start), 0), Double(Self.longestTime))
        return .milliseconds(Int64((seconds * 1000).rounded(.up)))
    }

    /// About 30 years in seconds.
    private static var longestTime: Int64 { 1_000_000_000 }
}
