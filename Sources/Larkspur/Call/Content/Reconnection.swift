import HTTPSyntax

/// The rules by which an event stream, another stream or a WebSocket is connected again.
///
/// The first delay is ``initialDelay``, or the delay that the server has requested with the field `retry`. The
/// delay doubles after each connection without content, up to ``maximumDelay``. Another connection follows if the
/// server ends a connection, or if the error is `connectionLost`, `timedOut`, `cannotConnectToHost` or
/// `cannotFindHost`. Other errors end the sequence. The delays run on the manager's clock.
public struct Reconnection: Sendable, Hashable {
    /// The requests that are sent again.
    enum Use: Sendable, Hashable {
        case never
        case get
        case always
    }

    var use = Use.get

    /// The delay before the next connection, until the server requests another delay. Default: 3 seconds.
    public var initialDelay: Duration = .seconds(3)
    /// The minimum delay, even if the server requests a shorter delay. Default: 100 milliseconds.
    public var minimumDelay: Duration = .milliseconds(100)
    /// The maximum delay, before its random part is added. Default: 60 seconds.
    public var maximumDelay: Duration = .seconds(60)
    /// The maximum of the random part that is added to a delay, as a fraction of the delay, from 0 to 1. Without
    /// it, clients that lose their connections at the same time would return at the same time. Default: 0.25.
    public var jitter = 0.25
    /// The number of consecutive connections without content after which the sequence ends. It ends with the last
    /// error, or with `connectionLost` if the server has ended the connections without an error. Default: nil, for
    /// no limit.
    public var maximumAttempts: Int?

    /// Creates rules that are equal to ``automatic``.
    public init() {}

    /// The rules that connect only GET requests again.
    public static let automatic = Self()
    /// The rules that connect requests with any method again. Their content is sent each time.
    public static let always: Self = {
        var rules = Self()
        rules.use = .always
        return rules
    }()
    /// The rules for a single connection, after which no other follows.
    public static let never: Self = {
        var rules = Self()
        rules.use = .never
        return rules
    }()
}

/// The decisions about the next connection of a stream.
struct ReconnectionSchedule: Sendable {
    private static let codes: Set<LarkspurError.Code> = [
        .connectionLost, .timedOut, .cannotConnectToHost, .cannotFindHost,
    ]

    private let rules: Reconnection
    private let isEnabled: Bool
    /// The number of connections without content since the last connection with content.
    private var failures = 0

    init(_ rules: Reconnection, method: String?) {
        self.rules = rules
        isEnabled =
            switch rules.use {
            case .never: false
            case .get: method == nil || method == HTTPMethod.get.rawValue
            case .always: true
            }
    }

    /// Records that content has arrived.
    mutating func noteContent() { failures = 0 }

    /// Returns the delay before the next connection; nil if none follows.
    /// - Parameters:
    ///   - error: The error of the connection; nil if the server has ended it.
    ///   - retry: The delay that the server has requested; nil if it has requested no delay.
    ///   - random: A number from 0 to 1. Default: a random number.
    mutating func delay(
        after error: LarkspurError?,
        retry: Duration?,
        random: Double = .random(in: 0...1)
    ) -> Duration? {
        guard isEnabled, error.map({ Self.codes.contains($0.code) }) ?? true else { return nil }
        failures += 1
        if isExhausted { return nil }
        let least = max(rules.minimumDelay, .zero)
        let most = max(rules.maximumDelay, .zero).bounded
        var delay = min(max(retry ?? rules.initialDelay, least), most)
        // 63 doublings reach every maximum. More would only take time.
        for _ in 1..<min(failures, 64) { delay = min(delay * 2, most) }
        return delay * (1 + (rules.jitter > 0 ? min(rules.jitter, 1) : 0) * random)
    }

    /// The error after too many connections without content; nil if the maximum is not reached.
    var exhaustion: LarkspurError? {
        guard isEnabled, isExhausted else { return nil }
        return LarkspurError(
            .connectionLost,
            "The server has ended \(failures) connections in a row without sending events."
        )
    }

    /// Returns the delay before the next connection, which does not exceed the surrounding deadline; nil if the
    /// sequence ends without an error.
    /// - Throws: The error with which the sequence ends.
    mutating func nextDelay(
        after failure: LarkspurError?,
        retry: Duration? = nil
    ) throws(LarkspurError) -> Duration? {
        guard let delay = delay(after: failure, retry: retry) else {
            if let failure = failure ?? exhaustion { throw failure }
            return nil
        }
        let remaining = Deadline.current?.remaining() ?? delay
        guard remaining > .zero else { throw failure ?? CallTimers.error("The deadline of the sequence is over.") }
        return min(delay, remaining).bounded
    }

    /// Waits for the next connection.
    static func sleep(for delay: Duration, on clock: any Clock<Duration>) async throws(LarkspurError) {
        do {
            try await clock.sleep(for: delay, tolerance: nil)
        } catch {
            throw cancelled
        }
    }

    static var cancelled: LarkspurError { LarkspurError(transportError: URLError(.cancelled)) }

    private var isExhausted: Bool { rules.maximumAttempts.map { failures >= $0 } ?? false }
}
