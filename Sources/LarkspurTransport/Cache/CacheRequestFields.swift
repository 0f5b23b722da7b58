#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The fields that a request is sent with, wherever they come from.
struct CacheRequestFields: Sendable {
    private var own: [String: String]
    private var additional: [String: String]
    private var userCredential: UserCredential?
    private let cookie: @Sendable () -> String?
    /// What was sent of the session's cookies; nil while nothing was.
    private var sentCookie: String??

    /// - Parameters:
    ///   - own: Those of the request.
    ///   - additional: Those that the session adds where the request has none.
    ///   - userCredential: The credential that answered a challenge. Its field takes the place of the request's own, and
    ///     may be another each time.
    ///   - cookie: Makes the field of the session's cookies; called if it is asked for.
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

    /// Whether nobody has set a field.
    var isPlain: Bool { own.isEmpty && additional.isEmpty }

    /// Whether the credential is the answer to a challenge.
    var answersChallenge: Bool { userCredential != nil }

    /// Takes note of what was sent: for whom, or else with which credential of the caller's.
    mutating func note(sentFor userCredential: UserCredential?, with authorization: String?) {
        self.userCredential = userCredential
        guard userCredential == nil, self["authorization"] != authorization else { return }
        own = own.filter { !$0.key.hasSameLetters(as: "Authorization") }
        additional = additional.filter { !$0.key.hasSameLetters(as: "Authorization") }
        if let authorization { own["Authorization"] = authorization }
    }

    /// Takes note of the cookies that were sent, as the response may change the session's before it is kept.
    mutating func note(sentCookie: String?) { self.sentCookie = .some(sentCookie) }

    /// The value of the field with this name, which is in lower case.
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
        String(line.drop { $0 != ":" }.dropFirst().drop { $0 == " " })
    }

    /// The value as it is kept for comparison: without blanks around it, and of secrets only the hash.
    func nominated(_ name: String) -> String? {
        guard let value = self[name] else { return nil }
        let bytes = value.utf8.drop(while: \.isBlank)
        let end = bytes.lastIndex { !$0.isBlank }.map { bytes.index(after: $0) } ?? bytes.startIndex
        let trimmed = String(decoding: bytes[bytes.startIndex..<end], as: UTF8.self)
        switch name {
        case "authorization", "cookie", "proxy-authorization": return SHA256.hash(Data(trimmed.utf8)).hexadecimal
        // Who names codings gets the content in them, be they those that the engine undoes.
        case "accept-encoding" where givenValue(of: name) != nil: return "own: " + trimmed
        default: return trimmed
        }
    }

    /// Whether the credential is a new one for each request, so that no other request could have the same.
    var hasPassingAuthorization: Bool {
        guard let scheme = self["authorization"]?.prefix(while: { $0 != " " }) else { return false }
        return scheme.hasSameLetters(as: "Digest")
    }
}
#endif
