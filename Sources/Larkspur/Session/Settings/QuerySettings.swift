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
