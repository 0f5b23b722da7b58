#if canImport(FoundationNetworking)
internal import CLibcurl
import HTTPSyntax

extension TransactionMetrics {
    /// Reads libcurl's measurements of a transfer that has ended.
    /// - Parameters:
    ///   - contentBytes: The number of received content bytes, without the framing of chunks and before decoding.
    ///   - tls: The protocol, the cipher suite and the group, which are known only during the transfer.
    init(
        _ handle: EasyHandle,
        request: URLRequest,
        response: ReceivedResponse?,
        source: Source,
        cacheUse: CacheUse?,
        start: Date,
        connectionWait: Duration?,
        contentBytes: Int64,
        decodedBytes: Int64,
        tls: (version: String?, cipher: String?, group: String?)
    ) {
        self.request = request
        received = response
        self.source = source
        self.cacheUse = cacheUse
        self.start = start
        self.connectionWait = connectionWait
        let isNewConnection = handle.long(CURLINFO_NUM_CONNECTS) > 0
        let requestStart = handle.time(CURLINFO_PRETRANSFER_TIME_T)
        nameLookupEnd = isNewConnection ? handle.time(CURLINFO_NAMELOOKUP_TIME_T) : nil
        connectEnd = isNewConnection ? handle.time(CURLINFO_CONNECT_TIME_T) : nil
        secureConnectEnd = isNewConnection ? handle.time(CURLINFO_APPCONNECT_TIME_T) : nil
        self.requestStart = requestStart
        responseStart = response == nil ? nil : handle.time(CURLINFO_STARTTRANSFER_TIME_T)
        responseEnd = handle.time(CURLINFO_TOTAL_TIME_T) ?? .zero
        protocolName = response == nil ? nil : Self.protocolName(handle.long(CURLINFO_HTTP_VERSION))
        isProxyConnection = handle.route.proxy != nil
        isReusedConnection = !isNewConnection && requestStart != nil
        localAddress = handle.address(CURLINFO_LOCAL_IP)
        localPort = localAddress.map { _ in handle.long(CURLINFO_LOCAL_PORT) }
        remoteAddress = handle.address(CURLINFO_PRIMARY_IP)
        remotePort = remoteAddress.map { _ in handle.long(CURLINFO_PRIMARY_PORT) }
        let requestBodyBytes = handle.int64(CURLINFO_SIZE_UPLOAD_T)
        let requestBytes = Int64(handle.long(CURLINFO_REQUEST_SIZE))
        // libcurl 8.8 and later include the whole content in the request size. Earlier versions include only the
        // content that was sent together with the header section.
        let countsContent = Libcurl.isAtLeast(8, 8) || handle.course.sendsContentWithHead
        requestHeaderBytes = countsContent ? max(0, requestBytes - requestBodyBytes) : requestBytes
        self.requestBodyBytes = requestBodyBytes
        responseHeaderBytes = Int64(handle.long(CURLINFO_HEADER_SIZE))
        responseBodyBytes = contentBytes
        responseBodyBytesDecoded = decodedBytes
        tlsVersion = tls.version
        tlsCipherSuite = tls.cipher
        tlsKeyExchangeGroup = tls.group
    }

    /// The libraries with which libcurl implements ``protocolName``, with their versions. Examples are nghttp2 1.65.0
    /// for HTTP/2, and ngtcp2 and nghttp3 for HTTP/3. Empty for HTTP/1.x, which libcurl implements itself, and if no
    /// response arrived.
    public var protocolLibraries: [LibcurlComponent] {
        switch protocolName {
        case "h2": Libcurl.http2Libraries
        case "h3": Libcurl.http3Libraries
        default: []
        }
    }

    /// Returns the ALPN name for `CURL_HTTP_VERSION_1_0` and the versions after it; nil for other values.
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
    /// Returns a duration that libcurl has measured, in microseconds; nil if the phase did not take place.
    fileprivate func time(_ info: Int32) -> Duration? {
        let microseconds = int64(info)
        return microseconds > 0 ? .microseconds(microseconds) : nil
    }

    fileprivate func address(_ info: Int32) -> String? {
        string(info).flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension TransactionMetrics {
    /// Creates the metrics of a response from the cache. No request was sent for it.
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
        connectionWait = nil
        nameLookupEnd = nil
        connectEnd = nil
        secureConnectEnd = nil
        requestStart = nil
        responseStart = nil
        responseEnd = .zero
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
        tlsKeyExchangeGroup = nil
    }
}
#endif
