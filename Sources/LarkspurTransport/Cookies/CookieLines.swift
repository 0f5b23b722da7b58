#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The cookies of a file in the format of `curl -b` and `curl -c`, which Netscape has introduced. Each line has seven
/// fields between tabs: domain, whether subdomains are included, path, whether the cookie is only for https, the
/// seconds since 1970 at which it expires (0 for a cookie of the session), name and value.
///
/// ```text
/// .example.com	TRUE	/	TRUE	1893456000	sid	31d4
/// ```
enum CookieLines {
    /// A cookie, apart from its identity.
    struct Cookie: Equatable, Sendable {
        /// The value, which consists of octets.
        var value: String
        /// The seconds since 1970; nil for a cookie of the session.
        var expiry: Int64?
        var isSecure: Bool
        var isHTTPOnly: Bool
    }

    private static let httpOnlyPrefix = "#HttpOnly_"

    /// Reads the content of a file. Lines in another format, and cookies that no response can set, are skipped. If
    /// there are several lines for a cookie, the last line counts.
    static func decode(_ data: Data) -> [CookieIdentity: Cookie] {
        var cookies: [CookieIdentity: Cookie] = [:]
        for line in data.split(separator: UInt8.lineFeed) {
            guard let (identity, cookie) = parse(line.last == .carriageReturn ? line.dropLast() : line) else {
                continue
            }
            cookies[identity] = cookie
        }
        return cookies
    }

    private static func parse(_ line: Data) -> (CookieIdentity, Cookie)? {
        let isHTTPOnly = line.starts(with: httpOnlyPrefix.utf8)
        let bytes = isHTTPOnly ? line.dropFirst(httpOnlyPrefix.utf8.count) : line
        let fields = bytes.split(separator: UInt8.tab, maxSplits: 6, omittingEmptySubsequences: false)
        guard fields.count == 7, isHTTPOnly || line.first != UInt8(ascii: "#") else { return nil }
        let texts = fields.map { String(octets: $0) }
        let host = texts[0].begins(with: ".") ? String(Substring(texts[0].utf8.dropFirst())) : texts[0]
        let domain = (texts[1].hasSameLetters(as: "TRUE") ? "." : "") + host.inLowercase
        guard !host.isEmpty, !texts[0].hasOctets, !texts[2].hasOctets, texts[2].begins(with: "/"),
            let expiry = Int64(texts[4]), expiry >= 0,
            let cookie = SetCookie(texts[5] + "=" + texts[6]), cookie.name == texts[5], cookie.value == texts[6]
        else { return nil }
        let identity = CookieIdentity(name: cookie.name, domain: domain, path: texts[2])
        return (
            identity,
            Cookie(
                value: cookie.value,
                // Dates of Foundation are exact up to this number.
                expiry: expiry == 0 ? nil : min(expiry, 253_402_300_799),
                isSecure: texts[3].hasSameLetters(as: "TRUE"),
                isHTTPOnly: isHTTPOnly
            )
        )
    }

    /// Whether the format can contain a cookie. It cannot contain, for instance, a tab in a name.
    static func canContain(_ identity: CookieIdentity, _ cookie: Cookie) -> Bool {
        let bytes = line(identity, cookie)
        guard !bytes.contains(.lineFeed), let (read, other) = parse(Data(bytes)) else { return false }
        return read == identity && other == cookie
    }

    /// Returns the content of a file with cookies. They have to be cookies that the format can contain.
    static func encode(_ cookies: [CookieIdentity: Cookie]) -> Data {
        var data = Data("# Netscape HTTP Cookie File\n".utf8)
        let lines = cookies.map { line($0, $1) }.sorted { $0.lexicographicallyPrecedes($1) }
        for line in lines {
            data.append(contentsOf: line)
            data.append(.lineFeed)
        }
        return data
    }

    private static func line(_ identity: CookieIdentity, _ cookie: Cookie) -> [UInt8] {
        let fields = [
            (cookie.isHTTPOnly ? httpOnlyPrefix : "") + identity.domain,
            identity.domain.begins(with: ".") ? "TRUE" : "FALSE",
            identity.path,
            cookie.isSecure ? "TRUE" : "FALSE",
            "\(cookie.expiry ?? 0)",
            identity.name,
            cookie.value,
        ]
        return Array(fields.map(\.octets).joined(separator: CollectionOfOne(UInt8.tab)))
    }
}

extension CookieLines.Cookie {
    init(_ cookie: HTTPCookie) {
        value = cookie.octetValue
        // A time that is no whole second ends later, not earlier, so that it is not 0.
        expiry = cookie.expiresDate.map { Int64(max(1, min($0.timeIntervalSince1970.rounded(.up), 253_402_300_799))) }
        isSecure = cookie.isForSecureOnly
        isHTTPOnly = cookie.isHTTPOnly
    }

    /// Returns the cookie for a storage; nil if Foundation does not accept it.
    func cookie(_ identity: CookieIdentity) -> HTTPCookie? {
        let text = identity.name + "=" + value + (isSecure ? "; Secure" : "") + (isHTTPOnly ? "; HttpOnly" : "")
        return SetCookie(text).flatMap {
            HTTPCookie(
                $0,
                domain: identity.domain,
                path: identity.path,
                expiry: expiry.map { Date(timeIntervalSince1970: TimeInterval($0)) }
            )
        }
    }

    func isExpired(at now: Date) -> Bool { expiry.map { TimeInterval($0) <= now.timeIntervalSince1970 } ?? false }
}
#endif
