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
