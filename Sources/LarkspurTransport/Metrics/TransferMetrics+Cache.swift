#if canImport(FoundationNetworking)
extension TransferMetrics {
    /// Creates the metrics of a response from the cache. Nothing was sent for it.
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
