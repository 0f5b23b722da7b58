import Synchronization

/// An interceptor that sends nothing for a while to a server that fails again and again, for each origin.
///
///     manager.interceptors.attempt = [.circuitBreaker()]
///
/// After a number of consecutive failures the circuit opens: requests fail at once with the code `circuitOpen`. After a
/// time one request is sent as a trial, and another one if the trial has not ended after the same time. If a trial
/// succeeds, the circuit closes again, otherwise it stays open for the same time. A failure is a status from 500 on, or
/// an error of the connection; a cancellation is neither failure nor success. The time is that of the clock of the
/// first call; set the interceptor only for session managers with the same clock.
public final class CircuitBreaker: RequestInterceptor {
    private let rules: Circuit.Rules
    /// The circuits that have, or had, failures.
    private let circuits = Mutex(OriginTable<Circuit>())
    private let stopwatch = SharedStopwatch()

    /// Creates an interceptor.
    /// - Parameters:
    ///   - failures: The number of consecutive failures that open the circuit, at least 1. Default: 5.
    ///   - openTime: The time until a request is sent as a trial. Default: 30 seconds.
    public init(failures: Int = 5, openTime: Duration = .seconds(30)) {
        rules = Circuit.Rules(failures: max(1, failures), openTime: openTime)
    }

    /// Sends a request unless the circuit of its origin is open.
    /// - Throws: The error of the attempt; `circuitOpen`.
    public func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        let now = stopwatch.elapsed(by: context)
        guard let round = change(request.url, { $0.begin(at: now, rules) }) else {
            throw LarkspurError(
                .circuitOpen,
                "Nothing is sent, because the server failed \(rules.failures) times in succession.",
                request: request
            )
        }
        do {
            let response = try await next(request)
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
            defer { circuits[url] = circuit == Circuit() ? nil : circuit }
            return body(&circuit)
        }
    }

    private static let failures: Set<LarkspurError.Code> = [
        .timedOut, .cannotFindHost, .cannotConnectToHost, .connectionLost, .secureConnectionFailed, .malformedResponse,
    ]
}

/// The state of a circuit, as a value.
struct Circuit: Equatable, Sendable {
    /// The numbers by which a circuit changes its state.
    struct Rules: Sendable {
        var failures: Int
        var openTime: Duration
    }

    /// The end of a request.
    enum End: Sendable {
        case success, failure, neither
    }

    enum State: Equatable, Sendable {
        /// Requests are sent.
        case closed(failures: Int)
        /// No request is sent until a time.
        case open(until: Duration)
        /// One request has been sent as a trial, and none is sent until a time.
        case halfOpen(until: Duration)
    }

    private(set) var state = State.closed(failures: 0)
    /// The number of changes between open and closed. Requests of an earlier round change nothing any more.
    private var round = 0

    /// Returns the round of a request that may be sent; nil for one that may not.
    mutating func begin(at now: Duration, _ rules: Rules) -> Int? {
        switch state {
        case .closed: break
        case .open(let end), .halfOpen(let end):
            guard now >= end else { return nil }
            enter(.halfOpen(until: now + rules.openTime))
        }
        return round
    }

    /// Notes the end of a request.
    mutating func end(_ end: End, of round: Int, at now: Duration, _ rules: Rules) {
        guard round == self.round else { return }
        switch (state, end) {
        case (.closed(let failures), .failure) where failures + 1 < rules.failures:
            state = .closed(failures: failures + 1)
        case (.closed, .failure), (.halfOpen, .failure): enter(.open(until: now + rules.openTime))
        // The next request is the trial.
        case (.halfOpen, .neither): enter(.open(until: now))
        case (.halfOpen, .success): enter(.closed(failures: 0))
        case (.closed, .success): state = .closed(failures: 0)
        case (.open, _), (.closed, .neither): break
        }
    }

    private mutating func enter(_ state: State) {
        self.state = state
        round += 1
    }
}

extension RequestInterceptor where Self == CircuitBreaker {
    /// Returns an interceptor that sends nothing for a while to a server that fails again and again, for each origin.
    /// - Parameters:
    ///   - failures: The number of consecutive failures that open the circuit, at least 1. Default: 5.
    ///   - openTime: The time until a request is sent as a trial. Default: 30 seconds.
    public static func circuitBreaker(failures: Int = 5, openTime: Duration = .seconds(30)) -> CircuitBreaker {
        CircuitBreaker(failures: failures, openTime: openTime)
    }
}
