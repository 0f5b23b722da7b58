/// The values of a `URLSessionConfiguration` that can be encoded. A value that is nil leaves the configuration's own
/// unchanged.
struct ConfigurationSettings: Codable, Sendable, Hashable {
    var requestTimeout: TimeInterval?
    var resourceTimeout: TimeInterval?
    var connectionsPerHost: Int?
    var headers: [String: String]?
    var cachePolicy: UInt?
    var networkServiceType: UInt?
    var cookieAcceptPolicy: UInt?
    var allowsCellularAccess: Bool?
    var setsCookies: Bool?

    init(_ configuration: URLSessionConfiguration) {
        requestTimeout = SessionManagerSettings.finite(configuration.timeoutIntervalForRequest)
        resourceTimeout = SessionManagerSettings.finite(configuration.timeoutIntervalForResource)
        connectionsPerHost = configuration.httpMaximumConnectionsPerHost
        headers = HTTPHeaders(allHeaderFields: configuration.httpAdditionalHeaders ?? [:]).withoutSecrets.dictionary
        cachePolicy = UInt(configuration.requestCachePolicy.rawValue)
        networkServiceType = UInt(configuration.networkServiceType.rawValue)
        cookieAcceptPolicy = UInt(configuration.httpCookieAcceptPolicy.rawValue)
        allowsCellularAccess = configuration.allowsCellularAccess
        setsCookies = configuration.httpShouldSetCookies
    }

    /// Applies the values to a configuration, whose sensitive fields stay.
    func apply(to configuration: URLSessionConfiguration) throws(LarkspurError) {
        if let requestTimeout { configuration.timeoutIntervalForRequest = requestTimeout }
        if let resourceTimeout { configuration.timeoutIntervalForResource = resourceTimeout }
        if let connectionsPerHost { configuration.httpMaximumConnectionsPerHost = connectionsPerHost }
        if let headers {
            var fields = HTTPHeaders(allHeaderFields: configuration.httpAdditionalHeaders ?? [:])
            fields.merge(HTTPHeaders(headers))
            configuration.httpAdditionalHeaders = fields.dictionary
        }
        if let policy: URLRequest.CachePolicy = try SessionManagerSettings.value(cachePolicy, "cachePolicy") {
            configuration.requestCachePolicy = policy
        }
        if let type: URLRequest.NetworkServiceType = try SessionManagerSettings.value(
            networkServiceType,
            "networkServiceType"
        ) {
            configuration.networkServiceType = type
        }
        if let policy: HTTPCookie.AcceptPolicy = try SessionManagerSettings.value(
            cookieAcceptPolicy,
            "cookieAcceptPolicy"
        ) {
            configuration.httpCookieAcceptPolicy = policy
        }
        if let allowsCellularAccess { configuration.allowsCellularAccess = allowsCellularAccess }
        if let setsCookies { configuration.httpShouldSetCookies = setsCookies }
    }
}

extension HTTPHeaders {
    /// The fields without the sensitive ones.
    var withoutSecrets: HTTPHeaders { HTTPHeaders(filter { !$0.isSensitive }) }
}
