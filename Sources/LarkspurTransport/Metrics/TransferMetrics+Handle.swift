#if canImport(FoundationNetworking)
internal import CLibcurl

extension TransferMetrics {
    /// Reads what libcurl knows of a transfer that has ended.
    /// - Parameter tls: Protocol and cipher suite, which libcurl knows only while the transfer is under way.
    init(
        _ handle: EasyHandle,
        request: URLRequest,
        response: HTTPURLResponse?,
        source: Source,
        start: Date,
        decodedBytes: Int64,
        tls: (version: String?, cipher: String?)
    ) {
        self.request = request
        self.response = response
        self.source = source
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
        requestHeaderBytes = Int64(handle.long(CURLINFO_REQUEST_SIZE))
        requestBodyBytes = handle.int64(CURLINFO_SIZE_UPLOAD_T)
        responseHeaderBytes = Int64(handle.long(CURLINFO_HEADER_SIZE))
        responseBodyBytes = handle.int64(CURLINFO_SIZE_DOWNLOAD_T)
        responseBodyBytesDecoded = decodedBytes
        tlsVersion = tls.version
        tlsCipherSuite = tls.cipher
    }

    /// The ALPN names of CURL_HTTP_VERSION_1_0 and those that follow.
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
    /// A duration that libcurl measured, in microseconds; nil for a phase that did not happen.
    fileprivate func time(_ info: Int32) -> Duration? {
        let microseconds = int64(info)
        return microseconds > 0 ? .microseconds(microseconds) : nil
    }

    fileprivate func address(_ info: Int32) -> String? {
        string(info).flatMap { $0.isEmpty ? nil : $0 }
    }
}
#endif
