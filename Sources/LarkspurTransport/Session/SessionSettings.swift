#if canImport(FoundationNetworking)
/// What of a configuration the engine goes by, read once when its session is made.
struct SessionSettings: Sendable {
    let maximumConnectionsPerHost: Int
    /// Seconds without a byte, for requests that have the default.
    let requestTimeout: TimeInterval
    /// Seconds for all of a task.
    let resourceTimeout: TimeInterval
    private let additionalFields: [String: String]
    /// Those of them that a server may see to which another one has redirected.
    private let fieldsForStrangers: [String: String]
    let cookies: CookieJar
    let protocols: HostedProtocolClasses
    let options: CurlURLSession.Options
    /// Where downloads are written.
    var downloadFolder: URL { options.partialDownloadFolder ?? FileManager.default.temporaryDirectory }

    init(_ configuration: URLSessionConfiguration, options: CurlURLSession.Options) {
        maximumConnectionsPerHost = max(1, configuration.httpMaximumConnectionsPerHost)
        requestTimeout = configuration.timeoutIntervalForRequest
        resourceTimeout = configuration.timeoutIntervalForResource
        additionalFields = Self.fields(configuration.httpAdditionalHeaders)
        fieldsForStrangers = additionalFields.filter { name, _ in
            !Self.secrets.contains { $0.hasSameLetters(as: name) }
        }
        cookies = CookieJar(
            storage: configuration.httpCookieStorage,
            acceptPolicy: configuration.httpCookieAcceptPolicy,
            isEnabled: configuration.httpShouldSetCookies
        )
        protocols = HostedProtocolClasses(configuration.protocolClasses ?? [])
        self.options = options
    }

    /// Fields that prove who somebody is, which are for the servers that the caller chose.
    private static let secrets = ["Authorization", "Cookie", "Proxy-Authorization"]

    /// The fields that every request of the session gets, but for secrets where a redirect has led to another origin.
    func additionalFields(for request: URLRequest, of task: TaskCore) -> [String: String] {
        if additionalFields.count == fieldsForStrangers.count { return additionalFields }
        guard let url = request.url, let original = task.originalRequest?.url,
            ProtectionSpace.Server(url: url) == ProtectionSpace.Server(url: original)
        else { return fieldsForStrangers }
        return additionalFields
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
