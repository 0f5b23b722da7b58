#if canImport(FoundationNetworking)

/// Several `Set-Cookie` values as the one value that `HTTPCookie.cookies(withResponseHeaderFields:for:)` takes apart.
///
/// It takes a comma for the end of a cookie when a token and an equals sign follow, and so tells cookies from the comma of an `Expires` date. It
/// traps on some characters outside ASCII before an equals sign, which no valid cookie has there: such cookies are left out.
struct SetCookieList {
    /// Nil when no cookie is left.
    let text: String?

    init(_ values: [String]) {
        let safe = values.filter(Self.isSafe)
        text = safe.isEmpty ? nil : safe.count == 1 ? safe[0] : safe.joined(separator: ", ")
    }

    private static func isSafe(_ value: String) -> Bool {
        guard value.utf8.contains(where: { $0 >= 0x80 }) else { return true }
        return value.utf8.split(separator: UInt8(ascii: ";")).allSatisfy { part in
            part.prefix { $0 != UInt8(ascii: "=") }.allSatisfy { $0 < 0x80 }
        }
    }
}

#endif
