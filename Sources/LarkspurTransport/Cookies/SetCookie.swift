#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// A cookie, as a `Set-Cookie` value describes it (RFC 6265, section 5.2).
///
/// By hand, because the `HTTPCookie` of Foundation on Linux does not follow RFC 6265's rules for paths and dates.
struct SetCookie: Equatable {
    /// The name, made of octets.
    let name: String
    /// The value, made of octets.
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

    /// Parses a value. Nil if it has no name or no equals sign, has control characters, or is longer than a cookie may
    /// be.
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

    /// Returns the date at which the cookie expires; nil for the end of the session.
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

    /// Reads a number of seconds; 0 for negative numbers. Values above a hundred years become a hundred years.
    private static func seconds(_ bytes: ArraySlice<UInt8>) -> Int? {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let century = 3_155_760_000
        return (isNegative ? bytes.dropFirst() : bytes).decimalNumber(atMost: isNegative ? 0 : century)
    }
}
#endif
