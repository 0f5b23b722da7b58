import HTTPSyntax
import Larkspur

/// The repetition of requests after temporary failures, for `--retry`.
///
/// A request is repeated before anything of its response was printed or written, except the redirects that `--verbose`
/// prints for each attempt. The library's ``RetryPolicy`` decides it: only requests with an idempotent method or an
/// `Idempotency-Key` are repeated.
struct Retries: Sendable {
    let policy: RetryPolicy
    /// Whether each repetition is reported on standard error.
    let isReported: Bool

    /// Returns nil if the invocation has no repetitions.
    init?(_ invocation: Invocation) {
        guard let count = invocation.streams.retries, count > 0 else { return nil }
        // A duration can have at most 19 digits.
        func duration(_ seconds: Double) -> Duration { .seconds(min(seconds, 1e9)) }
        var policy = RetryPolicy(
            maximumAttempts: min(count, 1_000_000_000) + 1,
            baseDelay: .seconds(1),
            // As long as curl's longest delay.
            maximumDelay: .seconds(600),
            deadline: invocation.streams.retryTime.map(duration),
            budget: nil
        )
        if let delay = invocation.streams.retryDelay {
            policy.baseDelay = duration(delay)
            policy.maximumDelay = policy.baseDelay
            policy.random = { 1 }
        }
        self.policy = policy
        isReported = invocation.output.verbosity > 0 && !invocation.output.isQuiet
    }

    /// Reports a repetition, if repetitions are reported.
    /// - Parameter attempt: The number of the attempt that has failed, from 1.
    func report(_ reason: String, after delay: Duration, attempt: Int) {
        guard isReported else { return }
        Sink.standardError.report(
            "larkspur: \(reason); repetition \(attempt) of \(policy.maximumAttempts - 1) in \(TableText.seconds(delay)) s"
        )
    }
}

extension Retries: CallObserver {
    var kinds: Set<CallEvent.Kind> { [.retryScheduled] }

    /// Reports a repetition by the interceptor.
    func observe(_ event: CallEvent) {
        report(event.reason ?? "", after: event.delay ?? .zero, attempt: max(event.attempt, 1))
    }
}
