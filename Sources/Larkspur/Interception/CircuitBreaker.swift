import Synchronization

/// An interceptor that stops sending requests to an origin for a while after consecutive failures.
///
///     manager.interceptors.attempt = [.circuitBreaker()]
///
/// After a number of consecutive failures the circuit opens: requests fail immediately with the code `circuitOpen`.
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
    /// The circuits that have failures, or were open before.
    private let circuits = Mutex(OriginTable<Circuit>())
    private let stopwatch = SharedStopwatch()

    /// Creates an interceptor.
    /// - Parameters:
    ///   - failures: The number of consecutive failures that open the circuit, at least 1. Default: 5.
    ///   - openTime: The time from the opening until a request is sent as a trial. Default: 30 seconds.
    init(failures: Int = 5, openTime: Duration = .seconds(30)) {
        rules = Circuit.Rules(failures: max(1, failures), openTime: openTime)
    }

    /// Sends a request unless the circuit of its origin is open.
    /// - Throws: The error of the attempt; `circuitOpen`.
    func intercept(
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

/// The state of a circuit, as a value.
struct Circuit: Equatable, Sendable {
    /// The limits at which a circuit changes its state.
    struct Rules: Sendable {
        var failures: Int
        var openTime: Duration
    }

    /// The outcome of a request.
    enum End: Sendable {
        case success, failure, neither
    }

    enum State: Equatable, Sendable {
        /// Requests are sent.
        case closed(failures: Int)
        /// No request is sent until the given time.
        case open(until: Duration)
        /// One request was sent as a trial, and no other request is sent until the given time.
        case halfOpen(until: Duration)
    }

    private(set) var state = State.closed(failures: 0)
    /// The number of changes of the state. A change begins a new round. A request that began in an earlier round no
    /// longer changes the state.
    private var round = 0

    /// Returns the round of a request; nil if the request may not be sent.
    mutating func begin(at now: Duration, _ rules: Rules) -> Int? {
        switch state {
        case .closed: break
        case .open(let end), .halfOpen(let end):
            guard now >= end else { return nil }
            enter(.halfOpen(until: now + rules.openTime))
        }
        return round
    }

    /// Records the outcome of a request.
    mutating func end(_ end: End, of round: Int, at now: Duration, _ rules: Rules) {
        // The request began before the last change of the state, so its outcome does not affect the current state.
        guard round == self.round else { return }
        switch (state, end) {
        case (.closed(let failures), .failure) where failures + 1 < rules.failures:
            state = .closed(failures: failures + 1)
        case (.closed, .failure), (.halfOpen, .failure): enter(.open(until: now + rules.openTime))
        // The outcome of the trial is unknown, so the next request is a trial, too.
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

extension RequestInterceptor where Self == ClosureInterceptor {
    /// Returns an interceptor that stops sending requests to an origin for a while after consecutive failures.
    /// - Parameters:
    ///   - failures: The number of consecutive failures that open the circuit, at least 1. Default: 5.
    ///   - openTime: The time from the opening until a request is sent as a trial. Default: 30 seconds.
    public static func circuitBreaker(failures: Int = 5, openTime: Duration = .seconds(30)) -> ClosureInterceptor {
        ClosureInterceptor(CircuitBreaker(failures: failures, openTime: openTime))
    }
}
