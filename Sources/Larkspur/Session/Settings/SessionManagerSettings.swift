/// The values of a ``SessionManager`` that can be encoded and decoded again, also in another process.
///
/// These are the base URL, the timeouts and similar values of the configuration, the request serializer, the response
/// serializer and the security policy. Hooks, queues, the transport, caches, cookies and stored credentials are not
/// part of the settings. Secrets are left out: sensitive header fields (``HTTPHeaders/Field/isSensitive``), and user
/// and password in the base URL.
///
/// The decoder ignores keys that a later version adds. A key that is absent stands for its default; only the security
/// policy is required.
public struct SessionManagerSettings: Codable, Sendable, Hashable {
    /// The URL that relative URL strings are resolved against.
    public var baseURL: URL?
    /// The rules by which the certificates of servers are validated.
    public var securityPolicy: SecurityPolicy
    /// ``SessionManager/maximumContentSize``, in bytes; nil for the default.
    public var maximumContentSize: Int?

    var configuration: ConfigurationSettings?
    var requestSerializer: RequestSerializerSettings?
    var responseSerializer: ResponseSerializerSettings?

    /// Creates an error about a value that cannot be encoded.
    package static func notPortable(_ what: String) -> LarkspurError {
        LarkspurError(.invalidSettings, "The settings cannot be written down: \(what).")
    }

    /// Returns a finite time interval. JSON has no infinity, so a very long interval stands for it.
    static func finite(_ interval: TimeInterval) -> TimeInterval? {
        interval.isNaN ? nil : min(max(interval, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
    }

    /// Returns a value of an enumeration by its number; nil for no number.
    /// - Throws: ``LarkspurError`` with the code `invalidSettings`, if there is no such value.
    static func value<Value: RawRepresentable>(
        _ number: Value.RawValue?,
        _ name: String
    ) throws(LarkspurError) -> Value? {
        guard let number else { return nil }
        guard let value = Value(rawValue: number) else {
            throw LarkspurError(.invalidSettings, "The settings have a value that is not known here: \(name).")
        }
        return value
    }
}

extension SessionManager {
    /// The values of this session manager that can be encoded; see ``SessionManagerSettings``.
    /// - Throws: ``LarkspurError`` with the code `invalidSettings`, if a serializer, an encoder, a decoder or a style
    ///   is the caller's own.
    public var settings: SessionManagerSettings {
        get throws(LarkspurError) {
            if let error = sessions.configurationError { throw error }
            guard jsonDecoder.isPlain, jsonEncoder.isPlain else {
                throw SessionManagerSettings.notPortable("the JSON decoder or encoder is not a plain one")
            }
            return SessionManagerSettings(
                baseURL: baseURL?.withoutLogin,
                securityPolicy: securityPolicy,
                maximumContentSize: maximumContentSize,
                configuration: ConfigurationSettings(configuration),
                requestSerializer: try RequestSerializerSettings(requestBuilder),
                responseSerializer: try ResponseSerializerSettings(responseSerializer)
            )
        }
    }

    /// Creates a session manager from the ``settings`` of another one.
    /// - Parameters:
    ///   - settings: The settings of the other session manager.
    ///   - configuration: The configuration, which is copied. The values in the settings replace those of the copy; the
    ///     others, such as caches, stay. Default: `.default`.
    ///   - transport: The carrier of the requests. Default: `.automatic`.
    ///   - completionQueue: Runs closures and notifications; make it a serial one. Default: the main queue on Apple
    ///     platforms, elsewhere a private serial queue.
    ///   - completionGroup: Entered while a task is under way. Default: a group of its own.
    /// - Throws: ``LarkspurError`` with the code `invalidSettings`, if the settings hold values that this version does
    ///   not know, or `invalidSecurityPolicy`, if they hold pins and the base URL is missing or not https.
    public convenience init(
        settings: SessionManagerSettings,
        configuration: URLSessionConfiguration = .default,
        transport: Transport = .automatic,
        completionQueue: DispatchQueue? = nil,
        completionGroup: DispatchGroup = DispatchGroup()
    ) throws(LarkspurError) {
        let configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
        try settings.configuration?.apply(to: configuration)
        let builder = try settings.requestSerializer?.makeBuilder() ?? RequestBuilder()
        let responseSerializer = try settings.responseSerializer?.makeSerializer()
        try self.init(
            baseURL: settings.baseURL,
            configuration: configuration,
            transport: transport,
            securityPolicy: settings.securityPolicy,
            requestSettings: builder.settings,
            requestSerializer: builder.serializer,
            responseSerializer: responseSerializer ?? JSONResponseSerializer(),
            completionQueue: completionQueue,
            completionGroup: completionGroup
        )
        if let maximumContentSize = settings.maximumContentSize { self.maximumContentSize = maximumContentSize }
    }
}

extension URL {
    /// The same URL without user and password.
    fileprivate var withoutLogin: URL? {
        guard user != nil || password != nil else { return self }
        // If the components cannot be read, the result is nil, so that no password remains.
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return nil }
        components.user = nil
        components.password = nil
        return components.url
    }
}

extension JSONDecoder {
    /// Whether the decoder has the settings of a new one.
    fileprivate var isPlain: Bool {
        guard type(of: self) == JSONDecoder.self, userInfo.isEmpty, !allowsJSON5, !assumesTopLevelDictionary,
            case .deferredToDate = dateDecodingStrategy, case .base64 = dataDecodingStrategy,
            case .throw = nonConformingFloatDecodingStrategy, case .useDefaultKeys = keyDecodingStrategy
        else { return false }
        return true
    }
}

extension JSONEncoder {
    /// Whether the encoder has the settings of a new one.
    fileprivate var isPlain: Bool {
        guard type(of: self) == JSONEncoder.self, userInfo.isEmpty, outputFormatting.isEmpty,
            case .deferredToDate = dateEncodingStrategy, case .base64 = dataEncodingStrategy,
            case .throw = nonConformingFloatEncodingStrategy, case .useDefaultKeys = keyEncodingStrategy
        else { return false }
        return true
    }
}

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
