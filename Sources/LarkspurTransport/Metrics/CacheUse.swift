import HTTPSyntax

extension TransferMetrics {
    /// The use of the cache in a transaction: whether a stored response was delivered, and why or why not. Later
    /// releases may add values.
    public struct CacheUse: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case absent, bypassed, unverifiable, fresh, stale, revalidatedLater, validated, replaced, fallback
        }

        private let kind: Kind

        /// There is no stored response for the request. The request was sent to the server.
        public static let absent = Self(kind: .absent)
        /// The request or its policy requires a response from the server. The request was sent.
        public static let bypassed = Self(kind: .bypassed)
        /// The stored response is stale, and has no validator that the server could confirm. An ordinary request was
        /// sent.
        public static let unverifiable = Self(kind: .unverifiable)
        /// The stored response is fresh, and was delivered.
        public static let fresh = Self(kind: .fresh)
        /// The stored response is stale, and was delivered because the request allows that.
        public static let stale = Self(kind: .stale)
        /// The stored response is stale. It was delivered because the server allows the use of a stale response while
        /// the cache revalidates it (`stale-while-revalidate`).
        public static let revalidatedLater = Self(kind: .revalidatedLater)
        /// The stored response was delivered after the server confirmed it.
        public static let validated = Self(kind: .validated)
        /// The server was asked to confirm the stored response, but sent another response or none.
        public static let replaced = Self(kind: .replaced)
        /// The stored response is stale. It was delivered because the server or the network has failed
        /// (`stale-if-error`).
        public static let fallback = Self(kind: .fallback)

        /// The name of the value, such as `validated`.
        public var description: String { kind.rawValue }
    }
}
