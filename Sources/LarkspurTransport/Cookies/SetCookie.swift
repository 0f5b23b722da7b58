#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// A cookie in the form of a `Set-Cookie` value (RFC 6265, section 5.2).
///
/// The engine parses the value itself, because the `HTTPCookie` of Foundation on Linux does not follow RFC 6265's rules
/// for paths and dates.
struct SetCookie: Equatable {
    /// The name, which consists of octets.
    let name: String
    /// The value, which consists of octets.
    let value: String
    /// The domain in lower case, without a leading dot; nil if there is none.
    private(set) var domain: String?
    /// The path; nil if there is none, or if it does not begin with a slash.
    private(set) var path: String?
    private(set) var expires: Date?
    /// The maximum age in seconds; 0 for negative numbers.
    private(set) var maximumAge: Int?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false

    /// Parses a value. Returns nil if it has no name or no equals sign, has control characters, or is longer than a
    /// cookie may be.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard !bytes.contains(where: { $0 < 0x20 && $0 != .tab || $0 == 0x7F }) else { return nil }
        var parts = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)[...]
        guard let pair = parts.popFirst(), let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let name = pair[..<equals].trimmingBlanks
        let value = pair[(equals + 1)...].trimmingBlanks
        guard !name.isEmpty, name.count + value.count <= CookieLimits.pairLength else { return nil }
        self.name = String(decoding: name, as: UTF8.self)
        self.value = String(decoding: value, as: UTF8.self)
        for part in parts { readAttribute(part) }
    }

    private mutating func readAttribute(_ bytes: ArraySlice<UInt8>) {
        let equals = bytes.firstIndex(of: UInt8(ascii: "="))
        let name = String(decoding: bytes[..<(equals ?? bytes.endIndex)].trimmingBlanks, as: UTF8.self)
        let value = (equals.map { bytes[($0 + 1)...] } ?? []).trimmingBlanks
        guard value.count <= CookieLimits.attributeLength else { return }
        switch name.inLowercase {
        case "expires": expires = HTTPDate.parse(value) ?? expires
        case "max-age": maximumAge = Self.seconds(value) ?? maximumAge
        case "domain":
            let name = value.first == UInt8(ascii: ".") ? value.dropFirst() : value
            domain = name.isEmpty ? nil : String(decoding: name, as: UTF8.self).readable.inLowercase
        case "path": path = value.first == UInt8(ascii: "/") ? String(decoding: value, as: UTF8.self).readable : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        default: break
        }
    }

    /// Returns the date at which the cookie expires; nil if it expires at the end of the session.
    func expiry(now: Date) -> Date? {
        if let maximumAge { return now.addingTimeInterval(Double(maximumAge)) }
        return expires
    }

    /// Whether the cookie lacks an attribute that the prefix of its name requires (RFC 6265bis, section 4.1.3).
    func breaksPromise(isSecureOrigin: Bool) -> Bool {
        let lowercase = name.inLowercase
        if lowercase.begins(with: "__secure-") { return !isSecure || !isSecureOrigin }
        if lowercase.begins(with: "__host-") { return !isSecure || !isSecureOrigin || domain != nil || path != "/" }
        return false
    }

    /// Reads a number of seconds. Negative numbers become 0, and values above a hundred years become a hundred years.
    private static func seconds(_ bytes: ArraySlice<UInt8>) -> Int? {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let century = 3_155_760_000
        return (isNegative ? bytes.dropFirst() : bytes).decimalNumber(atMost: isNegative ? 0 : century)
    }
}

/// Several `Set-Cookie` values, joined to one value that `HTTPCookie.cookies(withResponseHeaderFields:for:)` splits.
///
/// For this method, a cookie ends at a comma that is followed by a token and an equals sign. So the comma in an
/// `Expires` date does not end a cookie. The method counts UTF-16 units in place of characters. If the two numbers
/// differ in a name or a date, it ends the process. So this list omits cookies with such a name or date. The session's
/// storage still receives them.
struct SetCookieList {
    /// The joined values; nil if no cookie is left.
    let text: String?

    init(_ values: [String]) {
        let safe = values.filter(Self.isSafe)
        text = safe.isEmpty ? nil : safe.count == 1 ? safe[0] : safe.joined(separator: ", ")
    }

    /// Whether each character of the names and dates is one UTF-16 unit. In other values, characters may be longer.
    private static func isSafe(_ value: String) -> Bool {
        guard value.utf8.contains(where: { $0 >= 0x80 }) else { return true }
        // The part of the name or date that has been read; nil within a value of another kind.
        var name: String? = ""
        // The separators are included for two reasons: the value may begin with a combining mark, or may end with a
        // character that joins with the next one.
        for character in ", " + value + ", " {
            let isOneUnit = character.utf16.count == 1
            switch character.unicodeScalars.first {
            case ";", ",":
                guard isOneUnit else { return false }
                name = ""
            case "=" where name != nil:
                guard isOneUnit else { return false }
                if name?.trimmed.inLowercase != "expires" { name = nil }
            default:
                guard isOneUnit || name == nil else { return false }
                name?.append(character)
            }
        }
        return true
    }
}

extension String {
    fileprivate var trimmed: Substring {
        let text = drop(while: \.isWhitespace)
        return text[..<(text.lastIndex { !$0.isWhitespace }.map(text.index(after:)) ?? text.startIndex)]
    }
}

extension HTTPCookie {
    /// The comment that marks a secure cookie. When a storage reads a cookie from its file, the secure flag is lost,
    /// but the comment remains.
    private static let secureMark = "Secure"
    /// The comment that marks a cookie whose name or value is not UTF-8. Both are stored as ISO-8859-1, so that their
    /// octets can be restored.
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

    /// The name, which consists of the octets that the server has sent.
    var octetName: String { isLatin1 ? Self.octets(ofLatin1: name) : name }

    /// The value, which consists of the octets that the server has sent.
    var octetValue: String { isLatin1 ? Self.octets(ofLatin1: value) : value }

    private var isLatin1: Bool { comment?.ends(with: Self.latin1Mark) == true }

    /// - Parameter text: The text. If a program has changed it, it may not be ISO-8859-1.
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

    /// Whether a new cookie is treated as equal to this cookie. Many servers renew the expiry with each response. So a
    /// change of the expiry is ignored if it is at most a minute and at most a hundredth of the remaining time.
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
