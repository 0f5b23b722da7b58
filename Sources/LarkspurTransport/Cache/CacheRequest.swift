#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The values of a request that determine whether and how a cache is used for it.
struct CacheRequest: Sendable {
    let method: String
    let policy: URLRequest.CachePolicy
    let directives: CacheControl
    /// Whether the cache is not used. This is so if the request asks for a range or is conditional. It is also so if
    /// the request sets `Host`, because the URL then does not identify the resource.
    let isSpecial: Bool

    /// - Parameters:
    ///   - method: The method. For a cache, only methods in upper case have a meaning.
    ///   - policy: The policy of the request. If the request has none, the policy of the configuration.
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

    /// Whether the request may use an entry that ordinary requests cannot use, because the entry is stale and has no
    /// validator.
    var mayUseAnyEntry: Bool {
        takesAnything || directives.maxStale != nil || directives.staleIfError != nil
    }

    /// Whether the request accepts any stored response, even if it is stale.
    var takesAnything: Bool { policy == .returnCacheDataElseLoad || policy == .returnCacheDataDontLoad }

    /// Whether the response has to come from the cache.
    var forbidsLoading: Bool { policy == .returnCacheDataDontLoad }
}

/// The fields of a request, from all sources.
final class CacheRequestFields {
    @exclusivity(unchecked) private var own: [String: String]
    @exclusivity(unchecked) private var additional: [String: String]
    @exclusivity(unchecked) private var userCredential: UserCredential?
    private let cookie: @Sendable () -> String?
    /// The `Cookie` field that was sent. The outer optional is nil if the field is not known yet. The session's cookies
    /// cannot be read later, because the response may change them before it is stored.
    @exclusivity(unchecked) var sentCookie: String??

    /// - Parameters:
    ///   - own: The fields of the request.
    ///   - additional: The session's fields. They are used only if the request does not have them.
    ///   - userCredential: The credential that was used for a challenge. It is compared in place of the request's own
    ///     `Authorization` field. The reason is that the field that is created from the credential may differ each
    ///     time.
    ///   - cookie: Returns the field with the session's cookies. Called when the field is needed.
    init(
        own: [String: String],
        additional: [String: String] = [:],
        userCredential: UserCredential? = nil,
        cookie: @escaping @Sendable () -> String? = { nil }
    ) {
        self.own = own
        self.additional = additional
        self.userCredential = userCredential
        self.cookie = cookie
    }

    /// Whether the request or the session sets one of the fields.
    func hasGiven(anyOf names: FieldNames) -> Bool {
        own.keys.contains { names.contains($0) } || additional.keys.contains { names.contains($0) }
    }

    /// Names of fields. Most other names are excluded by their length.
    struct FieldNames: ExpressibleByArrayLiteral {
        private let names: [String]
        /// A bit for each length of a name.
        private let lengths: UInt64

        init(arrayLiteral names: String...) {
            self.names = names
            lengths = names.reduce(0) { $0 | 1 << UInt64($1.utf8.count) }
        }

        func contains(_ name: String) -> Bool {
            lengths & 1 << UInt64(name.utf8.count) != 0 && names.contains { $0.hasSameLetters(as: name) }
        }
    }

    /// Whether a credential was used for a challenge.
    var answersChallenge: Bool { userCredential != nil }

    /// Records the authorization that was sent. This is the user credential. Without one, it is the caller's own value.
    func note(sentFor userCredential: UserCredential?, with authorization: String?) {
        self.userCredential = userCredential
        guard userCredential == nil, self["authorization"] != authorization else { return }
        own = own.filter { !$0.key.hasSameLetters(as: "Authorization") }
        additional = additional.filter { !$0.key.hasSameLetters(as: "Authorization") }
        if let authorization { own["Authorization"] = authorization }
    }

    /// The value of the field with a lower-case name.
    subscript(name: String) -> String? {
        guard name == "authorization" else { return givenValue(of: name) ?? defaultValue(of: name) }
        if let userCredential { return "\(userCredential.user)\0\(userCredential.password)" }
        return givenValue(of: name)
    }

    private func givenValue(of name: String) -> String? {
        Self.value(of: name, in: own) ?? Self.value(of: name, in: additional)
    }

    private static func value(of name: String, in fields: [String: String]) -> String? {
        fields.isEmpty ? nil : fields.first { $0.key.hasSameLetters(as: name) }?.value
    }

    private func defaultValue(of name: String) -> String? {
        switch name {
        case "cookie": sentCookie ?? cookie()
        case "accept": Self.value(ofLine: RequestLines.accept)
        case "accept-encoding": ContentDecoder.acceptEncoding
        case "accept-language": RequestLines.acceptLanguage.map(Self.value(ofLine:))
        case "user-agent": Self.value(ofLine: RequestLines.userAgent)
        default: nil
        }
    }

    private static func value(ofLine line: String) -> String {
        String(Substring((line.cut(at: ":")?.after ?? "").utf8.drop { $0 == .space }))
    }

    /// Returns the value that is stored for comparison. It has no surrounding blanks. For a secret, it is only the
    /// hash.
    func nominated(_ name: String) -> String? {
        guard let trimmed = self[name]?.trimmingBlanks else { return nil }
        switch name {
        case _ where CredentialField.matches(name): return SHA256.hash(Data(trimmed.utf8)).hexadecimal
        // The prefix distinguishes this value from the engine's own value, which may be equal.
        case "accept-encoding" where givenValue(of: name) != nil: return "own: " + trimmed
        default: return trimmed
        }
    }

    /// Whether the authorization differs for each request. In this case, no other request can have the same
    /// authorization.
    var hasPassingAuthorization: Bool {
        guard let scheme = self["authorization"]?.before(" ") else { return false }
        return scheme.hasSameLetters(as: "Digest")
    }
}
#endif
