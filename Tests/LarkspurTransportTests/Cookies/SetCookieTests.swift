#if canImport(FoundationNetworking)

import Foundation
import Testing

@testable import LarkspurTransport

@Suite struct SetCookieTests {
    @Test(
        "Name and value are read unchanged, without surrounding blanks",
        arguments: [
            ("a=b", "a", "b"), (" a = b ; Path=/", "a", "b"), ("a=", "a", ""), ("a=b=c", "a", "b=c"),
            ("a=\"b\"", "a", "\"b\""),
            ("a=b,c", "a", "b,c"), ("\u{1F600}x3=\u{1F600}", "\u{1F600}x3", "\u{1F600}"),
            ("e\u{301}x3=a", "e\u{301}x3", "a"), ("a=b;", "a", "b"),
            ("a=b\tc", "a", "b\tc"),
        ]
    )
    func pair(text: String, name: String, value: String) throws {
        let cookie = try #require(SetCookie(text))
        #expect(cookie.name == name)
        #expect(cookie.value == value)
    }

    @Test(
        "A malformed cookie is rejected",
        arguments: [
            "", ";", "a", "=b", " =b", "a; b=c", "a=b\u{0}", "a=\nb", "a\u{7F}=b", "a=b; Path=/\r",
            "a=" + String(repeating: "x", count: 4096),
        ]
    )
    func refused(text: String) {
        #expect(SetCookie(text) == nil)
    }

    @Test("Attributes are read in any case, and the last of the same name is used")
    func attributes() throws {
        let cookie = try #require(
            SetCookie(
                "a=b; PATH=/x; path = /y ;domain=.Example.COM; SECURE; HttpOnly=1; max-age=7; unknown=1; Comment=c"
            )
        )
        #expect(cookie.path == "/y")
        #expect(cookie.domain == "example.com")
        #expect(cookie.isSecure)
        #expect(cookie.isHTTPOnly)
        #expect(cookie.maximumAge == 7)
        #expect(cookie.expires == nil)
    }

    @Test(
        "Malformed attributes are ignored",
        arguments: [
            "Path=x", "Path", "Domain=", "Domain=.", "Max-Age=", "Max-Age=1x", "Max-Age=+1", "Max-Age=-", "Expires=x",
            "=", "", "Path=/" + String(repeating: "x", count: 1024),
        ]
    )
    func senseless(attribute: String) throws {
        #expect(SetCookie("a=b; " + attribute) == SetCookie("a=b"))
    }

    @Test("The last Domain attribute is used, even if it is empty", arguments: ["Domain=", "Domain=.", "Domain"])
    func lastDomain(attribute: String) {
        #expect(SetCookie("a=b; Domain=example.com; " + attribute)?.domain == nil)
        #expect(SetCookie("a=b; \(attribute); Domain=example.com")?.domain == "example.com")
    }

    @Test(
        "Max-Age takes precedence over Expires, and no number is too large",
        arguments: [
            ("Max-Age=10; Expires=Wed, 09 Jun 2049 10:18:14 GMT", 10), ("Max-Age=0", 0), ("Max-Age=-5", 0),
            ("Max-Age=99999999999999999999999999", 3_155_760_000), ("Max-Age=-99999999999999999999999999", 0),
            ("Expires=Thu, 01 Jan 1970 00:00:05 GMT", 5), ("Secure", nil),
        ] as [(String, Double?)]
    )
    func expiry(attributes: String, seconds: Double?) throws {
        let cookie = try #require(SetCookie("a=b; " + attributes))
        #expect(cookie.expiry(now: Date(timeIntervalSince1970: 0)) == seconds.map(Date.init(timeIntervalSince1970:)))
    }

    @Test(
        "A cookie that breaks the rules of its name's prefix is rejected",
        arguments: [
            ("__Secure-a=b; Secure", true, true), ("__Secure-a=b", true, false), ("__Secure-a=b; Secure", false, false),
            ("__host-a=b; Secure; Path=/", true, true), ("__Host-a=b; Secure", true, false),
            ("__Host-a=b; Path=/", true, false),
            ("__Host-a=b; Secure; Path=/; Domain=a.b", true, false), ("__Host-a=b; Secure; Path=/", false, false),
            ("a=b", false, true), ("__Secure-\u{301}a=b", true, false), ("__Host-\u{FE0F}a=b; Secure", true, false),
        ]
    )
    func prefixes(text: String, isSecureOrigin: Bool, isKept: Bool) throws {
        #expect(try #require(SetCookie(text)).breaksPromise(isSecureOrigin: isSecureOrigin) == !isKept)
    }
}

#endif
