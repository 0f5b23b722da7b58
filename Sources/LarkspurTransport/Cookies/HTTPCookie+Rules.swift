#if canImport(FoundationNetworking)
internal import HTTPSyntax

extension HTTPCookie {
    /// The comment that marks a secure cookie. When a storage reads a cookie from its file, the secure flag is lost,
    /// but the comment is not.
    private static let secureMark = "Secure"
    /// The comment that marks a cookie whose name or value is not UTF-8. Both are then stored as ISO-8859-1, so that
    /// their octets are known.
    private static let latin1Mark = "ISO-8859-1"

    convenience init?(_ cookie: SetCookie, domain: String, path: String, expiry: Date?) {
        let isLatin1 = cookie.name.hasOctets || cookie.value.hasOctets
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: isLatin1 ? String(latin1: cookie.name.octets) : cookie.name,
            .value: isLatin1 ? String(latin1: cookie.value.octets) : cookie.value,
            .domain: domain, .path: path,
        ]
        let marks = (cookie.isSecure ? [Self.secureMark] : []) + (isLatin1 ? [Self.latin1Mark] : [])
        if !marks.isEmpty { properties[.comment] = marks.joined(separator: ", ") }
        if let expiry { properties[.expires] = expiry } else { properties[.discard] = "TRUE" }
        if cookie.isSecure { properties[.secure] = "TRUE" }
        if cookie.isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        self.init(properties: properties)
    }

    var isForSecureOnly: Bool { isSecure || comment?.begins(with: Self.secureMark) == true }

    /// The name, made of the octets that the server has sent.
    var octetName: String { isLatin1 ? Self.octets(ofLatin1: name) : name }

    /// The value, made of the octets that the server has sent.
    var octetValue: String { isLatin1 ? Self.octets(ofLatin1: value) : value }

    private var isLatin1: Bool { comment?.ends(with: Self.latin1Mark) == true }

    /// - Parameter text: The text; a program may have changed it, so that it is not ISO-8859-1.
    private static func octets(ofLatin1 text: String) -> String {
        let octets = text.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
        return octets.count == text.unicodeScalars.count ? String(octets: octets) : text
    }

    /// Whether a request may contain the cookie (RFC 6265, section 5.4).
    func isFor(_ context: CookieJar.Context, now: Date) -> Bool {
        let domain = domain
        let isForHost =
            domain.utf8.first == UInt8(ascii: ".")
            ? context.host.isWithin(Substring(domain.utf8.dropFirst())) : context.host.name == domain
        guard isForHost, context.isSecure || !isForSecureOnly, CookiePath.matches(context.path, cookiePath: path) else {
            return false
        }
        return !isExpired(now: now) && !name.breaksLine && !value.breaksLine
    }

    /// Whether a new cookie counts as equal to this one. A change of the expiry does not count if it is at most a
    /// minute and at most a hundredth of the remaining time, because many servers renew the expiry with each response.
    func isSame(as new: SetCookie, expiry: Date?, now: Date) -> Bool {
        guard octetValue == new.value, isForSecureOnly == new.isSecure, isHTTPOnly == new.isHTTPOnly else {
            return false
        }
        switch (expiresDate, expiry) {
        case (nil, nil): return true
        case (let old?, let new?):
            return abs(new.timeIntervalSince(old)) <= min(60, new.timeIntervalSince(now) / 100)
        default: return false
        }
    }

    func isExpired(now: Date) -> Bool { expiresDate.map { $0 <= now } ?? false }

    /// The date of creation, in seconds since the reference date.
    var created: Double {
        properties?[HTTPCookiePropertyKey("Created")] as? Double ?? 0
    }
}
#endif
