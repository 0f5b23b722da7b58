#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The fields of a request, from all sources.
struct CacheRequestFields: Sendable {
    private var own: [String: String]
    private var additional: [String: String]
    private var userCredential: UserCredential?
    private let cookie: @Sendable () -> String?
    /// The cookie field that was sent; nil until it is known.
    private var sentCookie: String??

    /// - Parameters:
    ///   - own: The fields of the request.
    ///   - additional: The session's fields. A field counts only if the request does not have it.
    ///   - userCredential: The credential that was used for a challenge. It is compared instead of the request's own
    ///     `Authorization` field, because the field that is created from it may differ each time.
    ///   - cookie: Returns the field with the session's cookies. Called if the field is needed.
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
    func hasGiven(anyOf names: [String]) -> Bool {
        Self.has(anyOf: names, own) || Self.has(anyOf: names, additional)
    }

    private static func has(anyOf names: [String], _ fields: [String: String]) -> Bool {
        fields.keys.contains { key in names.contains { key.hasSameLetters(as: $0) } }
    }

    /// Whether a credential was used for a challenge.
    var answersChallenge: Bool { userCredential != nil }

    /// Records the authorization that was sent: the user credential, otherwise the caller's own value.
    mutating func note(sentFor userCredential: UserCredential?, with authorization: String?) {
        self.userCredential = userCredential
        guard userCredential == nil, self["authorization"] != authorization else { return }
        own = own.filter { !$0.key.hasSameLetters(as: "Authorization") }
        additional = additional.filter { !$0.key.hasSameLetters(as: "Authorization") }
        if let authorization { own["Authorization"] = authorization }
    }

    /// Records the cookies that were sent, because the response may change the session's cookies before the response is
    /// stored.
    mutating func note(sentCookie: String?) { self.sentCookie = .some(sentCookie) }

    /// The value of the field with a lower-case name.
    subscript(name: String) -> String? {
        if name == "authorization", let userCredential { return "\(userCredential.user)\0\(userCredential.password)" }
        return givenValue(of: name) ?? defaultValue(of: name)
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

    /// Returns the value that is stored for comparison: without surrounding blanks, and for secrets only the hash.
    func nominated(_ name: String) -> String? {
        guard let trimmed = self[name]?.trimmingBlanks else { return nil }
        switch name {
        case _ where CredentialField.matches(name): return SHA256.hash(Data(trimmed.utf8)).hexadecimal
        // The prefix distinguishes this value from the engine's own value, even if the two are equal.
        case "accept-encoding" where givenValue(of: name) != nil: return "own: " + trimmed
        default: return trimmed
        }
    }

    /// Whether the authorization differs for each request. If so, no other request can have the same authorization.
    var hasPassingAuthorization: Bool {
        guard let scheme = self["authorization"]?.before(" ") else { return false }
        return scheme.hasSameLetters(as: "Digest")
    }
}
#endif
