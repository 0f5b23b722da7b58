import Synchronization

/// An interceptor that stops sending requests to an origin for a while after failures.
///
///     manager.interceptors.attempt = [.circuitBreaker()]
///
/// After a number of consecutive failures, or at a proportion of failures in a period, the circuit opens: requests fail
/// immediately with the code `circuitOpen`.
/// After the open time, one request is sent as a trial. If the trial has not ended after another open time, the next
/// request is a trial, too. A successful trial closes the circuit. A failed trial keeps it open for another open time.
///
/// A failure is a status of 500 or higher, or an error with one of the codes `timedOut`, `cannotFindHost`,
/// `cannotConnectToHost`, `connectionLost`, `secureConnectionFailed` and `malformedResponse`. Any other error, such as
/// a cancellation, is neither a failure nor a success.
///
/// The time is measured with the clock of the first call. Share the interceptor only between session managers with the
/// same clock.
final class CircuitBreaker: RequestInterceptor {
    private let rules: Circuit.Rules
    /// The circuits that are not in their initial state.
    private let circuits = Mutex(OriginTable<Circuit>())
    private let stopwatch = SharedStopwatch()

    init(_ rules: Circuit.Rules) { self.rules = rules }

    /// Sends a request unless the circuit of its origin is open.
    /// - Throws: The error of the attempt; `circuitOpen`.
    func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        let now = stopwatch.elapsed(by: context)
        guard let round = change(request.url, { $0.begin(at: now, rules) }) else {
            context.note(.limit(.circuit, reason: rules.reason))
            throw LarkspurError(.circuitOpen, "Nothing is sent, because \(rules.reason).", request: request)
        }
        do {
            let response = try await next(request)
            // A response of a scheme without status codes is no failure.
            let isFailure = (response.statusCode ?? 200) >= 500
            let end = stopwatch.elapsed(by: context)
            change(request.url) { $0.end(isFailure ? .failure : .success, of: round, at: end, rules) }
            return response
        } catch {
            let isFailure = (error as? LarkspurError).map { Self.failures.contains($0.code) } ?? false
            let end = stopwatch.elapsed(by: context)
            change(request.url) { $0.end(isFailure ? .failure : .neither, of: round, at: end, rules) }
            throw error
        }
    }

    @discardableResult
    private func change<Result>(_ url: URL?, _ body: (inout Circuit) -> Result) -> Result {
        circuits.withLock { circuits in
            var circuit = circuits[url] ?? Circuit()
            // A circuit in its initial state needs no place in the table.
            defer { circuits[url] = circuit == Circuit() ? nil : circuit }
            return body(&circuit)
        }
    }

    private static let failures: Set<LarkspurError.Code> = [
        .timedOut, .cannotFindHost, .cannotConnectToHost, .connectionLost, .secureConnectionFailed, .malformedResponse,
    ]
}

extension Circuit.Rules {
    /// The reason for which the circuit is open.
    fileprivate var reason: String {
        switch opening {
        case .consecutive(let failures): "the server failed \(failures) times in succession"
        case .proportion(let proportion, _, let period):
            "at least \((proportion * 1000).rounded() / 10) % of the attempts failed within \(period.inSeconds)"
        }
    }
}

extension RequestInterceptor where Self == ClosureInterceptor {
    /// Returns an interceptor that stops sending requests to an origin for a while after consecutive failures.
    /// - Parameters:
    ///   - failures: The number of consecutive failures that open the circuit, at least 1. Default: 5.
    ///   - openTime: The time from the opening until a request is sent as a trial. Default: 30 seconds.
    public static func circuitBreaker(failures: Int = 5, openTime: Duration = .seconds(30)) -> ClosureInterceptor {
        ClosureInterceptor(
            CircuitBreaker(Circuit.Rules(opening: .consecutive(max(1, failures)), openTime: openTime))
        )
    }

    /// Returns an interceptor that stops sending requests to an origin for a while if too many of its last attempts
    /// have failed.
    /// - Parameters:
    ///   - failureRatio: The proportion of failures that opens the circuit, from 0 to 1.
    ///   - minimumAttempts: The number of attempts in the period below which the circuit stays closed, at least 1.
    ///     Default: 100.
    ///   - period: The length of the period before now whose attempts count. It is counted in ten parts, so it may be
    ///     up to a tenth shorter. Default: 30 seconds.
    ///   - openTime: The time from the opening until a request is sent as a trial. Default: 5 seconds.
    public static func circuitBreaker(
        failureRatio: Double,
        minimumAttempts: Int = 100,
        period: Duration = .seconds(30),
        openTime: Duration = .seconds(5)
    ) -> ClosureInterceptor {
        let opening = Circuit.Rules.Opening.proportion(failureRatio, of: max(1, minimumAttempts), in: period)
        return ClosureInterceptor(CircuitBreaker(Circuit.Rules(opening: opening, openTime: openTime)))
    }
}
