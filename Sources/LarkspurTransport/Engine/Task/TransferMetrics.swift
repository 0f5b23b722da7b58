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
    private let received: ReceivedResponse?
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

#if canImport(FoundationNetworking)
extension TransferMetrics {
    /// Creates the metrics of a cached response, for which nothing was sent.
    init(
        cachedResponse response: ReceivedResponse,
        to request: URLRequest,
        cacheUse: CacheUse?,
        start: Date,
        contentBytes: Int64
    ) {
        self.request = request
        self.cacheUse = cacheUse
        received = response
        source = .cache
        self.start = start
        nameLookup = nil
        connect = nil
        secureConnect = nil
        requestStart = nil
        firstByte = nil
        end = .zero
        protocolName = nil
        isProxyConnection = false
        isReusedConnection = false
        localAddress = nil
        localPort = nil
        remoteAddress = nil
        remotePort = nil
        requestHeaderBytes = 0
        requestBodyBytes = 0
        responseHeaderBytes = 0
        responseBodyBytes = 0
        responseBodyBytesDecoded = contentBytes
        tlsVersion = nil
        tlsCipherSuite = nil
    }
}
#endif

#if canImport(FoundationNetworking)
internal import CLibcurl

extension TransferMetrics {
    /// Reads libcurl's measurements of a transfer that has ended.
    /// - Parameters:
    ///   - contentBytes: The number of content bytes that arrived, out of their chunks and not decoded.
    ///   - tls: The protocol and the cipher suite, which libcurl knows only while the transfer is under way.
    init(
        _ handle: EasyHandle,
        request: URLRequest,
        response: ReceivedResponse?,
        source: Source,
        cacheUse: CacheUse?,
        start: Date,
        contentBytes: Int64,
        decodedBytes: Int64,
        tls: (version: String?, cipher: String?)
    ) {
        self.request = request
        received = response
        self.source = source
        self.cacheUse = cacheUse
        self.start = start
        let isNewConnection = handle.long(CURLINFO_NUM_CONNECTS) > 0
        let requestStart = handle.time(CURLINFO_PRETRANSFER_TIME_T)
        nameLookup = isNewConnection ? handle.time(CURLINFO_NAMELOOKUP_TIME_T) : nil
        connect = isNewConnection ? handle.time(CURLINFO_CONNECT_TIME_T) : nil
        secureConnect = isNewConnection ? handle.time(CURLINFO_APPCONNECT_TIME_T) : nil
        self.requestStart = requestStart
        firstByte = response == nil ? nil : handle.time(CURLINFO_STARTTRANSFER_TIME_T)
        end = handle.time(CURLINFO_TOTAL_TIME_T) ?? .zero
        protocolName = response == nil ? nil : Self.protocolName(handle.long(CURLINFO_HTTP_VERSION))
        isProxyConnection = handle.route.proxy != nil
        isReusedConnection = !isNewConnection && requestStart != nil
        localAddress = handle.address(CURLINFO_LOCAL_IP)
        localPort = localAddress.map { _ in handle.long(CURLINFO_LOCAL_PORT) }
        remoteAddress = handle.address(CURLINFO_PRIMARY_IP)
        remotePort = remoteAddress.map { _ in handle.long(CURLINFO_PRIMARY_PORT) }
        let requestBodyBytes = handle.int64(CURLINFO_SIZE_UPLOAD_T)
        let requestBytes = Int64(handle.long(CURLINFO_REQUEST_SIZE))
        // Since 8.8 libcurl's request size includes everything that was sent; before, only the part that was sent in
        // one piece.
        let countsContent = Libcurl.isAtLeast(8, 8) || handle.sendsContentWithHead
        requestHeaderBytes = countsContent ? max(0, requestBytes - requestBodyBytes) : requestBytes
        self.requestBodyBytes = requestBodyBytes
        responseHeaderBytes = Int64(handle.long(CURLINFO_HEADER_SIZE))
        responseBodyBytes = contentBytes
        responseBodyBytesDecoded = decodedBytes
        tlsVersion = tls.version
        tlsCipherSuite = tls.cipher
    }

    /// Returns the ALPN name for CURL_HTTP_VERSION_1_0 and later values.
    private static func protocolName(_ version: Int) -> String? {
        switch version {
        case 1: "http/1.0"
        case 2: "http/1.1"
        case 3: "h2"
        case 30: "h3"
        default: nil
        }
    }
}

extension EasyHandle {
    /// Returns a duration that libcurl measured, in microseconds; nil for a phase that did not happen.
    fileprivate func time(_ info: Int32) -> Duration? {
        let microseconds = int64(info)
        return microseconds > 0 ? .microseconds(microseconds) : nil
    }

    fileprivate func address(_ info: Int32) -> String? {
        string(info).flatMap { $0.isEmpty ? nil : $0 }
    }
}
#endif

#if canImport(FoundationNetworking)
/// The metrics of a ``CurlURLSession``'s task, as `urlSession(_:task:didFinishCollecting:)` receives them.
///
/// The method is called once for each task, before `urlSession(_:task:didCompleteWithError:)`, also with a completion
/// handler, and whether the task succeeds, fails or is cancelled. Code outside of FoundationNetworking cannot set the
/// properties of the superclass: `transactionMetrics` is empty, `taskInterval` has no length and `redirectCount` is 0.
/// The properties below have the figures.
///
/// ```swift
/// if let metrics = metrics as? CurlTaskMetrics { print(metrics.duration, metrics.transfers.count) }
/// ```
public final class CurlTaskMetrics: URLSessionTaskMetrics, @unchecked Sendable {
    // Safe: all properties are constants, and those of the superclass are never written.
    /// The metrics of the requests that the task has sent, redirects and authentication included, and of the cache's
    /// responses; empty if nothing was sent.
    public let transfers: [TransferMetrics]
    /// The interval from the creation of the task to its end.
    public let interval: DateInterval
    /// The length of ``interval`` in seconds.
    public var duration: TimeInterval { interval.duration }
    /// The number of redirects that were followed.
    public let followedRedirects: Int

    init(transfers: [TransferMetrics], from start: Date, to end: Date = Date()) {
        self.transfers = transfers
        // The clock may have been set back meanwhile.
        interval = DateInterval(start: start, end: max(start, end))
        followedRedirects = transfers.dropLast().count { $0.isRedirect }
        super.init()
    }
}

extension TransferMetrics {
    fileprivate var isRedirect: Bool {
        switch received?.statusCode {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }
}
#endif
