#if canImport(FoundationNetworking)
internal import HTTPSyntax

extension HTTPCookie {
    /// The comment that marks a secure cookie. When a storage reads a cookie from its file, the secure flag is lost,
    /// but the comment is not.
    private static let secureMark = "Secure"

    convenience init?(_ cookie: SetCookie, domain: String, path: String, expiry: Date?) {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: cookie.name, .value: cookie.value, .domain: domain, .path: path,
        ]
        if let expiry { properties[.expires] = expiry } else { properties[.discard] = "TRUE" }
        if cookie.isSecure {
            properties[.secure] = "TRUE"
            properties[.comment] = Self.secureMark
        }
        if cookie.isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        self.init(properties: properties)
    }

    var isForSecureOnly: Bool { isSecure || comment == Self.secureMark }

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
        guard value == new.value, isForSecureOnly == new.isSecure, isHTTPOnly == new.isHTTPOnly else {
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
