/// The durations and sizes of one transaction, a request and its response. A task has one for each redirect and each
/// authentication too.
///
/// Durations are measured from the moment at which the transfer began, after it had waited for its turn. A phase that
/// did not happen, such as the look-up of a name on a reused connection, is nil.
public struct TransferMetrics: Sendable, Hashable {
    /// The source of a response. Later releases may add sources.
    public struct Source: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String { case network, cache, validatedCache }

        private let kind: Kind

        /// A server.
        public static let network = Self(kind: .network)
        /// The cache, without revalidation: nothing was sent.
        public static let cache = Self(kind: .cache)
        /// The cache, after the server has confirmed that the stored response is still valid.
        /// ``TransferMetrics/response`` is the server's response, a 304.
        public static let validatedCache = Self(kind: .validatedCache)

        /// The name of the source, such as `validatedCache`.
        public var description: String { kind.rawValue }
    }

    /// The request that was sent.
    public let request: URLRequest
    /// The response to the request; nil if none arrived.
    public var response: HTTPURLResponse? { received?.http }
    let received: ReceivedResponse?
    /// The source of the response that was delivered.
    public let source: Source
    /// The part that the cache had, and the reason; nil if it had none: the session has no cache, or the request is
    /// none that a cache answers.
    public let cacheUse: CacheUse?
    /// Whether the delivered response is the cache's.
    public var isFromCache: Bool { source != .network }
    /// The date at which the transfer began.
    public let start: Date
    /// The duration until the host's name was resolved; nil if it was not.
    public let nameLookup: Duration?
    /// The duration until the connection was established, without TLS; nil if none was.
    public let connect: Duration?
    /// The duration until the TLS handshake was complete; nil if there was none.
    public let secureConnect: Duration?
    /// The duration until the request began to be sent; nil if it did not.
    public let requestStart: Duration?
    /// The duration until the first byte of the response arrived; nil if none did.
    public let firstByte: Duration?
    /// The duration until the last byte of the response arrived, or the transfer failed.
    public let end: Duration
    /// The protocol by its ALPN name: "http/1.0", "http/1.1", "h2" or "h3"; nil if no response arrived.
    public let protocolName: String?
    /// Whether the connection had been used before.
    public let isReusedConnection: Bool
    /// Whether the request went through a proxy.
    public let isProxyConnection: Bool
    /// The numerical address of this side of the connection; nil if there was none.
    public let localAddress: String?
    /// The port of this side of the connection; nil if there was none.
    public let localPort: Int?
    /// The numerical address of the server or proxy; nil if there was no connection.
    public let remoteAddress: String?
    /// The port of the server or proxy; nil if there was no connection.
    public let remotePort: Int?
    /// The number of bytes of the request's head.
    public let requestHeaderBytes: Int64
    /// The number of bytes of the request's content.
    public let requestBodyBytes: Int64
    /// The number of bytes of the response's head as HTTP/1.1 would write it.
    public let responseHeaderBytes: Int64
    /// The number of bytes of the response's content as they were transferred.
    public let responseBodyBytes: Int64
    /// The number of bytes of the response's content after decoding.
    public internal(set) var responseBodyBytesDecoded: Int64
    /// The version of TLS, as in "TLSv1.3"; nil without TLS, or if libcurl does not report it.
    public let tlsVersion: String?
    /// The cipher suite, as in "TLS_AES_256_GCM_SHA384"; nil without TLS, or if libcurl does not report it.
    public let tlsCipherSuite: String?
}
