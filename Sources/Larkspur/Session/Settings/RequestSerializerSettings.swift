/// The encodable form of request settings and of a request serializer of Larkspur. A value that is nil stands for the
/// default.
struct RequestSerializerSettings: Codable, Sendable, Hashable {
    enum Kind: String, Codable, Sendable {
        case form
        case json
        case propertyList
    }

    var kind: Kind
    var headers: [String: String]?
    var methodsEncodingParametersInURI: [String]?
    var query: QuerySettings?
    var stringEncoding: UInt?
    var timeout: TimeInterval?
    var cachePolicy: UInt?
    var networkServiceType: UInt?
    var allowsCellularAccess: Bool?
    var handlesCookies: Bool?
    var usesPipelining: Bool?
    var jsonWritingOptions: UInt?
    var propertyListFormat: UInt?

    /// - Throws: ``LarkspurError`` with the code `invalidSettings`, for a serializer, an encoder or a query style of
    ///   the caller.
    init(_ builder: RequestBuilder) throws(LarkspurError) {
        switch builder.serializer {
        case is HTTPRequestSerializer: kind = .form
        case let json as JSONRequestSerializer:
            guard !json.hasOwnEncoder else {
                throw SessionManagerSettings.notPortable("the JSON request serializer has an encoder of its own")
            }
            kind = .json
            jsonWritingOptions = json.writingOptions.rawValue
        case let list as PropertyListRequestSerializer:
            kind = .propertyList
            propertyListFormat = list.format.rawValue
        default:
            throw SessionManagerSettings.notPortable("the request serializer is \(type(of: builder.serializer))")
        }
        try take(builder.settings)
    }

    private mutating func take(_ settings: RequestSettings) throws(LarkspurError) {
        guard settings.customQuery == nil else {
            throw SessionManagerSettings.notPortable("the request settings have a custom query")
        }
        headers = settings.headers.withoutSecrets.dictionary
        methodsEncodingParametersInURI = settings.methodsEncodingParametersInURI.map(\.rawValue).sorted()
        query = try QuerySettings(settings.queryEncoder)
        stringEncoding = settings.stringEncoding.rawValue
        timeout = settings.timeoutInterval.flatMap(SessionManagerSettings.finite)
        cachePolicy = settings.cachePolicy.map { UInt($0.rawValue) }
        networkServiceType = settings.networkServiceType.map { UInt($0.rawValue) }
        allowsCellularAccess = settings.allowsCellularAccess
        handlesCookies = settings.httpShouldHandleCookies
        usesPipelining = settings.httpShouldUsePipelining
    }

    func makeBuilder() throws(LarkspurError) -> RequestBuilder {
        RequestBuilder(try makeSerializer(), settings: try requestSettings())
    }

    private func makeSerializer() throws(LarkspurError) -> any RequestSerializer {
        switch kind {
        case .form: return HTTPRequestSerializer()
        case .json:
            return JSONRequestSerializer(
                writingOptions: JSONSerialization.WritingOptions(rawValue: jsonWritingOptions ?? 0)
            )
        case .propertyList:
            let format: PropertyListSerialization.PropertyListFormat? = try SessionManagerSettings.value(
                propertyListFormat,
                "propertyListFormat"
            )
            return PropertyListRequestSerializer(format: format ?? .xml)
        }
    }

    private func requestSettings() throws(LarkspurError) -> RequestSettings {
        var settings = RequestSettings()
        if let headers { settings.headers = HTTPHeaders(headers) }
        if let methodsEncodingParametersInURI {
            settings.methodsEncodingParametersInURI = Set(
                methodsEncodingParametersInURI.map { HTTPMethod(rawValue: $0) }
            )
        }
        if let query { settings.queryEncoder = try query.makeEncoder() }
        if let stringEncoding { settings.stringEncoding = String.Encoding(rawValue: stringEncoding) }
        settings.timeoutInterval = timeout
        settings.cachePolicy = try SessionManagerSettings.value(cachePolicy, "cachePolicy")
        settings.networkServiceType = try SessionManagerSettings.value(networkServiceType, "networkServiceType")
        settings.allowsCellularAccess = allowsCellularAccess
        settings.httpShouldHandleCookies = handlesCookies
        settings.httpShouldUsePipelining = usesPipelining
        return settings
    }
}

/// The encodable form of a query encoder. A value that is nil stands for the default.
struct QuerySettings: Codable, Sendable, Hashable {
    var array: String?
    var boolean: String?
    var data: String?
    var date: String?
    var key: String?
    var keyPath: String?
    var null: String?
    var space: String?
    var sortsKeys: Bool?
    var includesNilProperties: Bool?

    /// - Throws: ``LarkspurError`` with the code `invalidSettings`, for a style of the caller.
    init(_ encoder: QueryEncoder) throws(LarkspurError) {
        guard encoder.userInfo.isEmpty else {
            throw SessionManagerSettings.notPortable("the query encoder has a userInfo")
        }
        array = try Self.name(encoder.arrayStyle, "array style")
        boolean = try Self.name(encoder.booleanStyle, "boolean style")
        data = try Self.name(encoder.dataStyle, "data style")
        date = try Self.name(encoder.dateStyle, "date style")
        key = try Self.name(encoder.keyStyle, "key style")
        keyPath = try Self.name(encoder.keyPathStyle, "key path style")
        null = try Self.name(encoder.nullStyle, "null style")
        space = try Self.name(encoder.spaceStyle, "space style")
        sortsKeys = encoder.sortsKeys
        includesNilProperties = encoder.includesNilProperties
    }

    func makeEncoder() throws(LarkspurError) -> QueryEncoder {
        var encoder = QueryEncoder()
        try Self.set(&encoder.arrayStyle, array, "array style")
        try Self.set(&encoder.booleanStyle, boolean, "boolean style")
        try Self.set(&encoder.dataStyle, data, "data style")
        try Self.set(&encoder.dateStyle, date, "date style")
        try Self.set(&encoder.keyStyle, key, "key style")
        try Self.set(&encoder.keyPathStyle, keyPath, "key path style")
        try Self.set(&encoder.nullStyle, null, "null style")
        try Self.set(&encoder.spaceStyle, space, "space style")
        if let sortsKeys { encoder.sortsKeys = sortsKeys }
        if let includesNilProperties { encoder.includesNilProperties = includesNilProperties }
        return encoder
    }

    private static func name(_ style: some PortableStyle, _ what: String) throws(LarkspurError) -> String {
        guard let name = style.portableName else {
            throw SessionManagerSettings.notPortable("the query encoder has a \(what) of its own")
        }
        return name
    }

    private static func set<Style: PortableStyle>(
        _ style: inout Style,
        _ name: String?,
        _ what: String
    ) throws(LarkspurError) {
        guard let name else { return }
        guard let known = Style.portable[name] else {
            throw LarkspurError(.invalidSettings, "The settings have a \(what) that is not known here.")
        }
        style = known
    }
}
