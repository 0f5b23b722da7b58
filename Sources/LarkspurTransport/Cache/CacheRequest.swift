#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// What of a request decides whether and how a cache answers it.
struct CacheRequest: Sendable {
    let method: String
    let policy: URLRequest.CachePolicy
    let directives: CacheControl
    /// Whether the caller asks for a part, or only if something has changed, as a cache would do itself, or for what
    /// the URL does not name: another host.
    let isSpecial: Bool

    /// - Parameters:
    ///   - method: In upper case, as all methods that a cache knows.
    ///   - policy: The request's, or the configuration's where that is the default.
    ///   - fields: Those that are sent.
    init(method: String, policy: URLRequest.CachePolicy, fields: CacheRequestFields) {
        self.method = method
        self.policy = policy
        guard !fields.isPlain else {
            directives = CacheControl()
            isSpecial = false
            return
        }
        if let text = fields["cache-control"] {
            directives = CacheControl(text)
        } else {
            var directives = CacheControl()
            directives.noCache = fields["pragma"]?.hasSameLetters(as: "no-cache") ?? false
            self.directives = directives
        }
        isSpecial = Self.specialFields.contains { fields[$0] != nil }
    }

    private static let specialFields = [
        "range", "if-range", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "host",
    ]

    /// Whether the response may be kept, as far as the request is concerned.
    var allowsStoring: Bool { method == "GET" && !directives.noStore && !isSpecial }

    /// Whether the answer has to come from the cache.
    var forbidsLoading: Bool { policy == .returnCacheDataDontLoad }
}
#endif
