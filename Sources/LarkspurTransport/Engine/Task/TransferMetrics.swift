/// The durations and sizes of one transaction, a request and its response; a task has one for each redirect and each
/// authentication too.
///
/// Durations are counted from the moment at which the transfer began, after it had waited for its turn. A phase that
/// did not happen, such as the look-up of a name on a connection that is used again, is nil.
public struct TransferMetrics: Sendable, Hashable {
    /// Where a response came from.
    public enum Source: Sendable, Hashable {
        /// From a server.
        case network
        /// From the cache, without asking a server: nothing was sent.
        case cache
        /// From the cache, after the server has said that it is still good: ``TransferMetrics/response`` is what it
        /// said, a 304.
        case validatedCache
    }

    /// The request that was sent.
    public let request: URLRequest
    /// The response to it; nil if none came.
    public let response: HTTPURLResponse?
    /// Where the response came from that was delivered.
    public let source: Source
    /// Whether what was delivered is the cache's.
    public var isFromCache: Bool { source != .network }
    /// When the transfer began.
    public let start: Date
    /// Until the host's name was resolved.
    public let nameLookup: Duration?
    /// Until the connection was established, without TLS.
    public let connect: Duration?
    /// Until the TLS handshake was complete.
    public let secureConnect: Duration?
    /// Until the request began to be sent.
    public let requestStart: Duration?
    /// Until the first byte of the response came.
    public let firstByte: Duration?
    /// Until the last byte of the response came, or the transfer failed.
    public let end: Duration
    /// The protocol by its ALPN name: "http/1.0", "http/1.1", "h2" or "h3"; nil if no response came.
    public let protocolName: String?
    /// Whether the connection had been used before.
    public let isReusedConnection: Bool
    /// Whether the request went through a proxy.
    public let isProxyConnection: Bool
    /// The numerical address and port of this side, if there was a connection.
    public let localAddress: String?
    /// See ``localAddress``.
    public let localPort: Int?
    /// The numerical address and port of the server or proxy, if there was a connection.
    public let remoteAddress: String?
    /// See ``remoteAddress``.
    public let remotePort: Int?
    /// The bytes of the request's head, and of its content.
    public let requestHeaderBytes: Int64
    /// See ``requestHeaderBytes``.
    public let requestBodyBytes: Int64
    /// The bytes of the response's head as HTTP/1.1 would write it.
    public let responseHeaderBytes: Int64
    /// The bytes of the response's content as they came over the wire.
    public let responseBodyBytes: Int64
    /// The bytes of the response's content after decoding.
    public internal(set) var responseBodyBytesDecoded: Int64
    /// The version of TLS, as in "TLSv1.3"; nil without TLS, or where libcurl does not tell.
    public let tlsVersion: String?
    /// The cipher suite, as in "TLS_AES_256_GCM_SHA384"; nil without TLS, or where libcurl does not tell.
    public let tlsCipherSuite: String?
}
