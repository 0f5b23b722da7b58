extension SessionManager {
    /// The values of this session manager that can be written down; see ``SessionManagerSettings``.
    /// - Throws: ``LarkspurError`` with the code `invalidSettings`, if a serializer, an encoder, a decoder or a style
    ///   is of the caller's own.
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

    /// Makes a session manager by what another one's ``settings`` say.
    /// - Parameters:
    ///   - settings: The settings that were written down.
    ///   - configuration: Copied, and changed to what the settings say; the rest stays, such as caches. Default:
    ///     `.default`.
    ///   - transport: The carrier of the requests. Default: `.automatic`.
    ///   - completionQueue: Runs closures and notifications; make it a serial one. Default: the main queue on Apple
    ///     platforms, elsewhere a private serial queue.
    ///   - completionGroup: Entered while a task is under way. Default: a group of its own.
    /// - Throws: ``LarkspurError`` with the code `invalidSettings`, if the settings have values that are not known
    ///   here, or `invalidSecurityPolicy`, if they have pins and the base URL is missing or not https.
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
    /// The same URL without a user and a password.
    fileprivate var withoutLogin: URL? {
        guard user != nil || password != nil else { return self }
        // Rather no URL than one with a password.
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return nil }
        components.user = nil
        components.password = nil
        return components.url
    }
}

extension JSONDecoder {
    /// Says whether it decodes as a new one does.
    fileprivate var isPlain: Bool {
        guard type(of: self) == JSONDecoder.self, userInfo.isEmpty, !allowsJSON5, !assumesTopLevelDictionary,
            case .deferredToDate = dateDecodingStrategy, case .base64 = dataDecodingStrategy,
            case .throw = nonConformingFloatDecodingStrategy, case .useDefaultKeys = keyDecodingStrategy
        else { return false }
        return true
    }
}

extension JSONEncoder {
    /// Says whether it encodes as a new one does.
    fileprivate var isPlain: Bool {
        guard type(of: self) == JSONEncoder.self, userInfo.isEmpty, outputFormatting.isEmpty,
            case .deferredToDate = dateEncodingStrategy, case .base64 = dataEncodingStrategy,
            case .throw = nonConformingFloatEncodingStrategy, case .useDefaultKeys = keyEncodingStrategy
        else { return false }
        return true
    }
}
