extension EventSource {
    /// The rules by which an event stream is connected again.
    ///
    /// The first delay is ``initialDelay``, or the one that the server has asked for with the field `retry`. It is
    /// doubled after each connection without content, up to ``maximumDelay``. Connections that have ended and those
    /// with the errors `connectionLost`, `timedOut`, `cannotConnectToHost` and `cannotFindHost` are followed by
    /// another one; other errors end the sequence. The delays run on the manager's clock.
    public struct Reconnection: Sendable, Hashable {
        /// The requests that are sent again.
        enum Use: Sendable, Hashable {
            case never
            case get
            case always
        }

        var use = Use.get

        /// The delay before the next connection, until the server asks for another one. Default: 3 seconds.
        public var initialDelay: Duration = .seconds(3)
        /// The least delay, whatever the server asks for. Default: 100 milliseconds.
        public var minimumDelay: Duration = .milliseconds(100)
        /// The greatest delay, before its random part is added. Default: 60 seconds.
        public var maximumDelay: Duration = .seconds(60)
        /// The greatest random part of a delay, as a fraction of it, from 0 to 1. It keeps clients that a server has
        /// lost together from returning together. Default: 0.25.
        public var jitter = 0.25
        /// The number of connections in a row without content after which the sequence ends with the last error, or
        /// with `connectionLost` if the server has ended the connections in order. Default: nil, for no limit.
        public var maximumAttempts: Int?

        /// Creates rules, which are ``automatic``.
        public init() {}

        /// The rules that connect GET requests again, and no others.
        public static let automatic = Self()
        /// The rules that connect requests with any method again. Their content is sent each time.
        public static let always: Self = {
            var rules = Self()
            rules.use = .always
            return rules
        }()
        /// The rules for one connection.
        public static let never: Self = {
            var rules = Self()
            rules.use = .never
            return rules
        }()
    }
}

/// The decisions about the next connection of an event stream.
struct ReconnectionSchedule: Sendable {
    private static let codes: Set<LarkspurError.Code> = [
        .connectionLost, .timedOut, .cannotConnectToHost, .cannotFindHost,
    ]

    private let rules: EventSource.Reconnection
    private let isEnabled: Bool
    /// The number of connections without content since the last one with content.
    private var failures = 0

    init(_ rules: EventSource.Reconnection, method: String?) {
        self.rules = rules
        isEnabled =
            switch rules.use {
            case .never: false
            case .get: method == nil || method == HTTPMethod.get.rawValue
            case .always: true
            }
    }

    /// Notes that content has arrived.
    mutating func noteContent() { failures = 0 }

    /// Returns the delay before the next connection; nil if none follows.
    /// - Parameters:
    ///   - error: The error of the connection; nil if the server has ended it.
    ///   - retry: The delay that the server has asked for, if it has.
    ///   - random: A number from 0 to 1. Default: a random one.
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
        for _ in 1..<min(failures, 64) { delay = min(delay * 2, most) }
        return delay * (1 + (rules.jitter > 0 ? min(rules.jitter, 1) : 0) * random)
    }

    /// The error after too many connections without content; nil if there were not so many.
    var exhaustion: LarkspurError? {
        guard isEnabled, isExhausted else { return nil }
        return LarkspurError(
            .connectionLost,
            "The server has ended \(failures) connections in a row without sending events."
        )
    }

    private var isExhausted: Bool { rules.maximumAttempts.map { failures >= $0 } ?? false }
}
