import Synchronization

/// A limit of the attempts that follow failures, for each server, so that an outage is not made worse.
///
/// Each origin (scheme, host and port) has tokens. A failure that is likely to pass takes one, a response of any other
/// kind gives back a part of one, and a request is sent again only while there are more than half of the maximum. If a
/// server is down, requests to it are soon sent only once. The rule is that of gRPC's retry throttling (gRFC A6).
///
/// The policies that have the same object share the budget.
public final class RetryBudget: Sendable {
    private let maximum: Double
    private let ratio: Double
    /// The tokens of the origins that have fewer than the maximum.
    private let tokens: Mutex<OriginTable<Double>>

    /// Creates a budget with all tokens.
    /// - Parameters:
    ///   - maximumTokens: The number of tokens of an origin at the beginning, and the most that it has. Default: 10.
    ///   - tokenRatio: The part of a token that a response without such a failure gives back. Default: 0.1.
    ///   - maximumOrigins: The number of origins that are counted. If there are more, those whose last attempt is the
    ///     longest ago have all tokens again. Default: 1000.
    public init(maximumTokens: Double = 10, tokenRatio: Double = 0.1, maximumOrigins: Int = 1000) {
        maximum = maximumTokens
        ratio = tokenRatio
        tokens = Mutex(OriginTable(capacity: maximumOrigins))
    }

    /// The number of origins that have fewer tokens than the maximum.
    var originCount: Int { tokens.withLock { $0.count } }

    /// Returns the tokens of the origin of a URL.
    /// - Parameter url: A URL of the origin. URLs without an origin share their tokens.
    public func tokens(for url: URL?) -> Double { tokens.withLock { $0[url] } ?? maximum }

    func allowsRetry(of url: URL?) -> Bool { tokens(for: url) > maximum / 2 }

    func noteFailure(of url: URL?) { add(-1, to: url) }

    func noteSuccess(of url: URL?) { add(ratio, to: url) }

    private func add(_ change: Double, to url: URL?) {
        tokens.withLock { tokens in
            let sum = max(0, (tokens[url] ?? maximum) + change)
            tokens[url] = sum < maximum ? sum : nil
        }
    }
}
