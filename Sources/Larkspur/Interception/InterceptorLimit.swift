/// A limit of one of Larkspur's interceptors, which has refused a request, has ended it, or prevents another attempt.
///
/// The event `limitReached` has it as ``CallEvent/limit``. Later releases may add limits.
public struct InterceptorLimit: Sendable, Hashable, CustomStringConvertible {
    private enum Name: String {
        case concurrentCalls, callTime, attemptTime, attempts, retryDeadline, retryBudget, repeatability, circuit,
            server
    }

    private let name: Name

    /// The name of the limit, such as `attemptTime`.
    public var description: String { name.rawValue }

    private init(_ name: Name) { self.name = name }

    /// The maximum number of concurrent calls or attempts is under way, and no more may wait.
    public static let concurrentCalls = Self(.concurrentCalls)
    /// The call has taken the maximum time.
    public static let callTime = Self(.callTime)
    /// An attempt has taken the maximum time.
    public static let attemptTime = Self(.attemptTime)
    /// The request was sent the maximum number of times.
    public static let attempts = Self(.attempts)
    /// Another attempt would begin after ``RetryPolicy/deadline``.
    public static let retryDeadline = Self(.retryDeadline)
    /// ``RetryPolicy/budget`` allows no other attempt to the server.
    public static let retryBudget = Self(.retryBudget)
    /// The request may not be sent again, because the server may have executed it, or its content is not available
    /// again.
    public static let repeatability = Self(.repeatability)
    /// The circuit of the server is open.
    public static let circuit = Self(.circuit)
    /// The server allows no request for some time.
    public static let server = Self(.server)
}
