import Synchronization

/// A limit for the attempts that follow failures, for each server. It prevents retries from making an outage worse.
///
/// Each origin (scheme, host and port) has tokens. A temporary failure takes one token, and a response of any other
/// kind returns a fraction of a token. A request is sent again only while the origin has more than half of the maximum.
/// So when a server is down, requests to it are soon sent only once. The rule is the same as in gRPC's retry throttling
/// (gRFC A6).
///
/// Policies with the same budget object share its tokens.
public final class RetryBudget: Sendable {
    private let maximum: Double
    private let ratio: Double
    /// The tokens of the origins that have fewer than the maximum.
    private let tokens: Mutex<OriginTable<Double>>

    /// Creates a budget with all tokens.
    /// - Parameters:
    ///   - maximumTokens: The number of tokens of an origin at the beginning, which is also its maximum. Default: 10.
    ///   - tokenRatio: The fraction of a token that a response returns if it is not a temporary failure. Default: 0.1.
    ///   - maximumOrigins: The maximum number of origins that are counted. If there are more, the origins whose tokens
    ///     changed longest ago have all tokens again. Default: 1000.
    public init(maximumTokens: Double = 10, tokenRatio: Double = 0.1, maximumOrigins: Int = 1000) {
        maximum = maximumTokens
        ratio = tokenRatio
        tokens = Mutex(OriginTable(capacity: maximumOrigins))
    }

    /// The number of origins that have fewer tokens than the maximum.
    var originCount: Int { tokens.withLock { $0.count } }

    /// Returns the number of tokens that the origin of a URL has.
    /// - Parameter url: A URL of the origin. URLs without an origin share their tokens.
    package func tokens(for url: URL?) -> Double { tokens.withLock { $0[url] } ?? maximum }

    func allowsRetry(of url: URL?) -> Bool { tokens(for: url) > maximum / 2 }

    func noteFailure(of url: URL?) { add(-1, to: url) }

    func noteSuccess(of url: URL?) { add(ratio, to: url) }

    private func add(_ change: Double, to url: URL?) {
        tokens.withLock { tokens in
            let sum = max(0, (tokens[url] ?? maximum) + change)
            // An origin with all tokens needs no place in the table.
            tokens[url] = sum < maximum ? sum : nil
        }
    }
}
