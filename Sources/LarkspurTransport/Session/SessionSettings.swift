#if canImport(FoundationNetworking)
/// What of a configuration the engine goes by, read once when its session is made.
struct SessionSettings: Sendable {
    let maximumConnectionsPerHost: Int
    /// Seconds without a byte, for requests that have the default.
    let requestTimeout: TimeInterval
    /// Seconds for all of a task.
    let resourceTimeout: TimeInterval
    let additionalFields: [String: String]
    let cookies: CookieJar
    let protocols: HostedProtocolClasses
    let credentials: URLCredentialStorage?
    let options: CurlURLSession.Options

    init(_ configuration: URLSessionConfiguration, options: CurlURLSession.Options) {
        maximumConnectionsPerHost = max(1, configuration.httpMaximumConnectionsPerHost)
        requestTimeout = configuration.timeoutIntervalForRequest
        resourceTimeout = configuration.timeoutIntervalForResource
        additionalFields = Self.fields(configuration.httpAdditionalHeaders)
        cookies = CookieJar(
            storage: configuration.httpCookieStorage,
            acceptPolicy: configuration.httpCookieAcceptPolicy,
            isEnabled: configuration.httpShouldSetCookies
        )
        protocols = HostedProtocolClasses(configuration.protocolClasses ?? [])
        credentials = configuration.urlCredentialStorage
        self.options = options
    }

    /// Whatever the dictionary holds, as text.
    static func fields(_ additional: [AnyHashable: Any]?) -> [String: String] {
        guard let additional, !additional.isEmpty else { return [:] }
        let pairs = additional.map { name, value in ("\(name.base)", "\(value)") }
        return Dictionary(pairs) { first, _ in first }
    }

    /// The timeout of a request that has one of its own, else the configuration's: 60 seconds is what a request has that was told nothing.
    func idleTimeout(of request: URLRequest) -> TimeInterval {
        let own = request.timeoutInterval
        let timeout = own == 60 ? requestTimeout : own
        return timeout > 0 ? timeout : 60
    }
}
#endif
