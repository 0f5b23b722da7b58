/// An interceptor that sends a request again after a temporary failure.
///
///     manager.interceptors.call = [.retry()]
///     let user = try await manager.get("users/1").intercept(with: .retry(maximumAttempts: 5)).value(as: User.self)
///
/// A request is sent again if all of these conditions are true:
///
/// - Its method is idempotent (RFC 9110, section 9.2.2), or it has the field `Idempotency-Key`.
/// - The response has one of ``statusCodes``, or the failure is one of ``errorCodes`` or ``urlErrorCodes``.
/// - Its content can be sent again, and no content was delivered to the consumer of a stream.
/// - There were fewer attempts than ``maximumAttempts``, ``deadline`` has not passed, and ``budget`` allows it.
///
/// After a cancellation, no attempt follows. After a failure that concerns a certificate, no attempt follows either,
/// even if its code is in one of the sets. If no attempt follows, the last response or error is the result of the call,
/// unchanged.
///
/// The delay before an attempt is random, from 0 to a limit that doubles with each attempt (exponential back-off with
/// full jitter). So the clients of a server do not all return at the same moment. The time in a `Retry-After` field
/// (RFC 9110, section 10.2.3) is added to the delay: no attempt begins earlier than the server asks. If the server asks
/// for more than ``maximumServerDelay``, the call fails.
public struct RetryPolicy: RequestInterceptor {
    /// The maximum number of attempts, the first one included. Default: 3.
    public var maximumAttempts: Int
    /// The limit of the delay before the second attempt. It doubles with each further attempt. Default: 0.5 seconds.
    public var baseDelay: Duration
    /// The longest random delay. It does not limit the delay that the server asks for. Default: 20 seconds.
    public var maximumDelay: Duration
    /// The longest delay that the server may ask for in `Retry-After`. Default: 5 minutes.
    ///
    /// If the server asks for a longer delay, the call fails immediately with the code `deadlineExceeded`. Otherwise a
    /// server could delay a call for years.
    public var maximumServerDelay: Duration = .seconds(300)
    /// The time from the start of the call after which no further attempt begins; nil for no limit. Default: 60
    /// seconds.
    ///
    /// If the server asks for a later time in `Retry-After`, the call fails immediately with the code
    /// `deadlineExceeded`. An attempt that begins before the deadline may end after it.
    public var deadline: Duration?
    /// The budget of further attempts for each server; nil for no limit. The copies of a policy share it. Default: a
    /// new budget.
    public var budget: RetryBudget?
    /// The methods whose requests may be sent again without the field `Idempotency-Key`. Default: all methods
    /// that IANA lists as idempotent: GET, HEAD, OPTIONS, TRACE, PUT, DELETE, QUERY, and most methods of WebDAV.
    public var methods = HTTPMethod.idempotent
    /// The form of the field `Idempotency-Key` that is added to requests which may not be sent again without it.
    /// Default: nil, so that the field is not added.
    ///
    /// The key is a random UUID. All attempts of a call have the same key, by which the server recognizes a request
    /// that it has already executed. Set it only if the server supports the field.
    public var idempotencyKey: IdempotencyKey?
    /// The status codes that are followed by another attempt. Default: 408, 425, 429, 500, 502, 503 and 504.
    public var statusCodes: StatusCodes = [408, 425, 429, 500, 502, 503, 504]
    /// The kinds of failure that are followed by another attempt. Default:
    ///
    /// - `timedOut`: the transport's `timedOut`
    /// - `cannotFindHost`: the transport's `cannotFindHost` and `dnsLookupFailed`
    /// - `cannotConnectToHost`: the transport's `cannotConnectToHost` and `notConnectedToInternet`
    /// - `connectionLost`: the transport's `networkConnectionLost`
    /// - `secureConnectionFailed`: the transport's `secureConnectionFailed`
    public var errorCodes: Set<LarkspurError.Code> = [
        .timedOut, .cannotFindHost, .cannotConnectToHost, .connectionLost, .secureConnectionFailed,
    ]
    /// The errors of the transport that are followed by another attempt, also if their kind is not in ``errorCodes``.
    /// Default:
    ///
    /// - `badServerResponse`
    /// - `cannotLoadFromNetwork`
    /// - `callIsActive`, `dataNotAllowed` and `internationalRoamingOff`
    /// - `downloadDecodingFailedMidStream` and `downloadDecodingFailedToComplete`
    /// - `backgroundSessionInUseByAnotherProcess` and `backgroundSessionWasDisconnected`
    ///
    /// Alamofire's retry policy also retries these errors and the errors in ``errorCodes`` by default. Two more errors
    /// of that policy, which concern certificates, are omitted here: `serverCertificateHasBadDate` and
    /// `serverCertificateNotYetValid`.
    public var urlErrorCodes: Set<URLError.Code> = [
        .badServerResponse, .cannotLoadFromNetwork, .callIsActive, .dataNotAllowed, .internationalRoamingOff,
        .downloadDecodingFailedMidStream, .downloadDecodingFailedToComplete, .backgroundSessionInUseByAnotherProcess,
        .backgroundSessionWasDisconnected,
    ]
    /// A closure that returns a random number from 0 to 1 for each delay. It is called on an arbitrary thread. Default:
    /// the system's random numbers.
    package var random: @Sendable () -> Double = { Double.random(in: 0...1) }
    /// The source of the current date, for a `Retry-After` date in a response without a `Date` field.
    var date: @Sendable () -> Date = { Date() }

    /// Creates a policy.
    /// - Parameters:
    ///   - maximumAttempts: The maximum number of attempts, the first one included. Default: 3.
    ///   - baseDelay: The limit of the delay before the second attempt, which doubles with each further attempt.
    ///     Default: 0.5 seconds.
    ///   - maximumDelay: The longest random delay. It does not limit the delay that the server asks for. Default: 20
    ///     seconds.
    ///   - deadline: The time from the start of the call after which no further attempt begins; nil for no limit.
    ///     Default: 60 seconds.
    ///   - budget: The budget of further attempts for each server; nil for no limit. Default: a new budget, which this
    ///     policy and its copies share.
    public init(
        maximumAttempts: Int = 3,
        baseDelay: Duration = .milliseconds(500),
        maximumDelay: Duration = .seconds(20),
        deadline: Duration? = .seconds(60),
        budget: RetryBudget? = RetryBudget()
    ) {
        self.maximumAttempts = maximumAttempts
        self.baseDelay = baseDelay
        self.maximumDelay = maximumDelay
        self.deadline = deadline
        self.budget = budget
    }

    /// Sends a request until its result is final.
    /// - Throws: The error of the last attempt; `deadlineExceeded` if the server asks for a delay beyond ``deadline``
    ///   or ``maximumServerDelay``; a `CancellationError` if the call is cancelled during a delay.
    public func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        let request = addingKey(to: request)
        let stopwatch = context.stopwatch()
        var count = 0
        while true {
            count += 1
            let result: Result<InterceptedResponse, any Error>
            do {
                result = .success(try await next(request))
            } catch {
                result = .failure(error)
            }
            let attempt = RetryAttempt(
                request: request,
                count: count,
                result: result,
                elapsed: stopwatch.elapsed(),
                canRepeat: context.canRepeatBody && !context.hasDeliveredContent && !Task.isCancelled,
                isWithinBudget: isWithinBudget(request, result)
            )
            switch decision(after: attempt, random: random(), now: date()) {
            case .done(let limit):
                if let limit, !Task.isCancelled { context.note(.limit(limit, reason: attempt.reason)) }
                return try result.get()
            case .retry(let delay):
                context.note(.retry(after: delay.bounded, reason: attempt.reason))
                try await context.clock.sleep(for: delay.bounded)
            case .fail(let told, let limit):
                context.note(.limit(.server, reason: "the server says to try again in \(told.inSeconds)"))
                throw Self.error(told, limit, of: attempt)
            }
        }
    }

    /// Counts the result of an attempt, and returns whether the budget allows another attempt.
    func isWithinBudget(_ request: URLRequest, _ result: Result<InterceptedResponse, any Error>) -> Bool {
        guard let budget else { return true }
        let url = request.url
        if isPassing(result) {
            budget.noteFailure(of: url)
        } else if case .success = result {
            budget.noteSuccess(of: url)
        }
        return budget.allowsRetry(of: url)
    }

    static func error(_ told: Duration, _ limit: DelayLimit, of attempt: RetryAttempt) -> LarkspurError {
        let response = try? attempt.result.get()
        let allowed =
            switch limit {
            case .deadline(let time): "\(time.inSeconds) that all attempts may take"
            case .delay(let time): "\(time.inSeconds) that it may ask for"
            }
        return LarkspurError(
            .deadlineExceeded,
            "The server says to try again in \(told.inSeconds), which is beyond the \(allowed).",
            request: response?.request ?? attempt.request,
            response: response?.response,
            responseData: response?.data
        )
    }
}

extension RetryPolicy {
    /// A form of the field `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).
    public struct IdempotencyKey: Sendable, Hashable {
        private let isQuoted: Bool

        /// The key without quotation marks, which most services expect: `Idempotency-Key: 8e03978e-…`.
        public static let bare = Self(isQuoted: false)
        /// The key in quotation marks, as the draft requires: `Idempotency-Key: "8e03978e-…"`.
        public static let quoted = Self(isQuoted: true)

        func value(for id: UUID) -> String {
            let text = id.uuidString.lowercased()
            return isQuoted ? "\"\(text)\"" : text
        }
    }
}

extension RequestInterceptor where Self == RetryPolicy {
    /// Returns an interceptor that sends a request again after a temporary failure.
    ///
    /// Set it for a session manager, whose calls then share the budget. If you set policies for single calls, pass the
    /// same budget to all of them.
    /// - Parameters:
    ///   - maximumAttempts: The maximum number of attempts, the first one included. Default: 3.
    ///   - baseDelay: The limit of the delay before the second attempt, which doubles with each further attempt.
    ///     Default: 0.5 seconds.
    ///   - maximumDelay: The longest random delay. It does not limit the delay that the server asks for. Default: 20
    ///     seconds.
    ///   - deadline: The time from the start of the call after which no further attempt begins; nil for no limit.
    ///     Default: 60 seconds.
    ///   - budget: The budget of further attempts for each server; nil for no limit. Default: a new budget.
    public static func retry(
        maximumAttempts: Int = 3,
        baseDelay: Duration = .milliseconds(500),
        maximumDelay: Duration = .seconds(20),
        deadline: Duration? = .seconds(60),
        budget: RetryBudget? = RetryBudget()
    ) -> RetryPolicy {
        RetryPolicy(
            maximumAttempts: maximumAttempts,
            baseDelay: baseDelay,
            maximumDelay: maximumDelay,
            deadline: deadline,
            budget: budget
        )
    }
}
