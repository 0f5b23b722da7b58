import HTTPSyntax

/// The durations and sizes of one transaction: a request and its response. Each redirect and each authentication of a
/// task is a separate transaction.
///
/// Durations are measured from the beginning of the transfer. They do not include a wait because of the limit of
/// connections per host. The duration of this wait is ``connectionWait``. If a phase did not take place, such as the
/// name look-up on a reused connection, its duration is nil.
public struct TransactionMetrics: Sendable, Hashable {
    /// The source of a response. Later releases may add sources.
    public struct Source: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String { case network, cache, validatedCache }

        private let kind: Kind

        /// A server.
        public static let network = Self(kind: .network)
        /// The cache, without revalidation. No request was sent.
        public static let cache = Self(kind: .cache)
        /// The cache, after the server confirmed the stored response. ``TransactionMetrics/response`` is the server's
        /// 304.
        public static let validatedCache = Self(kind: .validatedCache)

        /// The name of the source, such as `validatedCache`.
        public var description: String { kind.rawValue }
    }

    /// The request that was sent.
    public let request: URLRequest
    /// The response to the request; nil if no response arrived.
    public var response: HTTPURLResponse? { received?.http }
    let received: ReceivedResponse?
    /// The source of the response that was delivered.
    public let source: Source
    /// The use of the cache in the transaction. Nil if the session has no cache, or if the cache is never used for
    /// requests of this kind.
    public let cacheUse: CacheUse?
    /// Whether the delivered response came from the cache.
    public var isFromCache: Bool { source != .network }
    /// The date at which the transfer began.
    public let start: Date
    /// The duration for which the request waited for a connection before ``start``. It waits because of the limit of
    /// connections per host or of all connections. Nil if it did not wait.
    public let connectionWait: Duration?
    /// The duration until the host's name was resolved; nil if no name was resolved.
    public let nameLookupEnd: Duration?
    /// The duration until the connection was established, without TLS; nil if no new connection was established.
    public let connectEnd: Duration?
    /// The duration until the TLS handshake was complete; nil if there was no handshake.
    public let secureConnectEnd: Duration?
    /// The duration until the sending of the request began; nil if it did not begin.
    public let requestStart: Duration?
    /// The duration until the first byte of the response arrived; nil if no byte arrived.
    public let responseStart: Duration?
    /// The duration until the last byte of the response arrived or the transfer failed.
    public let responseEnd: Duration
    /// The protocol by its ALPN name: "http/1.0", "http/1.1", "h2" or "h3"; nil if no response arrived.
    public let protocolName: String?
    /// Whether the connection had been used before.
    public let isReusedConnection: Bool
    /// Whether the request went through a proxy.
    public let isProxyConnection: Bool
    /// The numerical address of this side of the connection; nil if there was no connection.
    public let localAddress: String?
    /// The port of this side of the connection; nil if there was no connection.
    public let localPort: Int?
    /// The numerical address of the server or proxy; nil if there was no connection.
    public let remoteAddress: String?
    /// The port of the server or proxy; nil if there was no connection.
    public let remotePort: Int?
    /// The number of bytes of the request's head.
    public let requestHeaderBytes: Int64
    /// The number of bytes of the request's content.
    public let requestBodyBytes: Int64
    /// The number of bytes of the response's head in the form of HTTP/1.1.
    public let responseHeaderBytes: Int64
    /// The number of bytes of the response's content as they were transferred.
    public let responseBodyBytes: Int64
    /// The number of bytes of the response's content after decoding.
    public internal(set) var responseBodyBytesDecoded: Int64
    /// The version of TLS, such as "TLSv1.3"; nil without TLS, or if libcurl does not report it.
    public let tlsVersion: String?
    /// The cipher suite, such as "TLS_AES_256_GCM_SHA384"; nil without TLS, or if libcurl does not report it.
    public let tlsCipherSuite: String?
    /// The group of the TLS key exchange, by OpenSSL's name: "X25519MLKEM768", which a quantum computer does not break,
    /// "x25519", "secp256r1" and others. Nil without TLS or a group, or if the TLS library is not OpenSSL 3 or later.
    public let tlsKeyExchangeGroup: String?
}

extension TransactionMetrics {
    /// The use of the cache in a transaction. It says whether a stored response was delivered, and for which reason.
    /// Later releases may add values.
    public struct CacheUse: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case absent, bypassed, unverifiable, fresh, stale, revalidatedLater, validated, replaced, fallback
        }

        private let kind: Kind

        /// There is no stored response for the request. The request was sent to the server.
        public static let absent = Self(kind: .absent)
        /// The request or its policy requires a response from the server. The request was sent.
        public static let bypassed = Self(kind: .bypassed)
        /// The stored response is stale, and has no validator that the server could confirm. The request was sent
        /// without a condition.
        public static let unverifiable = Self(kind: .unverifiable)
        /// The stored response is fresh, and was delivered.
        public static let fresh = Self(kind: .fresh)
        /// The stored response is stale, and was delivered because the request permits this.
        public static let stale = Self(kind: .stale)
        /// The stored response is stale. It was delivered because the server permits the use of a stale response while
        /// the cache revalidates it (`stale-while-revalidate`).
        public static let revalidatedLater = Self(kind: .revalidatedLater)
        /// The stored response was delivered after the server confirmed it.
        public static let validated = Self(kind: .validated)
        /// The server was asked to confirm the stored response, but has sent another response or no response.
        public static let replaced = Self(kind: .replaced)
        /// The stored response is stale. It was delivered because the server or the network has failed
        /// (`stale-if-error`).
        public static let fallback = Self(kind: .fallback)

        /// The name of the value, such as `validated`.
        public var description: String { kind.rawValue }
    }
}
