#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The values of a request that decide whether and how a cache serves it.
struct CacheRequest: Sendable {
    let method: String
    let policy: URLRequest.CachePolicy
    let directives: CacheControl
    /// Whether the cache takes no part. True if the request asks for a range or is conditional. Also true if the
    /// request sets `Host`, because then the URL does not identify the resource.
    let isSpecial: Bool

    /// - Parameters:
    ///   - method: The method. Caches know only methods in upper case.
    ///   - policy: The policy of the request, otherwise of the configuration.
    ///   - fields: The fields that are sent.
    init(method: String, policy: URLRequest.CachePolicy, fields: CacheRequestFields) {
        self.method = method
        self.policy = policy
        let hasDirectives = fields.hasGiven(anyOf: Self.directiveFields)
        directives = hasDirectives ? CacheControl(fields["cache-control"], pragma: fields["pragma"]) : CacheControl()
        isSpecial = fields.hasGiven(anyOf: Self.specialFields)
    }

    private static let directiveFields: CacheRequestFields.FieldNames = ["cache-control", "pragma"]
    private static let specialFields: CacheRequestFields.FieldNames = [
        "range", "if-range", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "host",
    ]

    /// Whether stored responses may be used for requests with a method.
    static func serves(_ method: String) -> Bool { method == "GET" || MethodProperties(method).isCacheable }

    /// Whether the request allows the response to be stored.
    var allowsStoring: Bool { method == "GET" && !directives.noStore && !isSpecial }

    /// Whether the request may get an entry that ordinary requests cannot use: stale and without a validator.
    var mayUseAnyEntry: Bool {
        takesAnything || directives.maxStale != nil || directives.staleIfError != nil
    }

    /// Whether any stored response serves the request, even if it is stale.
    var takesAnything: Bool { policy == .returnCacheDataElseLoad || policy == .returnCacheDataDontLoad }

    /// Whether the response has to come from the cache.
    var forbidsLoading: Bool { policy == .returnCacheDataDontLoad }
}
#endif
