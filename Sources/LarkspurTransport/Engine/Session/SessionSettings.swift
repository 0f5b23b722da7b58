#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The configuration values that the engine reads, once when its session is made; an object, as each request looks at
/// it and copying so many values costs.
final class SessionSettings: Sendable {
    let maximumConnectionsPerHost: Int
    /// Seconds without a byte, for requests that have the default.
    let requestTimeout: TimeInterval
    /// Seconds for all of a task.
    let resourceTimeout: TimeInterval
    private let additionalFields: [String: String]
    /// Those of them that a server may see to which another one has redirected.
    private let fieldsForStrangers: [String: String]
    let cookies: CookieJar
    let credentials: CredentialStore
    let protocols: ProtocolClasses
    let proxies: ProxySettings
    let options: EngineOptions
    let offersHTTP2: Bool
    let tls: TLSSettings
    /// Nil without a cache.
    let cache: (any ResponseStore)?
    private let cachePolicy: URLRequest.CachePolicy
    /// Where downloads are written.
    var downloadFolder: URL { options.partialDownloadFolder ?? FileManager.default.temporaryDirectory }

    init(
        _ configuration: URLSessionConfiguration,
        options: EngineOptions,
        tlsAbilities: TLSAbilities? = nil
    ) {
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
        credentials = CredentialStore(storage: configuration.urlCredentialStorage)
        protocols = ProtocolClasses(configuration.protocolClasses ?? [])
        proxies = ProxySettings(
            options.proxy,
            dictionary: configuration.connectionProxyDictionary,
            environment: { getenv($0).map { String(cString: $0) } }
        )
        self.options = options
        offersHTTP2 = HTTP2Trust.offersHTTP2(options.http2)
        tls = TLSSettings(options.tls, abilities: tlsAbilities ?? .present)
        cache = SessionCache.store(for: configuration.urlCache, isShared: !tls.isCustom)
        cachePolicy = configuration.requestCachePolicy
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

    /// A redirect of a class of the caller's, without the session's secrets where it leads to another origin.
    func withholdingSecrets(from next: URLRequest, of task: TaskCore) -> URLRequest {
        let fields = additionalFields(for: next, of: task)
        var next = next
        for (name, value) in additionalFields where fields[name] == nil {
            if next.value(forHTTPHeaderField: name) == value { next.setValue(nil, forHTTPHeaderField: name) }
        }
        return next
    }

    /// Whatever the dictionary holds, as text.
    static func fields(_ additional: [AnyHashable: Any]?) -> [String: String] {
        guard let additional, !additional.isEmpty else { return [:] }
        let pairs = additional.map { name, value in ("\(name.base)", "\(value)") }
        return Dictionary(pairs) { first, _ in first }
    }

    /// The policy of a request that has one of its own, else the configuration's.
    func cachePolicy(of request: URLRequest) -> URLRequest.CachePolicy {
        let own = request.cachePolicy
        return own == .useProtocolCachePolicy ? cachePolicy : own
    }

    /// The timeout of a request that has one of its own, else the configuration's: 60 seconds is what a request has
    /// that was told nothing.
    func idleTimeout(of request: URLRequest) -> TimeInterval {
        let own = request.timeoutInterval
        let timeout = own == 60 ? requestTimeout : own
        return timeout > 0 ? timeout : 60
    }
}
#endif
