import Foundation
import FoundationNetworking
import HTTPSyntax

@testable import LarkspurTransport

/// The cookies of servers, and the rules by which they are stored and sent.
extension FuzzTarget {
    static let cookies = [setCookie, cookieLists, cookieJar, cookieHosts, cookieFiles]

    private static let setCookie = FuzzTarget(text: "set-cookie", measured: { _ = SetCookie($0) }) { text in
        guard let cookie = SetCookie(text) else { return }
        require(!cookie.name.isEmpty, "a cookie has a name")
        require(cookie.name.utf8.count + cookie.value.utf8.count <= CookieLimits.pairLength, "a cookie has its limit")
        for value in [cookie.name, cookie.value, cookie.path ?? "", cookie.domain ?? ""] {
            require(!value.breaksLine, "no part of a cookie ends its line")
            require(!value.utf8.contains(UInt8(ascii: ";")), "no part of a cookie has a semicolon")
        }
        require(cookie.path?.utf8.first == UInt8(ascii: "/") || cookie.path == nil, "a path begins with a slash")
        require((0...3_155_760_000).contains(cookie.maximumAge ?? 0), "an age has its limits")
        // Written again, it is the same cookie.
        var written = "\(cookie.name)=\(cookie.value)"
        if let domain = cookie.domain { written += "; Domain=.\(domain)" }
        if let path = cookie.path { written += "; Path=\(path)" }
        if let expires = cookie.expires { written += "; Expires=\(HTTPDate.string(from: expires))" }
        if let age = cookie.maximumAge { written += "; Max-Age=\(age)" }
        if cookie.isSecure { written += "; Secure" }
        if cookie.isHTTPOnly { written += "; HttpOnly" }
        require(SetCookie(written), equals: cookie, "the cookie \(written)")
    }

    private static let cookieFiles = FuzzTarget(
        "cookie-files",
        measured: { _ = CookieLines.decode(Data($0)) },
        { bytes in
            let cookies = CookieLines.decode(Data(bytes))
            require(CookieLines.decode(CookieLines.encode(cookies)), equals: cookies, "cookies are read as written")
            for (identity, cookie) in cookies {
                require(CookieLines.canContain(identity, cookie), "a cookie of a file can be written")
                guard let stored = cookie.cookie(identity) else { continue }
                require(stored.octetValue, equals: cookie.value, "the value of the cookie \(identity.name)")
                require(stored.octetName, equals: identity.name, "the name of the cookie")
            }
        }
    )

    /// Foundation's parser ends the process for some lists.
    private static let cookieLists = FuzzTarget(unmeasured: "cookie-lists") { bytes in
        let values = bytes.split(separator: .lineFeed).map { String(networkBytes: $0) }
        guard let text = SetCookieList(values).text, let url = URL(string: "https://a.example/") else { return }
        let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": text], for: url)
        require(cookies.count <= text.utf8.count { $0 == UInt8(ascii: "=") }, "a cookie has an equals sign")
    }

    private static let origins = [
        "https://www.a.example/b/c?d", "http://www.a.example/", "https://a.co.uk/x", "http://10.0.0.1/b",
        "https://com/",
        "http://[::1]/", "https://sub.www.a.example./b/", "http://localhost/",
    ].compactMap { URL(string: $0).flatMap { CookieJar.Context($0) } }

    private static let cookieJar = FuzzTarget(unmeasured: "cookie-jar") { bytes in
        var choices = Choices(bytes)
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        var stored: [HTTPCookie] = []
        for _ in 0..<4 where !choices.isAtEnd {
            let origin = choices.element(of: origins)
            let lines = (0..<choices.number(below: 6)).map { _ in String(networkBytes: choices.bytes()) }
            let update = CookieUpdate(lines, from: origin, stored: stored, now: now)
            for cookie in update.additions {
                let domain = cookie.domain.hasPrefix(".") ? String(cookie.domain.dropFirst()) : cookie.domain
                require(origin.host.isWithin(domain), "\(cookie.domain) is the host \(origin.host.name), or above it")
                require(
                    !cookie.domain.hasPrefix(".") || !CookieHost(domain).isPublicSuffix,
                    "\(cookie.domain) is not everybody's domain"
                )
                require(origin.isSecure || !cookie.isSecure, "only a secure origin sets a secure cookie")
                require(cookie.expiresDate.map { $0 > now } ?? true, "an expired cookie is not stored")
            }
            stored = update.applied(to: stored)
            require(stored.count <= CookieLimits.total, "the storage has its limit")
            let again = CookieUpdate([], from: origin, stored: stored, now: now)
            require(again.isEmpty, "nothing changes without a cookie")
        }
        for cookie in stored where cookie.isSecure {
            for origin in origins where !origin.isSecure {
                require(!cookie.isFor(origin, now: now), "a secure cookie is sent to secure origins only")
            }
        }
        for cookie in stored {
            for origin in origins where cookie.isFor(origin, now: now) {
                let domain = cookie.domain.hasPrefix(".") ? String(cookie.domain.dropFirst()) : cookie.domain
                require(origin.host.isWithin(domain), "a cookie is sent within its domain only")
                require(CookiePath.matches(origin.path, cookiePath: cookie.path), "a cookie is sent below its path")
            }
        }
    }

    private static let cookieHosts = FuzzTarget(text: "cookie-hosts") { text in
        for suffixes in [PublicSuffixList.current, .heuristic] {
            let host = CookieHost(text, suffixes: suffixes)
            _ = host.isPublicSuffix
            let site = host.site
            require(host.name.hasSuffix(site), "the site is the end of the name")
            if !host.isAddress, !host.name.isEmpty { require(host.isWithin(host.name), "a host is within itself") }
            if host.isAddress { require(!CookieHost("a." + text).isWithin(text), "an address has no subdomains") }
        }
        let path = CookiePath.byDefault(for: text)
        require(path.hasPrefix("/"), "a path begins with a slash")
        if text.hasPrefix("/") { require(CookiePath.matches(text, cookiePath: path), "a path is below its folder") }
    }
}
