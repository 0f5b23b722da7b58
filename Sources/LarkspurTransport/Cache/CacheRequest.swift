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
        let isPlain = fields.isPlain
        directives = isPlain ? CacheControl() : CacheControl(fields["cache-control"], pragma: fields["pragma"])
        isSpecial = !isPlain && Self.specialFields.contains { fields[$0] != nil }
    }

    private static let specialFields = [
        "range", "if-range", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "host",
    ]

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
