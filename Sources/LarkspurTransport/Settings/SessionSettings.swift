#if canImport(FoundationNetworking)
internal import HTTPSyntax
internal import Synchronization

/// The configuration values that the engine reads. They are read once, when the session is created. All requests share
/// one object, because copying so many values would be expensive.
final class SessionSettings: Sendable {
    let maximumConnectionsPerHost: Int
    /// The maximum time in which no byte is transferred, in seconds, for requests with the default timeout.
    let requestTimeout: TimeInterval
    /// The maximum time for a whole task, in seconds.
    let resourceTimeout: TimeInterval
    private let additionalFields: [String: String]
    /// The fields that are sent even after a redirect to another origin.
    private let fieldsForStrangers: [String: String]
    let cookies: CookieJar
    let credentials: CredentialStore
    /// The `URLProtocol` classes of the caller; nil if there are none.
    let protocols: ProtocolClasses?
    /// The choice of proxies; nil if all requests are sent without a proxy.
    let proxies: ProxySettings?
    let options: EngineOptions
    /// The rules about servers; nil if there are none.
    let access: AccessRules?
    /// The time for which idle connections stay open, in seconds.
    let idleConnectionTime: TimeInterval
    /// The watch for lost machines; nil if there is none.
    let peerWatch: PeerWatch?
    /// The use of HTTP/3 if the session offers HTTP/2.
    private let possibleHTTP3: HTTP3Use
    let http3Origins = Mutex(HTTP3Origins())
    let tls: HostTLSTable
    /// The session's cache; nil if there is none.
    let cache: (any ResponseStore)?
    private let cachePolicy: URLRequest.CachePolicy
    /// Whether https requests offer HTTP/2. The first read in the process may test libcurl, which takes a few
    /// milliseconds. So this property is read only for https requests.
    var offersHTTP2: Bool { HTTP2Trust.offersHTTP2(options.http2) }
    /// The effective use of HTTP/3.
    var http3: HTTP3Use { possibleHTTP3 != .never && offersHTTP2 ? possibleHTTP3 : .never }
    /// The folder for the files of downloads.
    var downloadFolder: URL { options.partialDownloadFolder ?? FileManager.default.temporaryDirectory }

    init(
        _ configuration: URLSessionConfiguration,
        options: EngineOptions,
        tlsAbilities: TLSAbilities? = nil,
        hasHTTP3: Bool = Libcurl.hasHTTP3
    ) {
        maximumConnectionsPerHost = max(1, configuration.httpMaximumConnectionsPerHost)
        requestTimeout = configuration.timeoutIntervalForRequest
        resourceTimeout = configuration.timeoutIntervalForResource
        additionalFields = Self.fields(configuration.httpAdditionalHeaders)
        fieldsForStrangers = additionalFields.filter { name, _ in
            !CredentialField.matches(name)
        }
        cookies = CookieJar(
            storage: configuration.httpCookieStorage,
            acceptPolicy: configuration.httpCookieAcceptPolicy,
            isEnabled: configuration.httpShouldSetCookies
        )
        credentials = CredentialStore(storage: configuration.urlCredentialStorage)
        let protocols = ProtocolClasses(configuration.protocolClasses ?? [])
        self.protocols = protocols.isEmpty ? nil : protocols
        let proxies = ProxySettings(
            options.proxy,
            dictionary: configuration.connectionProxyDictionary,
            environment: { getenv($0).map { String(cString: $0) } }
        )
        self.proxies = proxies.isDirect ? nil : proxies
        self.options = options
        access = AccessRules(options, proxies: proxies)
        idleConnectionTime = max(1, options.idleConnectionTime.timeInterval)
        peerWatch = options.deadPeerTime.map { PeerWatch(limit: $0) }
        let tls = HostTLSTable(options.tls, options.hostTLS, abilities: tlsAbilities ?? .present)
        self.tls = tls
        possibleHTTP3 = tls.settings.reduce(options.http3) {
            $0.effective(hasHTTP3: hasHTTP3, offersHTTP2: true, tls: $1)
        }
        cache = SessionCache.store(for: configuration.urlCache, isShared: !tls.isCustom)
        cachePolicy = configuration.requestCachePolicy
    }

    /// Returns the session's fields for a request, without credentials if a redirect has led to another origin.
    func additionalFields(for request: URLRequest, after original: URLRequest?) -> [String: String] {
        if additionalFields.count == fieldsForStrangers.count { return additionalFields }
        guard let url = request.url, let original = original?.url else { return fieldsForStrangers }
        if url == original { return additionalFields }
        // Two servers that cannot be identified are treated as different servers.
        guard let server = ProtectionSpace.Server(url: url), server == ProtectionSpace.Server(url: original)
        else { return fieldsForStrangers }
        return additionalFields
    }

    /// The time in seconds after which most requests have their first deadline.
    var firstDeadline: TimeInterval { min(requestTimeout, peerWatch?.limit ?? requestTimeout) }

    /// The maximum number of connections of a multi handle; nil if there is no limit.
    var totalConnections: Int? { options.maximumConnections.map { max(1, $0) } }

    /// Whether libcurl itself sends requests to look up names.
    var looksUpOverHTTPS: Bool { options.dnsOverHTTPS != nil && options.resolver == nil }

    /// Returns the URL with https if HSTS requires this for its host. Returns nil if the URL can be used unchanged.
    func secured(_ url: URL?) -> URL? {
        guard let store = options.hsts, let url else { return nil }
        return store.secured(url)
    }

    /// Returns the request with https if HSTS requires this for its host. Returns nil if the request can be sent
    /// unchanged.
    func secured(_ request: URLRequest) -> URLRequest? {
        guard options.hsts != nil, let url = secured(request.url) else { return nil }
        var request = request
        request.url = url
        return request
    }

    /// Removes the session's credentials from a request if a `URLProtocol` has reported a redirect to another origin.
    func withholdingSecrets(from next: URLRequest, after original: URLRequest?) -> URLRequest {
        let fields = additionalFields(for: next, after: original)
        var next = next
        for (name, value) in additionalFields where fields[name] == nil {
            if next.value(forHTTPHeaderField: name) == value { next.setValue(nil, forHTTPHeaderField: name) }
        }
        return next
    }

    /// Converts all entries of the dictionary to text.
    static func fields(_ additional: [AnyHashable: Any]?) -> [String: String] {
        guard let additional, !additional.isEmpty else { return [:] }
        let pairs = additional.map { name, value in ("\(name.base)", "\(value)") }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Whether a thread of the program may run the loop, because no code of the program runs on the loop.
    var mayLendLoop: Bool {
        protocols == nil && options.resolver == nil && !(cache is ForeignStore) && cookies.isOfFoundation
            && credentials.isOfFoundation && !options.allowedAddresses.callsClosure && !tls.callsClosure
    }

    /// Returns the cache policy of the request. If the request has the default policy, returns the policy of the
    /// configuration.
    func cachePolicy(of request: URLRequest) -> URLRequest.CachePolicy {
        let own = request.cachePolicy
        return own == .useProtocolCachePolicy ? cachePolicy : own
    }

    /// Returns the timeout of the request. If it is 60 seconds, returns the configuration's timeout, because a request
    /// without its own timeout has this value.
    func idleTimeout(of request: URLRequest) -> TimeInterval {
        let own = request.timeoutInterval
        let timeout = own == 60 ? requestTimeout : own
        return timeout > 0 ? timeout : 60
    }
}
#endif
